/**
 * Whether what was stored can be true: no node over capacity at any instant, every reservation of a live lease, every name of a
 * node or a lease known. A lease that cannot be true is left out with all its reservations, so that the others go on.
 */
import {
  type Amounts,
  type Instant,
  type LeaseRecord,
  leaseTransitions,
  type ReservationKind,
  type ReservationRecord,
  type SiteSpec,
  type Snapshot,
} from '../core/index.ts';

export type FaultCode =
  /** A reservation of a lease that is not there or has ended. */
  | 'ORPHAN_RESERVATION'
  | 'OVER_CAPACITY'
  | 'UNKNOWN_NODE'
  | 'INVALID_LEASE'
  | 'INVALID_RESERVATION'
  /** The scheduler does not take it, though nothing else is wrong with it. */
  | 'REFUSED_LEASE';

export interface Fault {
  readonly code: FaultCode;
  readonly leaseId: number;
  readonly reservationId: number | null;
  /** A sentence for people. */
  readonly message: string;
}

export interface Verified {
  readonly faults: readonly Fault[];
  /** Without what is at fault. */
  readonly snapshot: Snapshot;
  /** Leases that were left out. */
  readonly quarantined: ReadonlySet<number>;
}

/** What its machines hold; migrations and transfers reserve bandwidth that is never checked. */
const holdsMachines: ReadonlySet<ReservationKind> = new Set(['VM', 'SHUTDOWN', 'SUSPENSION', 'RESUMPTION']);

export const verify = (site: SiteSpec, snapshot: Snapshot): Verified => {
  const faults: Fault[] = [];
  const nodes = new Map(site.nodes.map((node) => [node.number, node.capacity]));
  const leases = new Map(snapshot.leases.map((lease) => [lease.id, lease]));
  for (const lease of snapshot.leases) faults.push(...leaseFaults(lease, snapshot, nodes));
  for (const reservation of snapshot.reservations)
    faults.push(...reservationFaults(reservation, leases, nodes, snapshot));
  const broken = new Set(faults.map((fault) => fault.leaseId));

  const onNode = new Map<number, ReservationRecord[]>(site.nodes.map((node) => [node.number, []]));
  for (const reservation of snapshot.reservations) {
    if (!holdsMachines.has(reservation.kind) || broken.has(reservation.leaseId)) continue;
    for (const node of Object.keys(reservation.amounts)) onNode.get(Number(node))?.push(reservation);
  }
  for (const node of site.nodes) {
    const capacity = new Map(site.resourceTypes.map((type) => [type, node.capacity[type] ?? 0]));
    for (const fault of capacityFaults(node.number, capacity, onNode.get(node.number) ?? [], broken)) {
      faults.push(fault);
      broken.add(fault.leaseId);
    }
  }
  if (faults.length === 0) return { faults, snapshot, quarantined: broken };
  return {
    faults,
    quarantined: broken,
    snapshot: {
      site: snapshot.site,
      leases: snapshot.leases.filter((lease) => !broken.has(lease.id)),
      reservations: snapshot.reservations.filter((each) => !broken.has(each.leaseId)),
    },
  };
};

type Nodes = ReadonlyMap<number, Amounts>;

const leaseFaults = (lease: LeaseRecord, { site }: Snapshot, nodes: Nodes): Fault[] => {
  const fault = (code: FaultCode, message: string): Fault => ({
    code,
    leaseId: lease.id,
    reservationId: null,
    message: `lease ${lease.id}: ${message}`,
  });
  const faults: Fault[] = [];
  if (lease.id > site.lastLeaseId)
    faults.push(fault('INVALID_LEASE', `the last lease is ${site.lastLeaseId}`));
  const next: readonly string[] | undefined = leaseTransitions[lease.state];
  if (!next) faults.push(fault('INVALID_LEASE', `unknown state ${String(lease.state)}`));
  else if (next.length === 0) faults.push(fault('INVALID_LEASE', `${lease.state} is a final state`));
  if (lease.machines.length === 0) faults.push(fault('INVALID_LEASE', 'it has no machines'));
  if (!(lease.duration > 0)) faults.push(fault('INVALID_LEASE', `duration ${lease.duration} ms`));
  for (const where of [lease.mapping ?? {}, lease.memoryAt, lease.diskAt]) {
    for (const [machine, node] of Object.entries(where)) {
      if (!nodes.has(node))
        faults.push(
          fault('UNKNOWN_NODE', `machine ${machine} is on node ${node}, which the site does not have`),
        );
    }
  }
  return faults;
};

