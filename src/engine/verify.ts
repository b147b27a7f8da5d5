/**
 * Verifies the stored state: no node over capacity at any instant, every reservation belongs to a live lease, every
 * referenced node and lease exists. An inconsistent lease is excluded with all its reservations, so that the others can
 * continue.
 */
import {
  type ActionRecord,
  type Amounts,
  type Instant,
  type LeaseRecord,
  leaseTransitions,
  type ReservationKind,
  type ReservationRecord,
  type SiteSpec,
  type Snapshot,
} from '../core/index.ts';
import type { UnreadableRow } from './ports.ts';
import { missingParts } from './wholeness.ts';

export type FaultCode =
  /** A reservation of a lease that does not exist or has ended. */
  | 'ORPHAN_RESERVATION'
  | 'OVER_CAPACITY'
  | 'UNKNOWN_NODE'
  | 'INVALID_LEASE'
  | 'INVALID_RESERVATION'
  /** A row of the lease is unreadable, or its plan is incomplete. */
  | 'INCOMPLETE_LEASE'
  /** The scheduler rejects the lease for another reason. */
  | 'REFUSED_LEASE';

export interface Fault {
  readonly code: FaultCode;
  /** Null if it belongs to no lease. */
  readonly leaseId: number | null;
  readonly reservationId: number | null;
  /** Message text. */
  readonly message: string;
}

export interface Verified {
  readonly faults: readonly Fault[];
  /** Without the inconsistent rows. */
  readonly snapshot: Snapshot;
  /** Excluded leases. */
  readonly quarantined: ReadonlySet<number>;
}

/** Capacity held by machines. Bandwidth of migrations and transfers is not checked. */
const holdsMachines: ReadonlySet<ReservationKind> = new Set(['VM', 'SHUTDOWN', 'SUSPENSION', 'RESUMPTION']);

/** `unreadable`: rows missing from the snapshot because they are unreadable. */
export const verify = (site: SiteSpec, snapshot: Snapshot, unreadable: readonly UnreadableRow[] = []): Verified => {
  const faults: Fault[] = [];
  const nodes = new Map(site.nodes.map((node) => [node.number, node.capacity]));
  const leases = new Map(snapshot.leases.map((lease) => [lease.id, lease]));
  const incomplete = new Set(unreadable.map(({ leaseId }) => leaseId));
  const plans = new Map<number, ReservationRecord[]>(snapshot.leases.map(({ id }) => [id, []]));
  for (const reservation of snapshot.reservations) plans.get(reservation.leaseId)?.push(reservation);
  for (const lease of snapshot.leases) {
    const ofLease = leaseFaults(lease, snapshot, nodes, incomplete);
    // Unreadable rows are missing, too.
    const missing = ofLease.length > 0 ? [] : missingParts(lease, plans.get(lease.id) ?? []);
    faults.push(
      ...ofLease,
      ...missing.map((what) => ({
        code: 'INCOMPLETE_LEASE' as const,
        leaseId: lease.id,
        reservationId: null,
        message: `lease ${lease.id}: ${what}`,
      })),
    );
  }
  for (const reservation of snapshot.reservations)
    faults.push(...reservationFaults(reservation, leases, nodes, snapshot));
  const broken = new Set(faults.flatMap(({ leaseId }) => leaseId ?? []));

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
  const cachedImages = snapshot.site.cachedImages.filter(({ node, image }) => {
    if (nodes.has(node)) return true;
    const message = `the image ${image.name} is cached on node ${node}, which the site does not have`;
    faults.push({ code: 'UNKNOWN_NODE', leaseId: null, reservationId: null, message });
    return false;
  });
  if (faults.length === 0) return { faults, snapshot, quarantined: broken };
  return {
    faults,
    quarantined: broken,
    snapshot: {
      ...snapshot,
      site: { ...snapshot.site, cachedImages },
      leases: snapshot.leases.filter((lease) => !broken.has(lease.id)),
      reservations: snapshot.reservations.filter((each) => !broken.has(each.leaseId)),
    },
  };
};

