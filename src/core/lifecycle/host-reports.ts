/** What hosts do other than planned. */
import type { ActionTarget, Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/** Machines that could not be stopped in an orderly way, also of leases that have ended, are removed by force. */
export function removeMachines(state: SchedulerState, targets: readonly ActionTarget[], now: Instant): void {
  for (const id of new Set(targets.map(({ leaseId }) => leaseId))) {
    const own = targets.filter(({ leaseId }) => leaseId === id);
    state.log.action('DESTROY', now, { id }, null, own);
  }
}
