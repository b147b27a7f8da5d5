import type { Reservation, TransferReservation, VmReservation } from '../model/lease.ts';
import { preempted, suspendedAsPlanned } from '../model/reasons.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { FOREVER } from '../model/time.ts';
import { endEarly, endLease } from '../placement/endings.ts';
import type { SchedulerState } from '../state.ts';
import { giveUp, nextGivingUp } from './giving-up.ts';
import { endCutShort } from './nodes/cut-short.ts';
import { nextPeriodEnd, passPeriods } from './quotas.ts';
import { reevaluateIfDue } from './re-evaluation.ts';

/** The next instant after a given one at which something is due; null when nothing is planned. */
export function nextDueAfter(state: SchedulerState, instant: Instant, inclusive: boolean): Instant | null {
  const { availability, table } = state;
  const next = Math.min(
    table.nextChangepoint(instant, inclusive) ?? FOREVER,
    table.nextPrematureEnd(instant, inclusive) ?? FOREVER,
    availability.nextBoundary(instant, inclusive) ?? FOREVER,
    nextGivingUp(state, instant, inclusive) ?? FOREVER,
    nextPeriodEnd(state, inclusive ? instant - 1 : instant) ?? FOREVER,
  );
  return next === FOREVER ? null : next;
}

/** Everything that is due at an instant. */
export function carryOutDue(state: SchedulerState, at: Instant): void {
  endPrematurely(state, at);
  endAndStart(state, at);
  if (state.availability.expire(at)) state.askForPass();
  passPeriods(state, at);
  giveUp(state, at);
  reevaluateIfDue(state, at);
}

/** (a) Machines that end by themselves at an instant, each followed by its re-evaluation. */
export function endPrematurely(state: SchedulerState, at: Instant): void {
  for (const vm of state.table.endingPrematurelyAt(at)) {
    if (vm.state !== 'ACTIVE' || !state.table.has(vm)) continue;
    endEarly(state, vm.lease, at);
    reevaluateIfDue(state, at);
  }
}

/**
 * (b) Reservations that end, then those that start, repeated until neither happens (an operation may take no time).
 * Zero-length suspensions and shutdowns complete before anything else starts, so that releases of a node precede its
 * next use.
 */
function endAndStart(state: SchedulerState, at: Instant): void {
  for (let busy = true; busy; ) {
    const ending = state.table.endingAt(at).filter((each) => each.state === 'ACTIVE');
    for (const reservation of ending) if (reservation.state === 'ACTIVE') end(state, reservation, at);
    const startable = state.table.startingAt(at).filter((each) => each.state === 'SCHEDULED' && mayStart(each));
    const starting = startable.some(freesAtOnce) ? startable.filter(freesAtOnce) : startable;
    for (const reservation of starting) if (reservation.state === 'SCHEDULED') start(state, reservation, at);
    busy = ending.length > 0 || starting.length > 0;
  }
}

function freesAtOnce({ kind, isNil }: Reservation): boolean {
  return isNil && (kind === 'SUSPENSION' || kind === 'SHUTDOWN');
}

/** All earlier reservations of its chain have ended; for a VM, its lease is also ready (R50). */
function mayStart(reservation: Reservation): boolean {
  if (reservation.kind === 'IMAGE_TRANSFER') return true;
  const vm = reservation.kind === 'VM' ? (reservation as VmReservation) : (reservation.vm as VmReservation);
  if (reservation.lease.vm !== vm) return false;
  for (const each of vm.chain) {
    if (each === reservation) break;
    if (each.state !== 'DONE') return false;
  }
  const { state } = reservation.lease;
  return reservation !== vm || state === 'READY' || state === 'RESUMED_READY';
}

