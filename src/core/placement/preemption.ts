import type { Lease, Reservation, VmReservation } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { haveRemoved, heldByHosts } from './on-hosts.ts';
import { stopChain } from './stop-chain.ts';

/** Puts a lease aside for another that takes its place at `at`: suspended by then if that can be, otherwise cancelled and requeued (R54). */
export const preempt = (state: SchedulerState, victim: Lease, at: Instant, now: Instant): void => {
  const vm = victim.vm as VmReservation;
  if (canSuspendBy(state, vm, at, now)) suspendBy(state, vm, at);
  else cancelAndRequeue(state, victim, now);
};

const canSuspendBy = (
  { planning: { estimates } }: SchedulerState,
  vm: VmReservation,
  at: Instant,
  now: Instant,
): boolean => {
  const { lease } = vm;
  if (vm.state === 'SCHEDULED' && vm.start >= at) return false;
  return (
    estimates.canSuspend(lease) &&
    at - vm.start >= estimates.threshold(lease, false) &&
    at - now >= estimates.suspend(lease)
  );
};

const suspendBy = (state: SchedulerState, vm: VmReservation, at: Instant): void => {
  const suspensions = state.planning.chains.suspensions(vm, at);
  const replaced = vm.after;
  for (const suspension of suspensions) state.identify(suspension);
  state.table.changeEnd(vm, (suspensions[0] as Reservation).start, suspensions);
  for (const reservation of replaced) state.log.withdraw(reservation);
  state.log.reservation(vm);
  state.log.lease(vm.lease);
  state.setFuture(vm.lease, false);
};

/** All that it did is lost when it was running (R15, R65). */
const cancelAndRequeue = (state: SchedulerState, victim: Lease, now: Instant): void => {
  const vm = victim.vm as VmReservation;
  const suspended = victim.state === 'SUSPENDED_SCHEDULED';
  const running = vm.state === 'ACTIVE';
  const lost = suspended ? [] : heldByHosts(victim);
  state.transfers.withdraw(victim, suspended, now);
  stopChain(state, victim, now);
  state.touch(victim);
  if (running) victim.accumulated = 0;
  haveRemoved(state, victim, lost, now);
  state.transition(victim, suspended ? 'SUSPENDED_QUEUED' : 'QUEUED', now);
  state.enqueue(victim);
};
