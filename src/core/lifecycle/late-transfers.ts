/**
 * Image transfers that take longer than planned. The copies that come after them come later, and leases start when
 * their images are there, on the nodes that they have.
 */

import type { Lease, TransferReservation } from '../model/lease.ts';
import { hostsLate } from '../model/reasons.ts';
import type { Instant } from '../model/records.ts';
import { failWhateverHappens } from '../placement/endings.ts';
import { withdrawPlan } from '../placement/plan-anew.ts';
import type { SchedulerState } from '../state.ts';
import { startEarlier, startLater, unplannedTime } from './late.ts';
import { planAnew, settleWithoutPlace } from './nodes/plans.ts';

/** A transfer that is going on lasts until `until`. */
export function extendTransfer(
  state: SchedulerState,
  transfer: TransferReservation,
  until: Instant,
  now: Instant,
): void {
  if (until <= transfer.end) return;
  state.journal.attempt(() => {
    const delayed = state.transfers.extend(transfer, until);
    for (const each of delayed) state.log.reservation(each);
    for (const each of delayed) for (const lease of leasesOf(each)) waitForImage(state, lease, each, now);
    return true;
  });
}

/** A transfer that was extended is over: its leases start as soon as their nodes are free. */
export function finishTransfer(state: SchedulerState, transfer: TransferReservation, now: Instant): void {
  const { end } = transfer;
  if (end <= now) return;
  state.journal.attempt(() => {
    state.transfers.extend(transfer, now);
    state.log.reservation(transfer);
    for (const lease of leasesOf(transfer)) {
      if (lease.transfers.size === 1 && lease.vm?.start === end) startEarlier(state, lease.vm, now);
    }
    state.askForReevaluation();
    return true;
  });
}

function leasesOf({ entries }: TransferReservation): Set<Lease> {
  return new Set(entries.map(({ lease }) => lease));
}

function waitForImage(state: SchedulerState, lease: Lease, transfer: TransferReservation, now: Instant): void {
  const { vm } = lease;
  const late = vm?.state === 'SCHEDULED' ? transfer.end - vm.start : 0;
  // What was planned anew on its nodes may have taken its plan.
  if (!vm || late <= 0 || !lease.transfers.has(transfer)) return;
  const reason = hostsLate(lease.id);
  if (lease.type === 'ADVANCE_RESERVATION') {
    // It ends when it was to end.
    if (transfer.end >= vm.end) failWhateverHappens(state, lease, now, reason);
    else startLater(state, vm, late, () => {}, now);
    return;
  }
  startLater(state, vm, late, () => {}, now);
  const isReplanned = lease.type === 'BEST_EFFORT' || lease.type === 'DEADLINE';
  if (lease.vm !== vm || vm.mustSuspend || !isReplanned || unplannedTime(lease, vm) <= 0) return;
  // On these nodes it would not run for its whole time.
  const taken = [{ ...withdrawPlan(state, lease, now), later: false }];
  const withoutPlace = planAnew(state, taken, [], reason, now);
  settleWithoutPlace(state, withoutPlace, 'DISPLACE', [], reason, false, now);
}
