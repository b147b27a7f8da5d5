import type { Lease, Reservation, VmReservation } from '../model/lease.ts';
import { preempted } from '../model/reasons.ts';
import type { Instant, Millis, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { haveRemoved, heldByHosts } from './on-hosts.ts';
import { stopChain } from './stop-chain.ts';

/** Makes a lease give way to another that takes its place at `at`: suspended by then if possible, otherwise cancelled and requeued (R54). */
export function preempt(
  state: SchedulerState,
  victim: Lease,
  preemptor: number,
  at: Instant,
  now: Instant,
): void {
  const vm = victim.vm as VmReservation;
  if (canSuspendBy(state, vm, at, now)) suspendBy(state, vm, preemptor, at);
  else
    requeue(state, victim, now, (lost, wasRunning) =>
      preempted(preemptor, wasRunning ? 'stopped' : 'withdrawn', lost),
    );
}

function canSuspendBy(
  { planning: { estimates } }: SchedulerState,
  vm: VmReservation,
  at: Instant,
  now: Instant,
): boolean {
  const { lease } = vm;
  if (vm.state === 'SCHEDULED' && vm.start >= at) return false;
  return (
    estimates.canSuspend(lease) &&
    at - vm.start >= estimates.threshold(lease, false) &&
    at - now >= estimates.suspend(lease)
  );
}

function suspendBy(state: SchedulerState, vm: VmReservation, preemptor: number, at: Instant): void {
  const suspensions = state.planning.chains.suspensions(vm, at);
  const replaced = vm.after;
  for (const suspension of suspensions) {
    suspension.preemptor = preemptor;
    state.identify(suspension);
  }
  state.table.changeEnd(vm, (suspensions[0] as Reservation).start, suspensions);
  for (const reservation of replaced) state.log.withdraw(reservation);
  state.log.reservation(vm);
  state.log.lease(vm.lease);
  state.setFuture(vm.lease, false);
}

/**
 * Takes a lease's plan away and puts it back into the queue. If it was running, all its work is lost, also what it did before an earlier
 * suspension (R15, R65). `why` is given the running time that is lost.
 */
export function requeue(
  state: SchedulerState,
  lease: Lease,
  now: Instant,
  why: (lost: Millis, wasRunning: boolean) => StateReason,
): void {
  const vm = lease.vm as VmReservation;
  const suspended = lease.state === 'SUSPENDED_SCHEDULED';
  const wasRunning = vm.state === 'ACTIVE';
  const lost = wasRunning ? lease.accumulated + now - vm.start : 0;
  const held = suspended ? [] : heldByHosts(lease);
  state.transfers.withdraw(lease, suspended, now);
  stopChain(state, lease, now);
  state.touch(lease);
  if (wasRunning) {
    lease.accumulated = 0;
    lease.restarts += 1;
    lease.lostDuration += lost;
  }
  haveRemoved(state, lease, held, now);
  state.transition(lease, suspended ? 'SUSPENDED_QUEUED' : 'QUEUED', now, why(lost, wasRunning));
  state.enqueue(lease);
}
