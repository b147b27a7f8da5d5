import { mayHoldUntil } from '../../mapping/held-until.ts';
import type { Lease, Reservation, VmReservation } from '../../model/lease.ts';
import type { Instant, LeaseUpdate, Millis } from '../../model/records.ts';
import { changeEnd } from '../../placement/change-end.ts';
import { placeAnew, withdrawPlan } from '../../placement/plan-anew.ts';
import { schedulePiece } from '../../room/claims.ts';
import { commitLater, dropLater, restOf } from '../../room/promised.ts';
import type { SchedulerState } from '../../state.ts';
import { type Piece, pieceOf } from '../../vm/piece.ts';
import { extendBy, isDraining, maxExtension } from './extension.ts';
import { keepPlace } from './planned.ts';
import { shorten } from './running.ts';
import { deadlineCannotBeMet, type Terms } from './terms.ts';

/** Updates a started lease with a deadline: it must keep a plan that ends by its deadline (L8). */
export function updateWithDeadline(
  state: SchedulerState,
  lease: Lease,
  before: Terms,
  update: LeaseUpdate,
  now: Instant,
): void {
  const { vm } = lease;
  const change = lease.duration - before.duration;
  if (!vm || (lease.isSuspended && !lease.isBeingBroughtBack)) {
    if (change !== 0 || endOf(lease) > (lease.deadline as Instant)) planSuspended(state, lease, now);
  } else if (vm.mustSuspend) {
    if (change !== 0) changePieces(state, lease, vm, now);
    else if (endOf(lease) > (lease.deadline as Instant)) planRest(state, lease, now);
  } else if (change < 0) {
    shorten(state, lease, vm, change, now);
  } else if (change > 0) {
    lengthen(state, lease, vm, change, before, update, now);
  }
  if (endOf(lease) > (lease.deadline as Instant)) throw deadlineCannotBeMet(lease);
}

/** The planned end of its last piece; Infinity without a plan. */
function endOf(lease: Lease): Instant {
  return lease.vms.at(-1)?.finalEnd ?? Number.POSITIVE_INFINITY;
}

/** In place, like any lease that cannot be suspended; if that is blocked, in two pieces. */
function lengthen(
  state: SchedulerState,
  lease: Lease,
  vm: VmReservation,
  change: Millis,
  before: Terms,
  update: LeaseUpdate,
  now: Instant,
): void {
  const latest = (lease.deadline as Instant) - vm.finalEnd;
  const isFixed = vm.isCutShort || isDraining(state, vm);
  if (change <= latest) {
    if (!isFixed && extendBy(state, lease, vm, change, now)) return;
    if (divide(state, lease, vm, now)) return;
  }
  if (!update.asFarAsPossible) throw deadlineCannotBeMet(lease);
  const limit = isFixed ? 0 : Math.max(0, Math.min(change, latest));
  lease.duration -= change - maxExtension(state, lease, vm, limit, now);
  const possible = lease.duration - before.duration;
  if (possible > 0) extendBy(state, lease, vm, possible, now);
}

/** It is suspended where others follow, and the rest is planned by its deadline (D3). */
function divide(state: SchedulerState, lease: Lease, vm: VmReservation, now: Instant): boolean {
  const { chains, estimates } = state.planning;
  if (!estimates.canSuspend(lease) || vm.isCutShort) return false;
  return (
    state.journal.attempt(() => {
      const whole = vm.start + lease.remaining;
      const by = mayHoldUntil(state, vm, vm.finalEnd, whole);
      if (by - vm.start < estimates.threshold(lease, false) || by - now < estimates.suspend(lease)) return null;
      const after = chains.suspensions(vm, by);
      changeEnd(state, vm, (after[0] as Reservation).start, after);
      return planPiece(state, restOf(lease) as Piece, now) || null;
    }) ?? false
  );
}

/** The running piece ends in a suspension and others are planned: the last of them absorb the change. */
function changePieces(state: SchedulerState, lease: Lease, vm: VmReservation, now: Instant): void {
  const { chains, estimates } = state.planning;
  if (vm.state !== 'DONE' && vm.start + lease.remaining <= vm.end) {
    dropLater(state, lease, now);
    const after = chains.ending(vm, vm.finalEnd, lease.remaining, estimates.shutdown(lease));
    changeEnd(state, vm, (after[0] as Reservation).start, after);
    state.askForReevaluation();
    if (!vm.mustSuspend) return;
  }
  planRest(state, lease, now);
}

/** Replans the pieces after the running one. */
function planRest(state: SchedulerState, lease: Lease, now: Instant): void {
  dropLater(state, lease, now);
  const rest = restOf(lease);
  if (!rest || !planPiece(state, rest, now)) throw deadlineCannotBeMet(lease);
  state.askForReevaluation();
}

function planPiece(state: SchedulerState, piece: Piece, now: Instant): boolean {
  return schedulePiece(state, piece, now, (plan) => commitLater(state, piece.lease, plan));
}

/** It is fully suspended: its plan keeps its nodes if it fits there, otherwise it is replanned. */
function planSuspended(state: SchedulerState, lease: Lease, now: Instant): void {
  const { vm } = lease;
  if (vm && lease.later.length === 0 && keepPlace(state, lease, vm, now)) {
    state.askForReevaluation();
    return;
  }
  const withdrawn = vm ? withdrawPlan(state, lease, now) : { lease, held: [] };
  const isPlanned = schedulePiece(state, pieceOf(lease, now), now, (plan) => placeAnew(state, withdrawn, plan, now));
  if (!isPlanned) throw deadlineCannotBeMet(lease);
  state.askForReevaluation();
}
