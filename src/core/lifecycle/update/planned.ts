import { SchedulerError } from '../../errors.ts';
import { rulesOf } from '../../lease-types/table.ts';
import { mayHoldUntil } from '../../mapping/held-until.ts';
import type { Lease, VmReservation } from '../../model/lease.ts';
import type { Instant, StateReason } from '../../model/records.ts';
import { withdrawPlan } from '../../placement/plan-anew.ts';
import { quotaExceeded } from '../../policies/quotas.ts';
import { planBestEffortAnew } from '../../room/best-effort-anew.ts';
import { scheduleAnew } from '../../room/claims.ts';
import type { SchedulerState } from '../../state.ts';
import { deadlineCannotBeMet } from './terms.ts';

/**
 * Updates a lease whose machines have not started: it keeps its place if it fits there, otherwise it is replanned (L3).
 */
export function updatePlanned(state: SchedulerState, lease: Lease, now: Instant): void {
  if (lease.isWithoutPlace) {
    const refusal = scheduleAnew(state, { lease, held: [] }, now);
    if (refusal) throw refused(lease, refusal.notSchedulable);
  } else if (lease.vm) {
    if (!keepPlace(state, lease, lease.vm, now)) planAnew(state, lease, now);
    state.askForReevaluation();
  } else {
    checkRequest(state, lease, now);
  }
}

/** It is waiting for a pass or in the queue, and keeps its position. */
function checkRequest(state: SchedulerState, lease: Lease, now: Instant): void {
  const impossible = rulesOf(lease.type).whyImpossible(state, lease, now);
  const isLate = lease.type === 'ADVANCE_RESERVATION' && (lease.requestedStart as Instant) < now;
  if (impossible || isLate) throw refused(lease, impossible ?? startPassed);
}

function planAnew(state: SchedulerState, lease: Lease, now: Instant): void {
  const withdrawn = withdrawPlan(state, lease, now);
  if (lease.type === 'BEST_EFFORT') {
    planBestEffortAnew(state, withdrawn, now);
    return;
  }
  const refusal = scheduleAnew(state, withdrawn, now);
  if (refusal) throw refused(lease, refusal.notSchedulable);
}

const startPassed: StateReason = { code: 'START_PASSED', message: 'its start has passed' };

function refused(lease: Lease, { code, message }: StateReason): SchedulerError {
  const isBeyondQuota = code === quotaExceeded;
  if (lease.type === 'DEADLINE' && !isBeyondQuota) return deadlineCannotBeMet(lease);
  return new SchedulerError(
    isBeyondQuota ? quotaExceeded : 'NOT_SCHEDULABLE',
    `Lease ${lease.id} cannot be planned with these terms: ${message}.`,
  );
}

/**
 * Adjusts the times of a plan that has not begun to the new terms, on the same nodes. Returns false if it does not fit;
 * nothing has changed then.
 */
export function keepPlace(state: SchedulerState, lease: Lease, vm: VmReservation, now: Instant): boolean {
  const { table, planning } = state;
  return (
    state.journal.attempt(() => {
      table.withdrawChain(vm);
      table.give(vm);
      const { estimates } = planning;
      const shutdown = estimates.shutdown(lease);
      const start = startOf(lease, vm, now);
      if (start < now || [...lease.transfers].some((transfer) => transfer.end > start)) return null;
      const resumed = vm.start - vm.holdStart;
      const isExact = lease.type === 'ADVANCE_RESERVATION' && !lease.isSuspended;
      const length = isExact ? lease.duration : resumed + lease.remaining + shutdown;
      const reach = mayHoldUntil(state, vm, start, start + length);
      const isWhole = reach === start + length;
      if (!isWhole && !maySuspendAt(state, lease, reach - start, now)) return null;
      if (lease.deadline !== null && reach > lease.deadline) return null;
      const replaced = vm.after;
      state.journal.save(vm);
      vm.start = start + resumed;
      vm.after = isExact
        ? [planning.chains.shutdown(vm, reach)]
        : planning.chains.ending(vm, reach, lease.remaining, shutdown);
      vm.end = vm.after[0]?.start ?? reach;
      if (vm.end < vm.start) return null;
      for (const reservation of vm.after) state.identify(reservation);
      for (const reservation of replaced) state.log.withdraw(reservation);
      table.addChain(vm);
      for (const reservation of vm.chain) if (reservation.state !== 'DONE') state.log.reservation(reservation);
      return true;
    }) ?? false
  );
}

/** Start of its hold on the nodes. */
function startOf(lease: Lease, vm: VmReservation, now: Instant): Instant {
  if (lease.isSuspended) return vm.holdStart;
  if (lease.type === 'ADVANCE_RESERVATION') return lease.requestedStart as Instant;
  return lease.type === 'DEADLINE' ? Math.max(vm.start, lease.requestedStart ?? now) : vm.start;
}

/** Whether a stay that ends in a suspension is acceptable (R8). */
function maySuspendAt(
  { planning: { estimates } }: SchedulerState,
  lease: Lease,
  reach: number,
  _now: Instant,
): boolean {
  if (lease.type !== 'BEST_EFFORT' && !(lease.isSuspended && lease.type === 'ADVANCE_RESERVATION')) return false;
  if (!estimates.canSuspend(lease)) return false;
  const resuming = lease.isSuspended;
  const maxReach = lease.remaining + (resuming ? estimates.resume(lease) : 0);
  return reach >= estimates.threshold(lease, resuming) && reach <= maxReach;
}
