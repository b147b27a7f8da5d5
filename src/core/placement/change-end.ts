import type { Reservation, VmReservation } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/** Changes the end of a running or planned VM and the operations after it. */
export function changeEnd(state: SchedulerState, vm: VmReservation, end: Instant, after: readonly Reservation[]): void {
  const replaced = vm.after;
  state.touch(vm.lease);
  vm.lease.hadNoBetterStart = false;
  for (const reservation of after) state.identify(reservation);
  state.table.changeEnd(vm, end, [...after]);
  for (const reservation of replaced) state.log.withdraw(reservation);
  state.log.reservation(vm);
  state.log.lease(vm.lease);
  state.setFuture(vm.lease, false);
}
