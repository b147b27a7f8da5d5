/** Reasons for state changes that the states alone do not explain. Codes are stable; docs/api.md lists them. */
import type { Instant, Millis, StateReason } from './records.ts';

/** How sentences of the scheduler name a lease. */
function named(lease: number): string {
  return `lease ${lease}`;
}

const namedLease = /\blease ([1-9]\d*)\b/g;

/** The numbers of the leases that a sentence of the scheduler names. */
export function leasesNamedIn(sentence: string): number[] {
  return [...new Set([...sentence.matchAll(namedLease)].map(([, number]) => Number(number)))];
}

/** The sentence with "another lease" in place of those that the reader may not see. */
export function withLeasesHidden(sentence: string, isHidden: (lease: number) => boolean): string {
  return sentence.replace(namedLease, (name, number) => (isHidden(Number(number)) ? 'another lease' : name));
}

/** Another lease took its place. */
export function preempted(
  preemptor: number,
  effect: 'suspended' | 'stopped' | 'withdrawn',
  lostDuration: Millis,
): StateReason {
  const what = {
    suspended: `its machines are suspended for ${named(preemptor)}`,
    stopped: `its machines were stopped for ${named(preemptor)}, and ${seconds(lostDuration)} of running time are lost`,
    withdrawn: `${named(preemptor)} takes the place where it was planned`,
  };
  return { code: 'PREEMPTED', message: what[effect], data: { preemptor, lostDuration } };
}

/** Its nodes were free for only part of its duration; the rest runs when it fits. */
export function suspendedAsPlanned(remaining: Millis): StateReason {
  return {
    code: 'SUSPENDED_AS_PLANNED',
    message: `its machines are needed for other leases from now on; the remaining ${seconds(remaining)} run when they fit`,
    data: { remainingDuration: remaining },
  };
}

/** Another lease was given the place where it was planned, and it was planned anew. */
export function displaced(by: number): StateReason {
  return {
    code: 'DISPLACED',
    message: `it was planned anew to make room for ${named(by)}`,
    data: { preemptor: by },
  };
}

/** Capacity was released, and it got a better plan. */
export function replanned(previousStart: Instant, start: Instant): StateReason {
  const message =
    start < previousStart
      ? `it starts ${seconds(previousStart - start)} earlier than planned`
      : 'it need not be suspended as planned';
  return { code: 'REPLANNED', message, data: { previousStart, start } };
}

/** Its machines ended by themselves. */
export function endedEarly(unusedDuration: Millis): StateReason {
  return {
    code: 'ENDED_EARLY',
    message: `its machines ended ${seconds(unusedDuration)} before their planned end`,
    data: { unusedDuration },
  };
}

/** The scheduler or a policy failed on the lease. */
export function schedulingFault(error: unknown): StateReason {
  return { code: 'SCHEDULING_FAULT', message: error instanceof Error ? error.message : String(error) };
}

/** A node that ran it or stored its memory failed. */
export function nodeFailed(node: number): StateReason {
  return { code: 'NODE_FAILED', message: `node ${node} has failed` };
}

/** A node that it needs is unavailable. */
export function nodeUnavailable(node: number): StateReason {
  return { code: 'NODE_UNAVAILABLE', message: `nothing new starts on node ${node}` };
}

/** A node that it needs is under maintenance. */
export function underMaintenance(name: string): StateReason {
  return { code: 'MAINTENANCE', message: `nodes that it needs are under maintenance (${name})` };
}

/** Operations of another lease on its planned nodes take longer than planned. */
export function hostsLate(lease: number): StateReason {
  return { code: 'HOSTS_LATE', message: `what hosts do for ${named(lease)} takes longer than planned` };
}

/** A machine of another lease is still on its planned nodes. */
export function machineRemains(lease: number, node: number): StateReason {
  return { code: 'HOSTS_LATE', message: `a machine of ${named(lease)} is not removed from node ${node} yet` };
}

/** Its stored data is inconsistent, and an operator discarded it. */
export function discarded(): StateReason {
  return {
    code: 'DISCARDED',
    message: 'an operator discarded it, since what was stored of it is not sound',
  };
}

function seconds(duration: Millis): string {
  return `${duration / 1000} s`;
}
