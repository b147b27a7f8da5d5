import type { ResourceSpace } from './model/capacity.ts';
import type { Lease } from './model/lease.ts';
import type { LeaseRecord, ReservationRecord } from './model/records.ts';
import {
  type Reservation,
  TransferReservation,
  transferTargets,
  VmReservation,
} from './model/reservation.ts';

/** A lease as plain data. */
export const leaseRecord = (lease: Lease): LeaseRecord => ({
  ...lease.terms,
  state: lease.state,
  reason: lease.reason,
  accumulated: lease.accumulated,
  actualStart: lease.actualStart,
  plannedStart: lease.vm?.state === 'SCHEDULED' ? lease.vm.start : null,
  endedAt: lease.endedAt,
  queueRank: lease.queueRank,
  isFuture: lease.isFuture,
  mapping: lease.mapping
    ? byMachine(lease.mapping.map((node, machine) => [machine, node] as const).slice(1))
    : null,
  memoryAt: byMachine(lease.memoryAt),
  diskAt: byMachine(lease.diskAt),
});

/** A reservation as plain data. */
export const reservationRecord = (space: ResourceSpace, reservation: Reservation): ReservationRecord => {
  const { vm } = reservation;
  const transfer = reservation instanceof TransferReservation ? reservation : null;
  return {
    id: reservation.id,
    leaseId: reservation.lease.id,
    kind: reservation.kind,
    state: reservation.state,
    start: reservation.start,
    end: reservation.end,
    amounts: Object.fromEntries(
      [...reservation.amounts].map(([node, vector]) => [node, space.amounts(vector)]),
    ),
    machines: machinesOf(reservation),
    moves:
      reservation.moves.length > 0
        ? Object.fromEntries(reservation.moves.map(([machine, from, to]) => [machine, [from, to]]))
        : null,
    waiting: transfer ? transferTargets(transfer.entries) : null,
    targets: transfer ? transferTargets(transfer.startedWith ?? transfer.entries) : null,
    image: transfer?.image ?? null,
    vmId: vm?.id ?? null,
    chainIndex: chainIndex(reservation),
    startRank: reservation.startRank,
    endRank: reservation.endRank,
  };
};

const machinesOf = (reservation: Reservation): Readonly<Record<string, number>> | null => {
  const vm = reservation instanceof VmReservation ? reservation : reservation.vm;
  if (!vm || reservation.moves.length > 0) return null;
  const machines =
    reservation === vm ? vm.mapping.map((_node, machine) => machine).slice(1) : reservation.machines;
  return byMachine(machines.map((machine) => [machine, vm.mapping[machine] as number] as const));
};

const chainIndex = (reservation: Reservation): number => {
  const { vm } = reservation;
  if (!vm) return 0;
  const before = vm.before.indexOf(reservation);
  return before >= 0 ? before - vm.before.length : vm.after.indexOf(reservation) + 1;
};

/** Machine -> node, keys ascending. */
const byMachine = (
  entries: Iterable<readonly [machine: number, node: number]>,
): Readonly<Record<string, number>> => Object.fromEntries([...entries].sort(([a], [b]) => a - b));