const reservationFaults = (
  reservation: ReservationRecord,
  leases: ReadonlyMap<number, LeaseRecord>,
  nodes: Nodes,
  { site }: Snapshot,
): Fault[] => {
  const { id, leaseId, kind, state, start, end } = reservation;
  const fault = (code: FaultCode, message: string): Fault => ({
    code,
    leaseId,
    reservationId: id,
    message: `reservation ${id} (${kind} of lease ${leaseId}): ${message}`,
  });
  // An image transfer may go on for leases other than the one that it was planned for.
  const served = Object.values(reservation.targets ?? {}).flat();
  if (!leases.has(leaseId) && !served.some(([lease]) => leases.has(lease))) {
    return [fault('ORPHAN_RESERVATION', 'its lease is not among the live ones')];
  }
  const faults: Fault[] = [];
  if (id > site.lastReservationId)
    faults.push(fault('INVALID_RESERVATION', `the last reservation is ${site.lastReservationId}`));
  if (state !== 'SCHEDULED' && state !== 'ACTIVE')
    faults.push(fault('INVALID_RESERVATION', `${state} is a final state`));
  if (!(start <= end))
    faults.push(
      fault('INVALID_RESERVATION', `it ends (${instant(end)}) before it starts (${instant(start)})`),
    );
  if (holdsMachines.has(kind)) {
    for (const node of Object.keys(reservation.amounts)) {
      if (!nodes.has(Number(node))) faults.push(fault('UNKNOWN_NODE', `the site has no node ${node}`));
    }
  }
  return faults;
};

/** By resource type; types that the site does not declare are not checked. */
type Capacity = ReadonlyMap<string, number | readonly number[]>;

/** Sweeps over one node's reservations in time; where they exceed its capacity, the youngest lease is at fault. */
const capacityFaults = (
  node: number,
  capacity: Capacity,
  reservations: readonly ReservationRecord[],
  broken: ReadonlySet<number>,
): Fault[] => {
  const faults: Fault[] = [];
  const out = new Set<number>();
  const changes = reservations
    .filter((each) => each.start < each.end)
    .flatMap((each) => [
      { at: each.start, order: 1, each },
      { at: each.end, order: 0, each },
    ])
    // Intervals are half-open: at one instant ends come first.
    .sort((a, b) => a.at - b.at || a.order - b.order || a.each.id - b.each.id);
  const present = new Set<ReservationRecord>();
  for (const { at, order, each } of changes) {
    if (order === 0) present.delete(each);
    else if (!out.has(each.leaseId) && !broken.has(each.leaseId)) present.add(each);
    for (
      let exceeded = order === 1 ? exceeding(capacity, node, present) : null;
      exceeded;
      exceeded = exceeding(capacity, node, present)
    ) {
      const youngest = [...present].reduce((a, b) => (b.leaseId > a.leaseId ? b : a));
      out.add(youngest.leaseId);
      for (const other of [...present]) if (other.leaseId === youngest.leaseId) present.delete(other);
      faults.push({
        code: 'OVER_CAPACITY',
        leaseId: youngest.leaseId,
        reservationId: youngest.id,
        message: `node ${node} is over capacity at ${instant(at)}: ${exceeded}; reservation ${youngest.id} (${youngest.kind} of lease ${youngest.leaseId}) is the youngest there`,
      });
    }
  }
  return faults;
};

/** Says which type is exceeded by how much; null when all fit. Of a type with several instances each counts for itself. */
const exceeding = (
  capacity: Capacity,
  node: number,
  present: ReadonlySet<ReservationRecord>,
): string | null => {
  for (const [type, amount] of capacity) {
    const has = instancesOf(amount);
    const used: number[] = [];
    for (const { amounts } of present) {
      instancesOf(amounts[node]?.[type] ?? 0).forEach((each, instance) => {
        used[instance] = (used[instance] ?? 0) + each;
      });
    }
    const instance = used.findIndex((each, index) => each > (has[index] ?? 0));
    if (instance >= 0) return `${type} ${used[instance]} of ${has[instance] ?? 0}`;
  }
  return null;
};

const instancesOf = (amount: number | readonly number[]): readonly number[] =>
  typeof amount === 'number' ? [amount] : amount;

const instant = (at: Instant): string => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
};
