import type { VmReservation } from '../../model/lease.ts';
import { preempted, underMaintenance } from '../../model/reasons.ts';
import type { Instant } from '../../model/records.ts';
import type { SchedulerState } from '../../state.ts';
import { loseMachines } from './lost-machines.ts';
import { planAnew } from './plans.ts';

/**
 * Ends the stay of machines that had to stop: of a best-effort lease for another lease, of a promised one for
 * maintenance (N3).
 */
export function endCutShort(state: SchedulerState, vm: VmReservation, at: Instant): void {
  const { lease, preemptor } = vm;
  const reason =
    preemptor === null ? underMaintenance(nameOf(state, vm, at)) : preempted(preemptor, 'stopped', lease.accumulated);
  const lost = loseMachines(state, lease, at, reason);
  if (lost) planAnew(state, [], [lost], reason, at);
}

function nameOf(state: SchedulerState, vm: VmReservation, at: Instant): string {
  const nodes = new Set(vm.mapping.slice(1));
  const { plannedMaintenance } = state.availability;
  return plannedMaintenance.find((each) => each.start === at && each.nodes.some((node) => nodes.has(node)))?.name ?? '';
}
