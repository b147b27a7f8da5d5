/** What hosts do other than planned. */
import { discarded } from '../model/reasons.ts';
import type { ActionTarget, Instant, LeaseState } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/** Machines that could not be stopped in an orderly way, also of leases that have ended, are removed by force. */
export function removeMachines(state: SchedulerState, targets: readonly ActionTarget[], now: Instant): void {
  for (const id of new Set(targets.map(({ leaseId }) => leaseId))) {
    const own = targets.filter(({ leaseId }) => leaseId === id);
    state.log.action('DESTROY', now, { id }, null, own);
  }
}

/** A lease that was left out of the snapshot, since what is stored of it is not sound. */
export interface DiscardedLease {
  readonly leaseId: number;
  /** Its last state. */
  readonly from: LeaseState;
  /** Its machines, where they are known to be. */
  readonly targets: readonly ActionTarget[];
}

/** It is FAILED, and its machines are removed. */
export function discardLease(state: SchedulerState, lease: DiscardedLease, now: Instant): void {
  state.log.discard(now, lease.leaseId, lease.from, discarded());
  removeMachines(state, lease.targets, now);
}
