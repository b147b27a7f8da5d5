import type { Lease, VmReservation } from '../model/lease.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { haveRemoved, heldByHosts, type Place } from '../placement/on-hosts.ts';
import type { SchedulerState } from '../state.ts';
import { hasMovablePlan } from '../vm/candidates.ts';
import { type Piece, pieceOf } from '../vm/piece.ts';
import type { Plan } from '../vm/plan.ts';

/** What a lease with a deadline has planned and not begun, taken out of the slot table on trial. */
export interface Promised {
  readonly lease: Lease;
  readonly piece: Piece;
  readonly vms: readonly VmReservation[];
  readonly held: readonly Place[];
}

/**
 * Takes out what leases with a deadline (or only one of them) have planned and not begun: whole plans, and the later
 * pieces of those that run.
 */
export function takePromised(
  state: SchedulerState,
  except: Lease,
  now: Instant,
  only: Lease | null = null,
): Promised[] {
  const leases = only ? [only] : [...state.leases.values()].filter(({ type }) => type === 'DEADLINE');
  return leases.flatMap((lease) => {
    if (lease === except) return [];
    if (hasMovablePlan(lease)) return [take(state, lease, lease.vms, pieceOf(lease, now))];
    const rest = restOf(lease);
    return rest && (only || lease.later.length > 0) ? [take(state, lease, lease.later, rest)] : [];
  });
}

/**
 * What a lease has to do after the VM that runs, or is brought back, ends in a suspension; null when nothing runs or
 * nothing is left.
 */
export function restOf(lease: Lease): Piece | null {
  const { vm } = lease;
  if (!vm?.mustSuspend) return null;
  const plannedBefore = vm.state === 'DONE' ? 0 : vm.end - vm.start;
  const memoryAt = new Map(vm.mapping.map((node, machine) => [machine, node] as const).slice(1));
  return {
    lease,
    saved: { memoryAt, diskAt: lease.diskAt },
    remaining: lease.remaining - plannedBefore,
    notBefore: vm.finalEnd,
    plannedBefore,
  };
}

function take(state: SchedulerState, lease: Lease, vms: readonly VmReservation[], piece: Piece): Promised {
  const held = lease.isSuspended || vms === lease.later ? [] : heldByHosts(lease);
  state.touch(lease);
  for (const vm of vms) state.table.withdrawChain(vm);
  if (vms[0] === lease.vm) lease.vm = null;
  lease.later = [];
  return { lease, piece, vms, held };
}

/** Puts back what was taken out, exactly where it was. */
export function putBack(state: SchedulerState, { lease, vms }: Promised): void {
  state.touch(lease);
  for (const vm of vms) state.table.restoreChain(vm);
  const [first, ...others] = vms;
  if (lease.vm) lease.later = vms;
  else {
    lease.vm = first ?? null;
    lease.later = others;
  }
}

export function takesItsOldPlace({ vm, victims }: Plan, { vms }: Promised): boolean {
  const [before, ...others] = vms;
  return (
    before !== undefined &&
    others.length === 0 &&
    victims.length === 0 &&
    vm.holdStart === before.holdStart &&
    vm.finalEnd === before.finalEnd &&
    vm.mapping.every((node, machine) => node === before.mapping[machine]) &&
    // Also in the same instances of each resource.
    [...vm.amounts].every(([node, amounts]) => amounts.every((amount, d) => amount === before.amounts.get(node)?.[d]))
  );
}

/** Gives a lease whose plan, or later pieces, were taken out a new plan for them. */
export function commitPromised(
  state: SchedulerState,
  promised: Promised,
  plan: Plan,
  now: Instant,
  reason: StateReason,
): void {
  const { lease, vms, held } = promised;
  for (const vm of vms) {
    state.table.give(vm);
    for (const reservation of vm.chain) state.stop(reservation, now);
  }
  state.noteDisplaced(lease);
  if (lease.vm) {
    commitLater(state, lease, plan);
    return;
  }
  state.transition(lease, lease.isSuspended ? 'SUSPENDED_PENDING' : 'PENDING', now, reason);
  commit(state, { ...plan, victims: [] }, now, reason);
  haveRemoved(
    state,
    lease,
    held.filter(([machine, node]) => lease.diskAt.get(machine) !== node),
    now,
  );
}

/** Reserves what a lease does after its present VM has ended in a suspension. */
export function commitLater(state: SchedulerState, lease: Lease, { vm }: Plan): void {
  state.touch(lease);
  lease.later = [vm];
  for (const reservation of vm.chain) state.identify(reservation);
  state.table.addChain(vm);
  state.log.lease(lease);
}

/** Takes back what a lease was to do after its present VM. */
export function dropLater(state: SchedulerState, lease: Lease, now: Instant): void {
  state.touch(lease);
  for (const vm of lease.later) {
    state.table.removeChain(vm);
    for (const reservation of vm.chain) state.stop(reservation, now);
  }
  lease.later = [];
  state.noteDisplaced(lease);
}

/** How much more time than it needs a lease has until its deadline, in multiples of what it needs; ties by id. */
export function byIncreasingSlack(
  now: Instant,
): (a: { readonly lease: Lease }, b: { readonly lease: Lease }) => number {
  return ({ lease: a }, { lease: b }) => slackOf(a, now) - slackOf(b, now) || a.id - b.id;
}

function slackOf({ deadline, remaining, vm }: Lease, now: Instant): number {
  const left = vm?.state === 'ACTIVE' ? remaining - (now - vm.start) : remaining;
  return ((deadline ?? now) - now - left) / Math.max(left, 1);
}
