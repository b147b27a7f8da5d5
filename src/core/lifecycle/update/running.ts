import { mayHoldUntil } from '../../mapping/held-until.ts';
import type { Lease, Reservation, VmReservation } from '../../model/lease.ts';
import type { Instant, LeaseUpdate, Millis } from '../../model/records.ts';
import { changeEnd } from '../../placement/change-end.ts';
import { withdrawPlan } from '../../placement/plan-anew.ts';
import { planBestEffortAnew } from '../../room/best-effort-anew.ts';
import type { SchedulerState } from '../../state.ts';
import { extend, extendLess, isDraining } from './extension.ts';
import { keepPlace } from './planned.ts';
import { type Terms, tooShort } from './terms.ts';

/** Updates a lease whose machines run or are being resumed: nodes and start are fixed (L4 to L7). */
export function updateRunning(
  state: SchedulerState,
  lease: Lease,
  vm: VmReservation,
  before: Terms,
  update: LeaseUpdate,
  now: Instant,
): void {
  // All its machines are saved or being saved: only the following part changes.
  if (vm.state === 'DONE') return;
  const change = lease.duration - before.duration;
  if (change < 0) shorten(state, lease, vm, change, now);
  else lengthen(state, lease, vm, change, update, now);
}

/** It ends when its running time reaches the new duration. An earlier planned suspension stays (L4). */
export function shorten(state: SchedulerState, lease: Lease, vm: VmReservation, change: Millis, now: Instant): void {
  const { chains, estimates } = state.planning;
  const shutdown = estimates.shutdown(lease);
  const after = shorterEnding();
  if (!after) return;
  const end = (after[0] as Reservation).start;
  if (end < Math.max(now, vm.start)) throw tooShort(lease);
  changeEnd(state, vm, end, after);
  state.askForReevaluation();

  function shorterEnding(): Reservation[] | null {
    const end = vm.start + lease.remaining;
    if (vm.mustSuspend) return vm.end < end ? null : chains.ending(vm, vm.finalEnd, lease.remaining, shutdown);
    const isExact = lease.type === 'ADVANCE_RESERVATION' && lease.accumulated === 0;
    const planned = isExact ? (lease.requestedStart as Instant) + lease.duration : end + shutdown;
    if (vm.isCutShort) return planned > vm.end ? null : [chains.shutdown(vm, planned)];
    return [chains.shutdown(vm, vm.finalEnd + change)];
  }
}

function lengthen(
  state: SchedulerState,
  lease: Lease,
  vm: VmReservation,
  change: Millis,
  update: LeaseUpdate,
  now: Instant,
): void {
  if (vm.isCutShort || isDraining(state, vm)) {
    extendLess(state, lease, change, 0, update, vm);
    return;
  }
  const isSuspendable = lease.type === 'BEST_EFFORT' && state.planning.estimates.canSuspend(lease);
  if (isSuspendable && runOnInPlace(state, lease, vm, now)) return;
  extend(state, lease, vm, change, update, now);
}

/**
 * As far as nothing else is planned there; if that is not enough, it is suspended there and continues when it fits (L6,
 * R8, R52).
 */
export function runOnInPlace(state: SchedulerState, lease: Lease, vm: VmReservation, now: Instant): boolean {
  const { chains, estimates } = state.planning;
  const shutdown = estimates.shutdown(lease);
  const whole = vm.start + lease.remaining + shutdown;
  const reach = mayHoldUntil(state, vm, vm.finalEnd, whole);
  if (reach < whole) {
    const resumed = vm.before.some(({ kind }) => kind === 'RESUMPTION');
    const room = reach - vm.holdStart;
    const maxRoom = lease.remaining + (resumed ? estimates.resume(lease) : 0);
    if (room < estimates.threshold(lease, resumed) || room > maxRoom) return false;
    // It is already suspended.
    if (vm.mustSuspend && reach === vm.finalEnd) return true;
    if (Math.min(reach, vm.start + lease.remaining) - now < estimates.suspend(lease)) return false;
  }
  const after = chains.ending(vm, reach, lease.remaining, shutdown);
  changeEnd(state, vm, (after[0] as Reservation).start, after);
  return true;
}

/**
 * Updates a suspended lease: its remaining duration and the plan to resume it change (L7). It keeps its position in the
 * queue.
 */
export function updateSuspended(state: SchedulerState, lease: Lease, now: Instant): void {
  if (!lease.vm) return;
  if (!keepPlace(state, lease, lease.vm, now)) planBestEffortAnew(state, withdrawPlan(state, lease, now), now);
  state.askForReevaluation();
}
