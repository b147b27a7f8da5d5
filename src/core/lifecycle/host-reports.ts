/** Deviations from the plan reported by hosts. */
import { discarded } from '../model/reasons.ts';
import type { ActionTarget, Instant, LeaseState } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/** Destroys machines that could not be shut down, including those of ended leases. */
export function removeMachines(state: SchedulerState, targets: readonly ActionTarget[], now: Instant): void {
  for (const id of new Set(targets.map(({ leaseId }) => leaseId))) {
    const own = targets.filter(({ leaseId }) => leaseId === id);
    state.log.action('DESTROY', now, { id }, null, own);
  }
}

/** A lease excluded from the snapshot because its stored data is inconsistent. */
export interface DiscardedLease {
  readonly leaseId: number;
  /** Its last state. */
  readonly from: LeaseState;
  /** The known places of its machines. */
  readonly targets: readonly ActionTarget[];
}

/** Marks it FAILED and destroys its machines. */
export function discardLease(state: SchedulerState, lease: DiscardedLease, now: Instant): void {
  state.log.discard(now, lease.leaseId, lease.from, discarded());
  removeMachines(state, lease.targets, now);
}
