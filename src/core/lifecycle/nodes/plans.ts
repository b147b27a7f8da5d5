import { SchedulerError } from '../../errors.ts';
import type { Lease, VmReservation } from '../../model/lease.ts';
import type { Collisions, Instant, LeaseState, StateReason } from '../../model/records.ts';
import { failWhateverHappens } from '../../placement/endings.ts';
import { haveRemoved } from '../../placement/on-hosts.ts';
import { type Withdrawn, withdrawPlan } from '../../placement/plan-anew.ts';
import { planBestEffortAnew } from '../../room/best-effort-anew.ts';
import { scheduleAnew, schedulePiece } from '../../room/claims.ts';
import { byIncreasingSlack, commitLater, dropLater, restOf } from '../../room/promised.ts';
import type { SchedulerState } from '../../state.ts';
import { leasesOn } from '../../vm/candidates.ts';
import { type Lost, startAnew } from './lost-machines.ts';

/** Nodes closed over [start, end), with the reason. */
export interface Closure {
  readonly nodes: ReadonlySet<number>;
  readonly start: Instant;
  readonly end: Instant;
  readonly reason: StateReason;
}

/** A lease whose plan was withdrawn; with `later`, only the pieces after the running one. */
export interface Taken extends Withdrawn {
  readonly later: boolean;
}

const begun: ReadonlySet<LeaseState> = new Set(['ACTIVE', 'SUSPENDING', 'RESUMING', 'RESUMED_READY']);

/** Whether its machines exist now. */
export function hasMachines({ state }: Lease): boolean {
  return begun.has(state);
}

/** Whether its VM or an operation of its chain uses one of the nodes while they are closed. */
export function usesClosed(vm: VmReservation, { nodes, start, end }: Closure): boolean {
  // (Index 0 is no machine, and 0 no node.)
  if (!vm.mapping.some((node) => nodes.has(node))) {
    return vm.before.some(
      (each) =>
        each.start < end && each.end > start && each.moves.some(([, from, to]) => nodes.has(from) || nodes.has(to)),
    );
  }
  if (vm.holdStart < end && vm.finalEnd > start) return true;
  return vm.before.some((each) => each.moves.length > 0 && each.start < end && each.end >= start);
}

/** Withdraws every plan that uses the nodes while they are closed, except those of `spared` leases. */
export function takePlans(
  state: SchedulerState,
  closure: Closure,
  now: Instant,
  spared: (lease: Lease) => boolean = () => false,
): Taken[] {
  const taken: Taken[] = [];
  for (const lease of maybeConcerned(state, closure)) {
    if (spared(lease)) continue;
    if (hasMachines(lease)) {
      if (!lease.later.some((vm) => usesClosed(vm, closure))) continue;
      dropLater(state, lease, now);
      taken.push({ lease, held: [], later: true });
    } else if (lease.vms.some((vm) => usesClosed(vm, closure)) || receives(lease, closure)) {
      taken.push({ ...withdrawPlan(state, lease, now), later: false });
    }
  }
  return taken;
}

/** In order of their requests: those that hold something there, and all where copies are made from and to nodes. */
function maybeConcerned({ config, leases, planning }: SchedulerState, closure: Closure): Lease[] {
  if (config.migration !== 'no' || config.preparation !== 'unmanaged') return [...leases.values()];
  const { nodes, start, end } = closure;
  const there = new Set<number>();
  for (const { id } of leasesOn(planning, nodes, start, end)) there.add(id);
  const found: Lease[] = [];
  for (const [id, lease] of leases) if (there.has(id)) found.push(lease);
  return found;
}

/** Whether its image is transferred to one of the nodes while they are closed. */
function receives({ transfers, id }: Lease, { nodes, start, end }: Closure): boolean {
  for (const transfer of transfers) {
    if (transfer.start >= end || transfer.end <= start) continue;
    if (transfer.entries.some(({ lease, node }) => lease.id === id && nodes.has(node))) return true;
  }
  return false;
}

/**
 * Replans leases with withdrawn plans and restarts leases that lost their machines: advance reservations by start, then
 * leases with a deadline by slack, then best-effort leases by id (N2, N4). Returns those without a place.
 */
export function planAnew(
  state: SchedulerState,
  taken: readonly Taken[],
  lost: readonly Lost[],
  reason: StateReason,
  now: Instant,
): Taken[] {
  const withoutPlace: Taken[] = [];
  const keep = (each: Taken) => {
    if (!keepPromise(state, each, now, reason)) withoutPlace.push(each);
  };
  const exact = [...taken, ...lost].filter(
    ({ lease }) => lease.type === 'ADVANCE_RESERVATION' || lease.type === 'IMMEDIATE',
  );
  for (const each of exact.sort(byStart)) {
    if ('held' in each) keep(each);
    else startAnew(state, each, now, reason);
  }
  const promised = [...taken, ...lost].filter(({ lease }) => lease.type === 'DEADLINE');
  for (const each of promised.sort(byIncreasingSlack(now))) {
    if ('held' in each) keep(each);
    else startAnew(state, each, now, reason);
  }
  const bestEffort = taken.filter(({ lease }) => lease.type === 'BEST_EFFORT');
  for (const each of bestEffort.sort((a, b) => a.lease.id - b.lease.id)) planBestEffortAnew(state, each, now, reason);
  return withoutPlace;
}

function byStart({ lease: a }: { readonly lease: Lease }, { lease: b }: { readonly lease: Lease }): number {
  return (a.requestedStart ?? 0) - (b.requestedStart ?? 0) || a.id - b.id;
}

function keepPromise(state: SchedulerState, taken: Taken, now: Instant, reason: StateReason): boolean {
  const { lease } = taken;
  if (!taken.later) return scheduleAnew(state, taken, now, reason) === null;
  const rest = restOf(lease);
  return rest === null || schedulePiece(state, rest, now, (plan) => commitLater(state, lease, plan));
}

/** Handles promised leases without a place. Throws WOULD_DISPLACE if collisions are refused. */
export function settleWithoutPlace(
  state: SchedulerState,
  withoutPlace: readonly Taken[],
  collisions: Collisions,
  colliding: readonly Lease[],
  reason: StateReason,
  failsAtOnce: boolean,
  now: Instant,
): void {
  const broken = [...colliding, ...withoutPlace.map(({ lease }) => lease)];
  if (collisions === 'REFUSE' && broken.length > 0) throw wouldDisplace(broken);
  for (const { lease, held } of withoutPlace) {
    haveRemoved(state, lease, held, now);
    if (failsAtOnce || lease.type === 'IMMEDIATE') {
      failWhateverHappens(state, lease, now, reason);
      continue;
    }
    if (!hasMachines(lease)) {
      const waiting = lease.isSuspended ? 'SUSPENDED_PENDING' : 'PENDING';
      if (lease.state !== waiting) state.transition(lease, waiting, now, reason);
    }
    state.setWithoutPlace(lease, true);
  }
}

function wouldDisplace(leases: readonly Lease[]): SchedulerError {
  const ids = leases.map(({ id }) => id).sort((a, b) => a - b);
  return new SchedulerError(
    'WOULD_DISPLACE',
    `Leases that were promised a place would lose it: ${ids.join(', ')}.`,
    ['collisions'],
    { leases: ids },
  );
}
