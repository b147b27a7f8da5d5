import {
  type Instant,
  isFinal,
  type LeaseEventRecord,
  type LeaseRecord,
  type ReservationRecord,
  SECOND,
  type SiteSpec,
} from '../../../src/core/index.ts';
import { capacityFaults, chainFaults, machineFaults } from './capacity.ts';

/** What became of a site's leases. */
export interface History {
  readonly leases: readonly LeaseRecord[];
  /** All that ever were, but for those that were withdrawn before they started. */
  readonly reservations: readonly ReservationRecord[];
  readonly events: readonly LeaseEventRecord[];
}

/** Of the plan as it stands at an instant. */
export function planFaults(site: SiteSpec, { leases, reservations }: History): string[] {
  const planned = reservations.filter(({ state }) => state === 'SCHEDULED' || state === 'ACTIVE');
  const byId = new Map(leases.map((lease) => [lease.id, lease]));
  return [
    ...capacityFaults(site, planned),
    ...chainFaults(planned),
    ...planned
      .filter(({ kind }) => kind === 'VM')
      .flatMap((vm) => machineFaults(site, byId.get(vm.leaseId) ?? { machines: [] }, vm)),
  ];
}

/** Of everything that happened. */
export function historyFaults(site: SiteSpec, history: History): string[] {
  const executed = executedOf(history);
  return [
    ...capacityFaults(site, executed),
    ...chainFaults(executed),
    ...orderFaults(site, history),
    ...workFaults(history),
    ...lossFaults(history),
  ];
}

/** Those that ran, or run. */
function executedOf({ reservations }: History): ReservationRecord[] {
  return reservations.filter(({ state }) => state !== 'SCHEDULED');
}

/**
 * Followed event by event, no node is ever over capacity: at one instant what frees a node comes before what takes it.
 */
function orderFaults(site: SiteSpec, history: History): string[] {
  const executed = executedOf(history);
  const begunAt = (lease: number, kind: string, at: Instant) =>
    executed.find((each) => each.leaseId === lease && each.kind === kind && each.start === at);
  const faults: string[] = [];
  const running = new Map<number, ReservationRecord>();
  for (const { at, leaseId, from, to } of history.events) {
    const begins = (from === 'READY' && to === 'ACTIVE') || to === 'RESUMING';
    if (begins) {
      const begun = begunAt(leaseId, to === 'ACTIVE' ? 'VM' : 'RESUMPTION', at);
      if (!begun) {
        faults.push(`lease ${leaseId} began at ${at} without a reservation`);
        continue;
      }
      executed.splice(executed.indexOf(begun), 1);
      running.set(leaseId, begun);
      const together = [...running.values()].map((each) => ({ ...each, start: at, end: at + 1 }));
      faults.push(...capacityFaults(site, together));
    } else if (isFinal(to) || to === 'SUSPENDED_PENDING' || to === 'QUEUED') {
      running.delete(leaseId);
    }
  }
  return faults;
}

/** Running time is the sum of all runs; only what is cancelled and requeued starts again from nothing. */
function workFaults(history: History): string[] {
  return history.leases.flatMap((lease) => {
    const restart = history.events.findLast(
      ({ leaseId, from, to }) => leaseId === lease.id && from === 'ACTIVE' && to === 'QUEUED',
    );
    // Of runs that began at the instant of the restart, the one that was stopped by it came before.
    const ran = vmsOf(history, lease)
      .filter(({ state, start, end }) => state !== 'ACTIVE' && !(restart && (start < restart.at || end === restart.at)))
      .reduce((sum, { start, end }) => sum + end - start, 0);
    return lease.accumulated === ran
      ? []
      : [`lease ${lease.id} has accumulated ${lease.accumulated} ms, its runs come to ${ran}`];
  });
}

/** A lease knows how many of its runs were lost, and how much running time with them; the events say the same. */
function lossFaults({ leases, events }: History): string[] {
  return leases.flatMap(({ id, restarts, lostDuration }) => {
    const lost = events.filter(({ leaseId, from, to }) => leaseId === id && from === 'ACTIVE' && to === 'QUEUED');
    const duration = lost.reduce((sum, { reason }) => sum + (reason?.data?.lostDuration ?? Number.NaN), 0);
    return restarts === lost.length && lostDuration === duration
      ? []
      : [
          `lease ${id} has lost ${restarts} runs of ${lostDuration} ms, its events say ${lost.length} of ${duration} ms`,
        ];
  });
}

/**
 * Every accepted advance reservation runs exactly when it asked to, its shutdown included, unless it ended early or was
 * cancelled. Leases whose machines a test ended, or failed, are left out.
 */
export function advanceReservationFaults(history: History, disturbed: ReadonlySet<number> = new Set()): string[] {
  return history.leases.flatMap((lease) => {
    if (lease.type !== 'ADVANCE_RESERVATION' || disturbed.has(lease.id)) return [];
    const accepted = history.events.some(({ leaseId, to }) => leaseId === lease.id && to === 'SCHEDULED');
    if (!accepted || lease.state === 'CANCELLED') return [];
    if (lease.state !== 'DONE') return [`lease ${lease.id} was accepted and became ${lease.state}`];
    const start = lease.requestedStart as Instant;
    const [vm, ...more] = vmsOf(history, lease);
    if (!vm || more.length > 0) return [`lease ${lease.id} ran ${vm ? more.length + 1 : 0} times`];
    const end = start + lease.duration;
    const early = start + Math.max(lease.knownDuration ?? lease.duration, SECOND);
    const shutdown = executedOf(history).some(({ leaseId, kind }) => leaseId === lease.id && kind === 'SHUTDOWN');
    const faults: string[] = [];
    if (vm.start !== start) faults.push(`lease ${lease.id} started at ${vm.start}, and not at ${start}`);
    if (lease.endedAt !== (shutdown ? end : early))
      faults.push(`lease ${lease.id} ended at ${lease.endedAt}, expected ${shutdown ? end : early}`);
    if (!shutdown && early >= end) faults.push(`lease ${lease.id} was not shut down`);
    return faults;
  });
}

/** DONE leases of other types ran their whole duration, or as long as it was known that they would (R20). */
export function runTimeFaults(history: History, disturbed: ReadonlySet<number> = new Set()): string[] {
  return history.leases.flatMap((lease) => {
    if (lease.state !== 'DONE' || lease.type === 'ADVANCE_RESERVATION' || disturbed.has(lease.id)) return [];
    const last = vmsOf(history, lease).at(-1);
    if (!last) return [`lease ${lease.id} is DONE and never ran`];
    const before = lease.accumulated - (last.end - last.start);
    const known = Math.max((lease.knownDuration ?? lease.duration) - before, SECOND);
    const expected = before + Math.min(known, lease.duration - before);
    return lease.accumulated === expected
      ? []
      : [`lease ${lease.id} ran ${lease.accumulated} ms, expected ${expected}`];
  });
}

export function unfinishedFaults({ leases }: Pick<History, 'leases'>): string[] {
  return leases.filter(({ state }) => !isFinal(state)).map(({ id, state }) => `lease ${id} is ${state} at the end`);
}

/** VM reservations of a lease that started, in order of start. */
export function vmsOf(history: History, lease: Pick<LeaseRecord, 'id'>): ReservationRecord[] {
  return executedOf(history)
    .filter(({ leaseId, kind }) => leaseId === lease.id && kind === 'VM')
    .sort((a, b) => a.start - b.start || a.id - b.id);
}
