import type { ResourceSpace, Vector } from './model/capacity.ts';
import {
  type Lease,
  type Mapping,
  type Reservation,
  TransferReservation,
  transferTargets,
  VmReservation,
} from './model/lease.ts';
import type { Amounts, LeaseRecord, ReservationRecord } from './model/records.ts';

/**
 * A lease as plain data. (Each field by name: this is done with every change, and spreading the terms takes three times
 * as long.)
 */
export const leaseRecord = (lease: Lease): LeaseRecord => ({
  id: lease.id,
  name: lease.name,
  type: lease.type,
  submittedAt: lease.submittedAt,
  requestedStart: lease.requestedStart,
  deadline: lease.deadline,
  originalDuration: lease.terms.originalDuration,
  duration: lease.duration,
  knownDuration: lease.knownDuration,
  preemptible: lease.preemptible,
  machines: lease.terms.machines,
  image: lease.image,
  owner: lease.terms.owner,
  project: lease.terms.project,
  endNotice: lease.endNotice,
  occurrenceOf: lease.terms.occurrenceOf,
  state: lease.state,
  reason: lease.reason,
  accumulated: lease.accumulated,
  restarts: lease.restarts,
  lostDuration: lease.lostDuration,
  actualStart: lease.actualStart,
  plannedStart: lease.vm?.state === 'SCHEDULED' ? lease.vm.start : null,
  endedAt: lease.endedAt,
  queueRank: lease.queueRank,
  isFuture: lease.isFuture,
  isWithoutPlace: lease.isWithoutPlace,
  preemptions: lease.preemptions,
  mapping: lease.mapping ? mappingRecord(lease.mapping) : null,
  memoryAt: lease.memoryAt.size > 0 ? byMachine(lease.memoryAt) : nowhere,
  diskAt: lease.diskAt.size > 0 ? byMachine(lease.diskAt) : nowhere,
});

const nowhere: Readonly<Record<string, number>> = {};

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
    amounts: amountsRecord(space, reservation.amounts),
    machines: machinesOf(reservation),
    moves:
      reservation.moves.length > 0
        ? Object.fromEntries(reservation.moves.map(([machine, from, to]) => [machine, [from, to]]))
        : null,
    waiting: transfer ? transferTargets(transfer.entries) : null,
    targets: transfer ? transferTargets(transfer.startedWith ?? transfer.entries) : null,
    image: transfer?.image ?? null,
    vmId: vm?.id ?? null,
    preemptor: reservation.preemptor,
    chainIndex: reservation.chainIndex,
    startRank: reservation.startRank,
    endRank: reservation.endRank,
  };
};

const machinesOf = (reservation: Reservation): Readonly<Record<string, number>> | null => {
  const vm = reservation instanceof VmReservation ? reservation : reservation.vm;
  if (!vm || reservation.moves.length > 0) return null;
  if (reservation === vm || reservation.kind === 'SHUTDOWN') return mappingRecord(vm.mapping);
  return byMachine(reservation.machines.map((machine) => [machine, vm.mapping[machine] as number] as const));
};

// Mappings and amounts never change once made, are shared along a chain, and are asked for with every change of a
// lease: their plain form is made once.

const mappingRecords = new WeakMap<Mapping, Readonly<Record<string, number>>>();
const nodeAmounts = new WeakMap<ReadonlyMap<number, Vector>, Readonly<Record<string, Amounts>>>();
const vectorAmounts = new WeakMap<Vector, Amounts>();

const mappingRecord = (mapping: Mapping): Readonly<Record<string, number>> =>
  remember(mappingRecords, mapping, () => {
    const record: Record<number, number> = {};
    for (let machine = 1; machine < mapping.length; machine += 1) record[machine] = mapping[machine] as number;
    return record;
  });

const amountsRecord = (space: ResourceSpace, amounts: ReadonlyMap<number, Vector>) =>
  remember(nodeAmounts, amounts, () =>
    Object.fromEntries(
      [...amounts].map(([node, vector]) => [node, remember(vectorAmounts, vector, () => space.amounts(vector))]),
    ),
  );

const remember = <K extends object, V>(memory: WeakMap<K, V>, key: K, make: () => V): V => {
  let value = memory.get(key);
  if (value === undefined) {
    value = make();
    memory.set(key, value);
  }
  return value;
};

/** Machine -> node, keys ascending. */
const byMachine = (entries: Iterable<readonly [machine: number, node: number]>): Readonly<Record<string, number>> =>
  Object.fromEntries([...entries].sort(([a], [b]) => a - b));
