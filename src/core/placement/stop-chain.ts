import type { Lease } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/** Removes a lease's chains from the slot table: running reservations are cut short, planned ones withdrawn. */
export const stopChain = (state: SchedulerState, lease: Lease, now: Instant): void => {
  const { vms } = lease;
  if (vms.length === 0) return;
  state.touch(lease);
  for (const vm of vms) {
    state.table.removeChain(vm);
    for (const reservation of vm.chain) state.stop(reservation, now);
  }
  lease.vm = null;
  lease.later = [];
  state.place(lease, lease.isSuspended ? mappingOfMemory(lease) : null);
  state.setFuture(lease, false);
  state.log.lease(lease);
  state.askForPass();
};

/** A suspended lease with a dropped plan is where its memory is. */
const mappingOfMemory = (lease: Lease): readonly number[] => {
  const mapping = new Array<number>(lease.machineCount + 1).fill(0);
  for (const [machine, node] of lease.memoryAt) mapping[machine] = node;
  return mapping;
};
