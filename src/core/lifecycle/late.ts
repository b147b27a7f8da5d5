/**
 * Hosts that take longer than planned. A running operation is never cut off: its reservation is extended, and
 * reservations it collides with are replanned. Running time counts from the actual start of the machines.
 */
import { heldUntil, mayHoldUntil } from '../mapping/held-until.ts';
import type { Vector } from '../model/capacity.ts';
import type { Lease, Reservation, VmReservation } from '../model/lease.ts';
import { hostsLate } from '../model/reasons.ts';
import type { Instant, Millis, StateReason } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { failWhateverHappens } from '../placement/endings.ts';
import { haveRemoved } from '../placement/on-hosts.ts';
import type { SchedulerState } from '../state.ts';
import type { Plan } from '../vm/plan.ts';
import { planUntil } from '../vm/until.ts';
import { hasMachines, planAnew, settleWithoutPlace, type Taken, takePlans } from './nodes/plans.ts';
import { extendBy, isDraining, maxExtension } from './update/extension.ts';
import { runOnInPlace } from './update/running.ts';

interface UnderWay {
  readonly operation: Reservation;
  readonly vm: VmReservation;
}

/** The running operation with this number; null if there is none. */
export function operationUnderWay(lease: Lease, id: number): UnderWay | null {
  for (const vm of lease.vms) {
    const operation = vm.chain.find((each) => each.id === id);
    if (operation && operation !== vm && operation.state === 'ACTIVE') return { operation, vm };
  }
  return null;
}

/** Extends an operation to `until` and delays the rest of its chain by the same time. */
export function extendOperation(
  state: SchedulerState,
  lease: Lease,
  { operation, vm }: UnderWay,
  until: Instant,
  now: Instant,
): void {
  const delay = until - operation.end;
  if (delay <= 0) return;
  state.journal.attempt(() => {
    state.touch(lease);
    if (vm.after.includes(operation)) {
      moveChain(state, vm, () => shift(vm.after, operation, delay), now);
      return true;
    }
    const later = delayOfFollowing(vm.before, operation, delay);
    const ready = Math.max(until, ...vm.before.map((each) => each.end + (isAfter(each, operation) ? later : 0)));
    startLater(state, vm, Math.max(0, ready - vm.start), () => shift(vm.before, operation, delay), now);
    return true;
  });
}

/** The machines of a lease start later, and what comes before changes. */
export function startLater(
  state: SchedulerState,
  vm: VmReservation,
  late: Millis,
  changeBefore: () => void,
  now: Instant,
): void {
  const change = (): void => {
    changeBefore();
    vm.start += late;
    // Otherwise no running time would remain.
    if (vm.start >= vm.end) delayEnd(vm, late);
  };
  moveChain(state, vm, change, now);
  makeUpFor(state, vm.lease, vm, now);
}

/** Ends an extended operation: its nodes are free. */
export function finishOperation(state: SchedulerState, lease: Lease, { operation, vm }: UnderWay, now: Instant): void {
  if (operation.end <= now || !vm.after.includes(operation)) return;
  state.journal.attempt(() => {
    state.touch(lease);
    moveChain(state, vm, () => shift(vm.after, operation, now - operation.end), now);
    startPutOff(state, new Set(vm.amounts.keys()), now);
    state.askForReevaluation();
    return true;
  });
}

/** The machines of a lease have run since `at`, later than planned. */
export function startedLate(state: SchedulerState, lease: Lease, at: Instant, now: Instant): void {
  const { vm } = lease;
  if (lease.state !== 'ACTIVE' || vm?.state !== 'ACTIVE' || at <= vm.start) return;
  const isOver = at >= vm.end;
  // Its nodes are held from now on, whenever the machines start.
  const start = isOver ? vm.end : at;
  state.journal.attempt(() => {
    state.touch(lease);
    lease.actualStart = at;
    const change = (): void => {
      vm.start = start;
      if (isOver && lease.type !== 'ADVANCE_RESERVATION') delayEnd(vm, Math.max(0, at + lease.remaining - vm.end));
    };
    moveChain(state, vm, change, now);
    makeUpFor(state, lease, vm, now);
    return true;
  });
}

