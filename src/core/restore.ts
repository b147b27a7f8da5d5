import { SchedulerError } from './errors.ts';
import { makeLease } from './lifecycle/request.ts';
import type { Snapshot } from './model/changes.ts';
import {
  inEntryOrder,
  type Lease,
  Reservation,
  type TransferEntry,
  TransferReservation,
  VmReservation,
} from './model/lease.ts';
import type { LeaseRecord, ReservationRecord } from './model/records.ts';
import { leaseRecord, reservationRecord } from './snapshot.ts';
import type { SchedulerState } from './state.ts';

/** Fills an empty state with what a snapshot holds. Throws INTERNAL for a snapshot that contradicts itself. */
export const restore = (state: SchedulerState, snapshot: Snapshot): void => {
  state.availability.restore(snapshot.nodes ?? [], snapshot.maintenance ?? []);
  for (const quotas of snapshot.quotas ?? []) state.quotas.set(quotas);
  for (const record of snapshot.recurrences ?? []) state.recurrences.restore(record);
  for (const record of [...snapshot.leases].sort((a, b) => a.id - b.id)) restoreLease(state, record);
  const vms = new Map<number, VmReservation>();
  const inOrder = [...snapshot.reservations].sort((a, b) => a.startRank - b.startRank);
  for (const record of inOrder) if (record.kind === 'VM') vms.set(record.id, restoreVm(state, record));
  for (const [id, vm] of vmsThatEnded(state, inOrder, vms)) vms.set(id, vm);
  assign(vms.values());
  for (const record of [...inOrder].sort((a, b) => a.chainIndex - b.chainIndex)) {
    if (record.kind !== 'VM' && record.kind !== 'IMAGE_TRANSFER') restoreOperation(state, record, vms);
  }
  for (const vm of vms.values()) state.table.restoreChain(vm);
  for (const record of inOrder) if (record.kind === 'IMAGE_TRANSFER') restoreTransfer(state, record);
};

/** What `restore` makes the same state of. */
export function takeSnapshot(state: SchedulerState): Snapshot {
  const { exceptional, plannedMaintenance } = state.availability;
  const quotas = state.quotas.records(state.table.now);
  return {
    ...(quotas.length > 0 ? { quotas } : {}),
    ...(exceptional.length > 0 ? { nodes: exceptional } : {}),
    ...(plannedMaintenance.length > 0 ? { maintenance: plannedMaintenance } : {}),
    ...(state.recurrences.size > 0 ? { recurrences: state.recurrences.all } : {}),
    site: state.siteRecord(),
    leases: [...state.leases.values()].sort((a, b) => a.id - b.id).map(leaseRecord),
    reservations: [...state.table]
      .filter((each: Reservation) => each.state === 'SCHEDULED' || each.state === 'ACTIVE')
      .sort((a, b) => a.id - b.id)
      .map((each) => reservationRecord(state.space, each)),
  };
}

const restoreLease = (state: SchedulerState, record: LeaseRecord): void => {
  const lease = makeLease(state, record);
  lease.state = record.state;
  lease.reason = record.reason;
  lease.accumulated = record.accumulated;
  lease.restarts = record.restarts;
  lease.lostDuration = record.lostDuration;
  lease.actualStart = record.actualStart;
  lease.queueRank = record.queueRank;
  lease.isFuture = record.isFuture;
  lease.isWithoutPlace = record.isWithoutPlace;
  lease.preemptions = record.preemptions;
  lease.mapping = record.mapping ? mappingOf(record.mapping) : null;
  for (const [machine, node] of Object.entries(record.memoryAt)) lease.memoryAt.set(Number(machine), node);
  for (const [machine, node] of Object.entries(record.diskAt)) lease.diskAt.set(Number(machine), node);
  state.enter(lease);
  if (lease.state === 'PENDING') state.pending.add(lease);
  if (lease.queueRank !== null) state.queue.insert(lease);
  if (lease.isFuture) state.future.add(lease);
  if (lease.isWithoutPlace) state.withoutPlace.add(lease);
  state.needsPass ||= lease.state === 'PENDING' || lease.queueRank !== null;
};

const restoreVm = (state: SchedulerState, record: ReservationRecord): VmReservation => {
  const lease = state.live(record.leaseId);
  const vm = new VmReservation(
    lease,
    record.start,
    record.end,
    amountsOf(state, record),
    mappingOf(record.machines ?? {}),
  );
  vm.preemptor = record.preemptor;
  return known(state, vm, record);
};

/**
 * VMs that are over while their suspension or shutdown still runs are not in a snapshot: what comes after says what is
 * needed of them.
 */