const start = (state: SchedulerState, reservation: Reservation, at: Instant): void => {
  const { lease } = reservation;
  reservation.state = 'ACTIVE';
  state.log.reservation(reservation);
  // A transfer may outlive the lease for which it was started.
  if (!lease.isFinal) state.log.lease(lease);
  state.needsPass = true;
  const vm = reservation.vm as VmReservation;
  switch (reservation.kind) {
    case 'VM':
      startVm(state, reservation as VmReservation, at);
      break;
    case 'SHUTDOWN':
      state.log.action('SHUTDOWN', at, lease, reservation, state.targets(vm, reservation.machines));
      break;
    case 'SUSPENSION':
      for (const machine of reservation.machines) lease.memoryAt.set(machine, vm.mapping[machine] as number);
      state.log.action('SUSPEND', at, lease, reservation, state.targets(vm, reservation.machines));
      if (lease.state === 'ACTIVE') state.transition(lease, 'SUSPENDING', at, whySuspended(reservation));
      break;
    case 'RESUMPTION':
      for (const machine of reservation.machines) lease.memoryAt.delete(machine);
      state.log.action('RESUME', at, lease, reservation, state.targets(vm, reservation.machines));
      if (lease.state === 'SUSPENDED_SCHEDULED') state.transition(lease, 'RESUMING', at);
      break;
    case 'MEMORY_MIGRATION':
    case 'DISK_MIGRATION':
      state.log.action(
        'MIGRATE',
        at,
        lease,
        reservation,
        reservation.moves.map(([machine, from, to]) => state.target(lease, machine, from, to)),
      );
      break;
    case 'IMAGE_TRANSFER': {
      const transfer = reservation as TransferReservation;
      state.transfers.startTransfer(transfer, at);
      state.log.action(
        'PREPARE',
        at,
        lease,
        transfer,
        transfer.entries.map((entry) => state.target(entry.lease, entry.machine, entry.node)),
      );
    }
  }
};

const startVm = (state: SchedulerState, vm: VmReservation, at: Instant): void => {
  const { lease } = vm;
  state.setFuture(lease, false);
  if (lease.state === 'READY') {
    lease.actualStart = at;
    state.log.action('START', at, lease, vm, state.targets(vm, vm.mapping.map((_node, machine) => machine).slice(1)));
  }
  state.transition(lease, 'ACTIVE', at);
};

function whySuspended({ lease, preemptor }: Reservation): StateReason {
  return preemptor === null ? suspendedAsPlanned(lease.remaining) : preempted(preemptor, 'suspended', 0);
}

function vmOf(reservation: Reservation): VmReservation {
  return reservation as VmReservation;
}

const end = (state: SchedulerState, reservation: Reservation, at: Instant): void => {
  const { lease } = reservation;
  state.table.complete(reservation);
  reservation.state = 'DONE';
  state.log.reservation(reservation);
  if (!lease.isFinal) state.log.lease(lease);
  state.needsPass = true;
  const vm = reservation.vm as VmReservation;
  switch (reservation.kind) {
    case 'VM':
      // Its nodes may have been held longer than its machines ran.
      lease.accumulated += Math.min(at - reservation.start, lease.remaining);
      state.settle(reservation);
      if (vmOf(reservation).isCutShort) endCutShort(state, vmOf(reservation), at);
      break;
    case 'SHUTDOWN':
      endLease(state, lease, at);
      break;
    case 'SUSPENSION':
      if (vm.after.at(-1) === reservation) endSuspension(state, vm, at);
      break;
    case 'RESUMPTION':
      if (vm.before.at(-1) === reservation) state.transition(lease, 'RESUMED_READY', at);
      break;
    case 'MEMORY_MIGRATION':
      for (const [machine, , to] of reservation.moves) lease.memoryAt.set(machine, to);
      break;
    case 'DISK_MIGRATION':
      for (const [machine, , to] of reservation.moves) lease.diskAt.set(machine, to);
      break;
    case 'IMAGE_TRANSFER':
      state.transfers.endTransfer(reservation as TransferReservation, at);
  }
};

/** All its machines are saved: the rest of the lease returns to the queue. */
const endSuspension = (state: SchedulerState, vm: VmReservation, at: Instant): void => {
  const { lease } = vm;
  const { reason } = lease;
  const [next, ...others] = lease.later;
  lease.vm = next ?? null;
  lease.later = others;
  state.transition(lease, 'SUSPENDED_PENDING', at, reason);
  if (next) {
    // What follows was reserved together with the suspension (D3).
    for (const each of lease.vms) each.plannedBefore = Math.max(0, each.plannedBefore - (vm.end - vm.start));
    state.place(lease, next.mapping);
    state.transition(lease, 'SUSPENDED_SCHEDULED', at, reason);
    return;
  }
  // The following part has lost its place.
  if (lease.type === 'DEADLINE') {
    state.setWithoutPlace(lease, true);
    return;
  }
  state.transition(lease, 'SUSPENDED_QUEUED', at, reason);
  state.enqueue(lease);
};