/** Moves the end of the VM and of the operations after it to later times. */
function delayEnd(vm: VmReservation, delay: Millis): void {
  vm.end += delay;
  for (const each of vm.after) {
    each.start += delay;
    each.end += delay;
  }
}

function isAfter(each: Reservation, operation: Reservation): boolean {
  return each.state === 'SCHEDULED' && each.start >= operation.end;
}

/** By how much the operations after one move that ends later: those that have time to spare keep their times. */
function delayOfFollowing(operations: readonly Reservation[], operation: Reservation, delay: Millis): Millis {
  if (delay <= 0) return delay;
  const next = Math.min(...operations.filter((each) => isAfter(each, operation)).map(({ start }) => start));
  return Math.max(0, operation.end + delay - next);
}

/** Moves the end of an operation, and the operations after it as far as necessary. */
function shift(operations: readonly Reservation[], operation: Reservation, delay: Millis): void {
  const following = operations.filter((each) => isAfter(each, operation));
  const later = delayOfFollowing(operations, operation, delay);
  operation.end += delay;
  for (const each of following) {
    each.start += later;
    each.end += later;
  }
}

/** Changes the times of a chain and replans reservations with which it now collides. */
export function moveChain(state: SchedulerState, vm: VmReservation, change: () => void, now: Instant): void {
  const { table } = state;
  const { lease } = vm;
  const { finalEnd } = vm;
  table.removeChain(vm);
  for (const reservation of vm.chain) state.journal.save(reservation);
  change();
  // The newly held intervals.
  const from = Math.max(finalEnd, vm.holdStart);
  const occupied = { lease, amounts: vm.amounts, from, to: vm.finalEnd, reason: hostsLate(lease.id) };
  const occupy = (): void => {
    table.addChain(vm);
    for (const reservation of vm.chain) if (reservation.state !== 'DONE') state.log.reservation(reservation);
    state.log.lease(lease);
  };
  makeWay(state, occupied, occupy, now);
}

/** What is held on nodes over [from, to) against the plan, and why. */
interface Occupied {
  /** The lease that holds it; null if it is not a live one. */
  readonly lease: Lease | null;
  readonly amounts: ReadonlyMap<number, Vector>;
  readonly from: Instant;
  readonly to: Instant;
  readonly reason: StateReason;
}

/** Replans what collides with what is held. `occupy` enters it into the slot table. */
export function makeWay(state: SchedulerState, occupied: Occupied, occupy: () => void, now: Instant): void {
  const { amounts, from, lease, reason, to } = occupied;
  const nodes = new Set(amounts.keys());
  const isTaken = to > from && heldUntil(state.table.nodes, amounts, from, to, new Set()) < to;
  // Operations in progress of a lease being resumed are not cut off, either.
  const spared = (each: Lease): boolean => each === lease || each.isBeingBroughtBack;
  const taken = isTaken ? takePlans(state, { nodes, start: from, end: to, reason }, now, spared) : [];
  occupy();
  if (isTaken) delayBroughtBack(state, occupied, nodes, now);
  const withoutPlace = planAnew(state, taken, [], reason, now);
  const others = withoutPlace.filter((each) => !startLate(state, each, to, reason, now));
  settleWithoutPlace(state, others, 'DISPLACE', [], reason, false, now);
  if (taken.length > 0) state.askForPass();
}

/** Leases being resumed on the nodes that would hold them before `to` are delayed to `to`. */
function delayBroughtBack(
  state: SchedulerState,
  { from, lease, to }: Occupied,
  nodes: ReadonlySet<number>,
  now: Instant,
): void {
  const isInTheWay = (each: Lease): boolean =>
    each !== lease && each.isBeingBroughtBack && !hasMachines(each) && isHeld(each.vm as VmReservation);
  const isHeld = (vm: VmReservation): boolean =>
    vm.holdStart < to && vm.finalEnd > from && vm.mapping.slice(1).some((node) => nodes.has(node));
  for (const other of [...state.leases.values()]) {
    // The ones before may have delayed it further.
    if (!isInTheWay(other)) continue;
    const vm = other.vm as VmReservation;
    const resumptions = vm.before.filter(({ kind }) => kind === 'RESUMPTION');
    const delay = to - vm.holdStart;
    const comeLater = (): void => {
      for (const each of resumptions) {
        state.journal.save(each);
        each.start += delay;
        each.end += delay;
      }
    };
    startLater(state, vm, delay, comeLater, now);
  }
}

