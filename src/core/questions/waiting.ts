import type { Lease } from '../model/lease.ts';
import type { Instant, LeaseState, Millis } from '../model/records.ts';
import { FOREVER } from '../model/time.ts';
import type { SchedulerState } from '../state.ts';
import { shortestStay } from '../vm/soonest.ts';

export type WaitingCode =
  | 'NOT_YET_CONSIDERED'
  | 'START_NOT_REACHED'
  | 'RESOURCES'
  | 'BEHIND_IN_QUEUE'
  | 'IMAGE_TRANSFER'
  | 'SUSPENDED'
  | 'NODES_UNAVAILABLE'
  | 'MAINTENANCE'
  | 'QUOTA';

/** Why the machines of a lease do not run now. */
export interface Waiting {
  readonly code: WaitingCode;
  /** Leases that hold what it waits for, or that stand before it in the queue: ids, at most ten. */
  readonly blockedBy: readonly number[];
  readonly estimatedStart: Instant | null;
  /** The longest duration with which it could start now; null when there is none. */
  readonly longestNow: Millis | null;
}

const maxBlockers = 10;
/** Reasons for which no lease is to blame. */
const ofNoLease: ReadonlySet<WaitingCode> = new Set([
  'START_NOT_REACHED',
  'NOT_YET_CONSIDERED',
  'IMAGE_TRANSFER',
  'MAINTENANCE',
]);
const running: ReadonlySet<LeaseState> = new Set(['ACTIVE', 'SUSPENDING', 'MIGRATING', 'RESUMING', 'RESUMED_READY']);

/** Null when its machines run, or are being moved, saved or restored. */
export function whyWaiting(state: SchedulerState, lease: Lease, now: Instant): Waiting | null {
  if (running.has(lease.state)) return null;
  const code = codeOf(state, lease, now);
  return {
    code,
    blockedBy: blockersOf(state, lease, code, now).slice(0, maxBlockers),
    estimatedStart: lease.vm?.state === 'SCHEDULED' ? lease.vm.start : null,
    longestNow: longestNow(state, lease, now),
  };
}

function codeOf(state: SchedulerState, lease: Lease, now: Instant): WaitingCode {
  if (lease.isWithoutPlace) return lease.reason?.code === 'MAINTENANCE' ? 'MAINTENANCE' : 'NODES_UNAVAILABLE';
  if (lease.state === 'PENDING' || lease.state === 'NEW') return 'NOT_YET_CONSIDERED';
  if (waitsForQuota(state, lease, now)) return 'QUOTA';
  if (lease.isSuspended) return 'SUSPENDED';
  if (lease.state === 'QUEUED' && !isHead(state, lease)) return 'BEHIND_IN_QUEUE';
  if (lease.requestedStart !== null && lease.requestedStart > now && lease.vm?.start === lease.requestedStart)
    return 'START_NOT_REACHED';
  if (lease.transfers.size > 0) return 'IMAGE_TRANSFER';
  return waitsForMaintenance(state, lease, now) ? 'MAINTENANCE' : 'RESOURCES';
}

/** Whether it could start now, for all the time that it needs, if no maintenance were planned. */
function waitsForMaintenance(state: SchedulerState, lease: Lease, now: Instant): boolean {
  const { availability, journal } = state;
  if (availability.isIdle) return false;
  return journal.trial(() => {
    for (const each of availability.plannedMaintenance) availability.end(each, now);
    return longestNow(state, lease, now) === lease.remaining;
  });
}

/** Whether it could not start now even if all nodes were free. */
function waitsForQuota({ planning, quotas }: SchedulerState, lease: Lease, now: Instant): boolean {
  if (lease.requestedStart !== null && lease.requestedStart > now) return false;
  // Its own plan gives way to a start.
  const until = Math.min(now + shortestStay(planning, lease), lease.vm?.holdStart ?? FOREVER);
  return quotas.whyBlocked(lease, now, until) !== null;
}

function isHead(state: SchedulerState, lease: Lease): boolean {
  for (const first of state.queue) return first === lease;
  return false;
}

function blockersOf(state: SchedulerState, lease: Lease, code: WaitingCode, now: Instant): number[] {
  if (ofNoLease.has(code)) return [];
  if (code === 'BEHIND_IN_QUEUE') {
    const queue = [...state.queue];
    return queue.slice(0, queue.indexOf(lease)).map(({ id }) => id);
  }
  if (code === 'QUOTA') return ofProject(state, lease, now);
  const nodes = lease.vm ? [...lease.vm.amounts.keys()] : state.table.nodes.slice(1).map(({ number }) => number);
  return holders(state, lease, nodes, now, lease.vm?.holdStart ?? now + 1);
}

/** Leases of its project that hold something now, those that end first before the others. */
function ofProject(state: SchedulerState, lease: Lease, now: Instant): number[] {
  const every = state.table.nodes.slice(1).map(({ number }) => number);
  return holders(state, lease, every, now, now + 1).filter(
    (id) => state.leases.get(id)?.terms.project === lease.terms.project,
  );
}

/** Leases that hold something on the nodes within [from, to), those that end first before the others. */
function holders(state: SchedulerState, own: Lease, nodes: readonly number[], from: Instant, to: Instant): number[] {
  const ends = new Map<number, Instant>();
  for (const number of nodes) {
    for (const { lease, start, end } of state.table.nodes[number]?.holds() ?? []) {
      if (!lease || lease === own || start >= to || end <= from) continue;
      ends.set(lease.id, Math.max(end, ends.get(lease.id) ?? end));
    }
  }
  return [...ends].sort((a, b) => a[1] - b[1] || a[0] - b[0]).map(([id]) => id);
}

/** Found as if it had no plan; what it needs besides room, such as its image, must be there. */
function longestNow(state: SchedulerState, lease: Lease, now: Instant): Millis | null {
  const { planning } = state;
  const { estimates } = planning;
  const around = estimates.shutdown(lease) + (lease.isSuspended ? estimates.resume(lease) : 0);
  const isReady = lease.isSuspended || planning.preparation.earliestTimes(lease, now).some(({ time }) => time <= now);
  if (!isReady) return null;
  let maxDuration: Millis | null = null;
  state.journal.attempt(() => {
    for (const vm of lease.vms) state.table.withdrawChain(vm);
    const end = lastEnd(state, lease, now, now + lease.remaining + around);
    if (end !== null && end - now > around) maxDuration = Math.min(end - now - around, lease.remaining);
    return null;
  });
  return maxDuration;
}

/** The last instant up to `until` to which its machines fit from now on: what fits for longer fits for less. */
function lastEnd(state: SchedulerState, lease: Lease, now: Instant, until: Instant): Instant | null {
  const { mapper, config, availability } = state.planning;
  const fixed = lease.isSuspended && config.migration === 'no' ? lease.mapping : null;
  const fits = (end: Instant): boolean => {
    const request = {
      lease,
      start: now,
      end,
      strict: true,
      nodes: null,
      candidates: [],
      worthwhileUntil: end,
    };
    return (fixed ? mapper.refit(request, fixed) : mapper.map(request)) !== null;
  };
  const changes = [...state.table.changepoints(now + 1, until), ...availability.boundaries(now + 1, until)];
  const ends = [...changes.sort((a, b) => a - b), until];
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(ends[middle] as Instant)) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : (ends[low - 1] as Instant);
}