/** Separates actions on unknown nodes. */
export const verifyActions = (
  site: SiteSpec,
  actions: readonly ActionRecord[],
): { readonly faults: readonly Fault[]; readonly sound: readonly ActionRecord[] } => {
  const nodes = new Set(site.nodes.map(({ number }) => number));
  const faults: Fault[] = [];
  const sound = actions.filter(({ id, leaseId, targets }) => {
    const named = targets.flatMap(({ node, toNode }) => (toNode === null ? [node] : [node, toNode]));
    const unknown = named.find((node) => !nodes.has(node));
    if (unknown === undefined) return true;
    const message = `action ${id} of lease ${leaseId}: the site has no node ${unknown}`;
    faults.push({ code: 'UNKNOWN_NODE', leaseId, reservationId: null, message });
    return false;
  });
  return { faults, sound };
};

type Nodes = ReadonlyMap<number, Amounts>;

const leaseFaults = (
  lease: LeaseRecord,
  { site }: Snapshot,
  nodes: Nodes,
  incomplete: ReadonlySet<number | null>,
): Fault[] => {
  const fault = (code: FaultCode, message: string): Fault => ({
    code,
    leaseId: lease.id,
    reservationId: null,
    message: `lease ${lease.id}: ${message}`,
  });
  const faults: Fault[] = [];
  if (incomplete.has(lease.id)) faults.push(fault('INCOMPLETE_LEASE', 'a row of it cannot be read'));
  if (lease.id > site.lastLeaseId) faults.push(fault('INVALID_LEASE', `the last lease is ${site.lastLeaseId}`));
  const next: readonly string[] | undefined = leaseTransitions[lease.state];
  if (!next) faults.push(fault('INVALID_LEASE', `unknown state ${String(lease.state)}`));
  else if (next.length === 0) faults.push(fault('INVALID_LEASE', `${lease.state} is a final state`));
  if (lease.machines.length === 0) faults.push(fault('INVALID_LEASE', 'it has no machines'));
  if (!(lease.duration > 0)) faults.push(fault('INVALID_LEASE', `duration ${lease.duration} ms`));
  for (const where of [lease.mapping ?? {}, lease.memoryAt, lease.diskAt]) {
    for (const [machine, node] of Object.entries(where)) {
      if (!nodes.has(node))
        faults.push(fault('UNKNOWN_NODE', `machine ${machine} is on node ${node}, which the site does not have`));
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
  // An image transfer may continue for leases other than its owner.
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
    faults.push(fault('INVALID_RESERVATION', `it ends (${instant(end)}) before it starts (${instant(start)})`));
  for (const node of nodesOf(reservation)) {
    if (!nodes.has(node)) faults.push(fault('UNKNOWN_NODE', `the site has no node ${node}`));
  }
  return faults;
};

/** The nodes of a reservation. The amounts of a transfer may also name the image repository, which is not a node. */
const nodesOf = ({ kind, amounts, machines, moves, waiting, targets }: ReservationRecord): Set<number> =>
  new Set(
    [
      ...(holdsMachines.has(kind) ? Object.keys(amounts) : []),
      ...Object.values(machines ?? {}),
      ...Object.values(moves ?? {}).flat(),
      ...Object.keys(waiting ?? {}),
      ...Object.keys(targets ?? {}),
    ].map(Number),
  );

/** By resource type; types that the site does not declare are not checked. */
type Capacity = ReadonlyMap<string, number | readonly number[]>;

/** Sweeps over the reservations of one node in time. Where they exceed its capacity, the youngest lease is excluded. */
const capacityFaults = (
  node: number,
  capacity: Capacity,
  reservations: readonly ReservationRecord[],
  broken: ReadonlySet<number>,
): (Fault & { readonly leaseId: number })[] => {
  const faults: (Fault & { readonly leaseId: number })[] = [];
  const out = new Set<number>();
  const changes = reservations
    .filter((each) => each.start < each.end)
    .flatMap((each) => [
      { at: each.start, order: 1, each },
      { at: each.end, order: 0, each },
    ])
    // Intervals are half-open: at the same instant, ends precede starts.
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

/**
 * Names the exceeded resource type and the excess; null when everything fits. Instances of a type are checked
 * separately.
 */
const exceeding = (capacity: Capacity, node: number, present: ReadonlySet<ReservationRecord>): string | null => {
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
