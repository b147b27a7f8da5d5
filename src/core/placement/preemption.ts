import type { Lease, Reservation, VmReservation } from '../model/lease.ts';
import { preempted } from '../model/reasons.ts';
import type { Instant, Millis, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { changeEnd } from './change-end.ts';
import { haveRemoved, heldByHosts, ranFor } from './on-hosts.ts';
import { stopChain } from './stop-chain.ts';

/**
 * Preempts a lease for another that takes its place at `at`: suspended by then if possible, otherwise stopped and
 * requeued (R54), now or, if victims stop when needed, at `at`.
 */
export function preempt(state: SchedulerState, victim: Lease, preemptor: number, at: Instant, now: Instant): void {
  const vm = victim.vm as VmReservation;
  state.touch(victim);
  victim.preemptions += 1;
  state.noteDisplaced(victim);
  if (canSuspendBy(state, vm, at, now)) suspendBy(state, vm, preemptor, at);
  else if (state.config.stopVictims === 'when-needed' && vm.state === 'ACTIVE' && at > now)
    cutShort(state, vm, preemptor, at);
  else
    requeue(state, victim, now, (lost, wasRunning) => preempted(preemptor, wasRunning ? 'stopped' : 'withdrawn', lost));
}

/** Whether a lease can be suspended by `at` (R54). */
export function canSuspendBy(
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

/** `preemptor`: the lease that takes its place; null if there is none. */
export function suspendBy(state: SchedulerState, vm: VmReservation, preemptor: number | null, at: Instant): void {
  const suspensions = state.planning.chains.suspensions(vm, at);
  for (const suspension of suspensions) suspension.preemptor = preemptor;
  changeEnd(state, vm, (suspensions[0] as Reservation).start, suspensions);
}

/** Its machines run until `at` and stop there; the lease is then decided again. */
export function cutShort(state: SchedulerState, vm: VmReservation, preemptor: number | null, at: Instant): void {
  state.journal.save(vm);
  vm.preemptor = preemptor;
  changeEnd(state, vm, at, []);
}

/**
 * Withdraws a lease's plan and returns it to the queue. If it was running, all its work is lost, including that before
 * an earlier suspension (R15, R65). `why` receives the lost running time.
 */
export function requeue(
  state: SchedulerState,
  lease: Lease,
  now: Instant,
  why: (lost: Millis, wasRunning: boolean) => StateReason,
): void {
  const { vm } = lease;
  const suspended = lease.state === 'SUSPENDED_SCHEDULED';
  const wasRunning = vm?.state === 'ACTIVE';
  const lost = wasRunning ? lease.accumulated + ranFor(state, lease, now) : 0;
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