const vmsThatEnded = (
  state: SchedulerState,
  records: readonly ReservationRecord[],
  present: ReadonlyMap<number, VmReservation>,
): Map<number, VmReservation> => {
  const ended = new Map<number, VmReservation>();
  for (const record of records) {
    if (record.vmId === null || present.has(record.vmId) || ended.has(record.vmId)) continue;
    const lease = state.live(record.leaseId);
    const vm = new VmReservation(lease, record.start, record.start, amountsOf(state, record), lease.mapping ?? []);
    vm.id = record.vmId;
    vm.state = 'DONE';
    ended.set(vm.id, vm);
  }
  return ended;
};

/** A lease has one VM that runs or is planned; with a deadline it may have more, which follow. */
function assign(vms: Iterable<VmReservation>): void {
  const inOrder = [...vms].sort((a, b) => a.start - b.start);
  for (const vm of inOrder) {
    const { lease } = vm;
    const [previous] = lease.vms.slice(-1);
    if (!previous) {
      lease.vm = vm;
      continue;
    }
    vm.plannedBefore = previous.plannedBefore + (previous.state === 'DONE' ? 0 : previous.end - previous.start);
    lease.later = [...lease.later, vm];
  }
}

const restoreOperation = (
  state: SchedulerState,
  record: ReservationRecord,
  vms: ReadonlyMap<number, VmReservation>,
): void => {
  const vm = record.vmId === null ? undefined : vms.get(record.vmId);
  if (!vm)
    throw new SchedulerError(
      'INTERNAL',
      `reservation ${record.id} belongs to VM reservation ${record.vmId}, which is not there`,
    );
  const operation = new Reservation(
    vm.lease,
    record.kind,
    record.start,
    record.end,
    operationAmounts(state, record, vm),
  );
  operation.vm = vm;
  operation.preemptor = record.preemptor;
  operation.machines = record.moves ? [] : Object.keys(record.machines ?? {}).map(Number);
  operation.moves = Object.entries(record.moves ?? {}).map(
    ([machine, [from, to]]) => [Number(machine), from, to] as const,
  );
  (record.chainIndex < 0 ? vm.before : vm.after).push(operation);
  known(state, operation, record);
};

const operationAmounts = (state: SchedulerState, record: ReservationRecord, vm: VmReservation) =>
  record.moves ? amountsOf(state, record) : vm.amounts;

const restoreTransfer = (state: SchedulerState, record: ReservationRecord): void => {
  const { image } = record;
  if (!image) throw new SchedulerError('INTERNAL', `reservation ${record.id} transfers no image`);
  // Its owner may have ended while others wait for it: it still counts as the lease that holds the channel.
  const owner = state.leases.get(record.leaseId) ?? formerLease(state, record.leaseId);
  const transfer = new TransferReservation(owner, record.start, record.end, amountsOf(state, record), image);
  transfer.entries = entriesOf(state, record.waiting ?? {});
  if (record.state === 'ACTIVE') transfer.startedWith = entriesOf(state, record.targets ?? {});
  known(state, transfer, record);
  state.transfers.restore(transfer);
};

const entriesOf = (state: SchedulerState, targets: NonNullable<ReservationRecord['targets']>): TransferEntry[] =>
  inEntryOrder(
    Object.entries(targets).flatMap(([node, pairs]) =>
      pairs.map(([id, machine]) => ({
        lease: state.leases.get(id) ?? formerLease(state, id),
        machine,
        node: Number(node),
      })),
    ),
  );

const formerLease = (state: SchedulerState, id: number): Lease => {
  const lease = makeLease(state, {
    id,
    name: null,
    type: 'BEST_EFFORT',
    submittedAt: 0,
    requestedStart: null,
    deadline: null,
    originalDuration: 0,
    duration: 0,
    knownDuration: null,
    preemptible: false,
    machines: [{}],
    image: null,
    owner: null,
    project: null,
    occurrenceOf: null,
  });
  lease.state = 'CANCELLED';
  return lease;
};

const known = <T extends Reservation>(state: SchedulerState, reservation: T, record: ReservationRecord): T => {
  reservation.id = record.id;
  reservation.state = record.state;
  reservation.chainIndex = record.chainIndex;
  reservation.startRank = record.startRank;
  reservation.endRank = record.endRank;
  state.log.stored(reservation);
  return reservation;
};

const amountsOf = (state: SchedulerState, record: ReservationRecord) =>
  new Map(
    Object.entries(record.amounts).map(([node, amounts]) => [Number(node), state.space.vector(amounts)] as const),
  );

/** Machine -> node by index. */
const mappingOf = (machines: Readonly<Record<string, number>>): number[] => {
  const mapping = [0];
  for (const [machine, node] of Object.entries(machines)) mapping[Number(machine)] = node;
  return mapping;
};