/**
 * An advance reservation that cannot start on time starts as soon as possible, at the latest when its nodes are free at
 * `free`, and keeps its end.
 */
function startLate(
  state: SchedulerState,
  { held, later, lease }: Taken,
  free: Instant,
  reason: StateReason,
  now: Instant,
): boolean {
  const { requestedStart } = lease;
  if (lease.type !== 'ADVANCE_RESERVATION' || requestedStart === null || later || lease.isSuspended) return false;
  haveRemoved(state, lease, held, now);
  if (lease.state !== 'PENDING') state.transition(lease, 'PENDING', now, reason);
  const end = requestedStart + lease.duration;
  const starts = [Math.max(now, requestedStart), free];
  const plan = starts.reduce<Plan | null>(
    (found, start) => found ?? planUntil(state.planning, lease, end, start),
    null,
  );
  if (plan) commit(state, plan, now, reason);
  else failWhateverHappens(state, lease, now, reason);
  return true;
}

/** Adds missing running time at the end as far as possible; an advance reservation keeps its end. */
function makeUpFor(state: SchedulerState, lease: Lease, vm: VmReservation, now: Instant): void {
  // Replanned leases may have preempted it.
  if (lease.vm !== vm) return;
  if (lease.type === 'ADVANCE_RESERVATION' || vm.isCutShort || isDraining(state, vm)) return;
  const missing = unplannedTime(lease, vm);
  if (missing <= 0) return;
  const isSuspendable = lease.type === 'BEST_EFFORT' && state.planning.estimates.canSuspend(lease);
  if (isSuspendable && runOnInPlace(state, lease, vm, now)) return;
  // A suspended lease continues later.
  if (vm.mustSuspend) return;
  const change = lease.deadline === null ? missing : Math.min(missing, lease.deadline - vm.finalEnd);
  if (change <= 0 || extendBy(state, lease, vm, change, now)) return;
  const possible = maxExtension(state, lease, vm, change, now);
  if (possible > 0) extendBy(state, lease, vm, possible, now);
}

/** Running time of the lease that is planned nowhere; negative: time that is planned in excess. */
export function unplannedTime(lease: Lease, vm: VmReservation): Millis {
  const planned = lease.later.reduce((sum, each) => sum + each.end - each.start, 0);
  return vm.start + lease.remaining - planned - vm.end;
}

/** The machines start now, or when they were requested, if their nodes are free from then on. */
export function startEarlier(state: SchedulerState, vm: VmReservation, now: Instant): void {
  const { lease, start } = vm;
  const earliest = Math.max(now, lease.requestedStart ?? now);
  const isFree =
    earliest < start &&
    mayHoldUntil(state, vm, earliest, start) === start &&
    vm.mapping.slice(1).every((node) => state.table.nodes[node]?.isOpen(earliest, start));
  if (!isFree) return;
  state.touch(lease);
  const change = (): void => {
    vm.start = earliest;
    const beyond = lease.type === 'ADVANCE_RESERVATION' ? 0 : Math.min(0, unplannedTime(lease, vm));
    vm.end += beyond;
    for (const each of vm.after) {
      each.start += beyond;
      each.end += beyond;
    }
  };
  moveChain(state, vm, change, now);
}

/** Advance reservations that were put off on these nodes start as soon as the nodes are free. */
export function startPutOff(state: SchedulerState, nodes: ReadonlySet<number>, now: Instant): void {
  for (const { requestedStart, state: lease, type, vm } of [...state.leases.values()]) {
    if (type !== 'ADVANCE_RESERVATION' || lease !== 'READY' || !vm || requestedStart === null) continue;
    const isPutOff = vm.state === 'SCHEDULED' && vm.start > Math.max(now, requestedStart);
    if (isPutOff && vm.mapping.some((node) => nodes.has(node))) startEarlier(state, vm, now);
  }
}
