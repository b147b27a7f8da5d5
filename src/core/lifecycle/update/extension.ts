import { SchedulerError } from '../../errors.ts';
import { mayHoldUntil } from '../../mapping/held-until.ts';
import { type Lease, VmReservation } from '../../model/lease.ts';
import type { Instant, LeaseUpdate, Millis } from '../../model/records.ts';
import { formatDuration, SECOND } from '../../model/time.ts';
import { changeEnd } from '../../placement/change-end.ts';
import { quotaExceeded } from '../../policies/quotas.ts';
import { nothingToPrepare } from '../../preparation/preparation.ts';
import { takePromised } from '../../room/promised.ts';
import { type Claim, makeRoom } from '../../room/room.ts';
import type { SchedulerState } from '../../state.ts';
import { isInTheWay, leasesOn, plansInTheWay, preemptionCandidates } from '../../vm/candidates.ts';

/**
 * Extends a running lease in place. Reservations after its current end may be moved or preempted by rules L5 and D3;
 * otherwise the extension is blocked, or shortened to what is possible. The nodes are fixed, so no mapping is needed.
 */
export function extend(
  state: SchedulerState,
  lease: Lease,
  vm: VmReservation,
  change: Millis,
  update: LeaseUpdate,
  now: Instant,
): void {
  if (extendBy(state, lease, vm, change, now)) return;
  const possible = maxExtension(state, lease, vm, change, now);
  extendLess(state, lease, change, possible, update, vm);
  if (possible > 0) extendBy(state, lease, vm, possible, now);
}

/** Returns false if that is impossible; nothing has changed then. */
export function extendBy(
  state: SchedulerState,
  lease: Lease,
  vm: VmReservation,
  change: Millis,
  now: Instant,
): boolean {
  return makeRoom(state, extensionOf(state, lease, vm, change), now);
}

/** Refuses the extension, unless it may be shortened: then the duration becomes the maximum possible. */
export function extendLess(
  { quotas }: SchedulerState,
  lease: Lease,
  change: Millis,
  possible: Millis,
  { asFarAsPossible }: LeaseUpdate,
  vm: VmReservation,
): void {
  const maxDuration = lease.duration - change + possible;
  if (!asFarAsPossible) {
    const beyondQuota = quotas.whyBlocked(lease, vm.finalEnd, vm.finalEnd + change);
    const why = beyondQuota
      ? `Lease ${lease.id} cannot be extended: ${beyondQuota.message}. It`
      : `The nodes of lease ${lease.id} are taken after its end: it`;
    throw new SchedulerError(
      beyondQuota ? quotaExceeded : 'EXTENSION_BLOCKED',
      `${why} can last ${formatDuration(maxDuration)} at most.`,
      ['duration'],
      { maxDuration },
    );
  }
  lease.duration = maxDuration;
}

/** Whether one of the nodes is draining: leases on it are not extended (N1). */
export function isDraining(state: SchedulerState, vm: VmReservation): boolean {
  return vm.mapping.slice(1).some((node) => state.availability.stateOf(node) === 'DRAINING');
}

function extensionOf(state: SchedulerState, lease: Lease, vm: VmReservation, change: Millis): Claim {
  const { planning } = state;
  const from = vm.finalEnd;
  const to = from + change;
  return {
    lease,
    steps: [2, 3],
    movesPlans: true,
    starts: () => [from],
    candidates: () => () => displaceable(state, vm, from, to),
    at(_start, candidates) {
      const gone = new Set<Lease>();
      for (const candidate of [null, ...candidates(from, to)]) {
        if (candidate) gone.add(candidate);
        if (mayHoldUntil(state, vm, from, to, gone) < to) continue;
        const room = new VmReservation(lease, from, to, vm.amounts, vm.mapping);
        return { lease, vm: room, preparation: nothingToPrepare, victims: [...gone], isFuture: false };
      }
      return null;
    },
    commit() {
      const shutdown = planning.chains.shutdown(vm, to);
      changeEnd(state, vm, shutdown.start, [shutdown]);
    },
  };
}

/** On its nodes: plans of best-effort leases that have not started, and leases that this one may preempt by policy. */
function displaceable(
  { planning, policies }: SchedulerState,
  { amounts, lease }: VmReservation,
  from: Instant,
  to: Instant,
): Lease[] {
  const there = [...leasesOn(planning, amounts.keys(), from, to)].filter(
    (each) => each !== lease && isInTheWay(each, amounts, from, to),
  );
  const planned = plansInTheWay(planning, from, to, there);
  if (!policies.preemption.preempts(lease.view)) return planned;
  const others = preemptionCandidates(planning, lease, from, to, there);
  return [...planned, ...others.filter((each) => !planned.includes(each))];
}

/** The maximum possible extension, up to `change`. */
export function maxExtension(
  state: SchedulerState,
  lease: Lease,
  vm: VmReservation,
  change: Millis,
  now: Instant,
): Millis {
  const from = vm.finalEnd;
  const isPossible = (by: Millis): boolean => {
    let possible = false;
    state.journal.attempt(() => {
      possible = extendBy(state, lease, vm, by, now);
      return null;
    });
    return possible;
  };
  const limit = freeAtMost();
  if (limit === 0 || isPossible(limit)) return limit;
  let low = 0;
  let high = Math.ceil(limit / SECOND);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isPossible(middle * SECOND)) low = middle;
    else high = middle;
  }
  return low * SECOND;

  /** Ignoring everything that may be moved. */
  function freeAtMost(): Millis {
    let until = from;
    state.journal.attempt(() => {
      takePromised(state, lease, now);
      const gone = new Set(displaceable(state, vm, from, from + change));
      until = mayHoldUntil(state, vm, from, from + change, gone);
      return null;
    });
    return until - from;
  }
}
