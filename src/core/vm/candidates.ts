import type { Lease, Reservation, VmReservation } from '../model/lease.ts';
import type { Instant, LeaseState } from '../model/records.ts';
import { NEVER } from '../policies/preemption.ts';
import type { NodeProfile, Segment } from '../slot-table/node-profile.ts';
import type { Planning } from './plan.ts';

const PREEMPTABLE: ReadonlySet<LeaseState> = new Set(['SCHEDULED', 'READY', 'ACTIVE', 'SUSPENDED_SCHEDULED']);

/**
 * The leases that may be preempted for one that would run over [start, end), most preemptable first: score descending,
 * then id descending (R11, R12, R13, R53).
 */
export const preemptionCandidates = (
  planning: Planning,
  lease: Lease,
  start: Instant,
  end: Instant,
  among: Iterable<Lease> = planning.planned(),
): Lease[] => {
  const scored: { candidate: Lease; score: number }[] = [];
  for (const candidate of among) {
    if (!candidate.preemptible || !PREEMPTABLE.has(candidate.state) || candidate.isBeingBroughtBack) continue;
    // What was promised by a deadline is only moved so that it is kept.
    if (candidate.type === 'DEADLINE' || isLeftAlone(planning, candidate)) continue;
    const { vm } = candidate;
    if (!vm || vm.end <= start || !holdsWithin(candidate, start, end)) continue;
    const score = planning.preemption.score(lease.view, candidate.view, start);
    if (score !== NEVER) scored.push({ candidate, score });
  }
  return scored.sort((a, b) => b.score - a.score || b.candidate.id - a.candidate.id).map(({ candidate }) => candidate);
};

/** Whether it was preempted often enough, or has not run for long enough to be preempted. */
function isLeftAlone({ config, table }: Planning, { preemptions, vm, accumulated }: Lease): boolean {
  const { preemptionLimit: limit, preemptionExemptTime: exempt } = config;
  if (limit !== null && preemptions > limit) return true;
  return vm?.state === 'ACTIVE' && accumulated + table.now - vm.start < exempt;
}

/** Whether a lease has a plan of which nothing has begun: neither its machines nor what brings them back. */
export function hasMovablePlan({ vm, state, isBeingBroughtBack }: Lease): boolean {
  return vm?.state === 'SCHEDULED' && MOVABLE.has(state) && !isBeingBroughtBack;
}

const MOVABLE: ReadonlySet<LeaseState> = new Set(['SCHEDULED', 'READY', 'SUSPENDED_SCHEDULED']);

/** Best-effort leases that have not started and hold something over [start, end), the youngest first. */
export function plansInTheWay(
  planning: Planning,
  start: Instant,
  end: Instant,
  among: Iterable<Lease> = planning.planned(),
): Lease[] {
  return [...among]
    .filter((lease) => lease.type === 'BEST_EFFORT' && hasMovablePlan(lease) && holdsWithin(lease, start, end))
    .sort((a, b) => b.submittedAt - a.submittedAt || b.id - a.id);
}

/** The leases that hold something over [from, to) on one of the nodes. */
export function leasesOn({ table }: Planning, nodes: Iterable<number>, from: Instant, to: Instant): Set<Lease> {
  const found = new Set<Lease>();
  for (const number of nodes) {
    const node = table.nodes[number] as NodeProfile;
    const { segments } = node;
    for (let i = node.indexAt(from); i < segments.length && (segments[i] as Segment).time < to; i += 1)
      for (const { lease } of (segments[i] as Segment).holds) if (lease) found.add(lease);
  }
  return found;
}

/** Whether a lease holds something over [from, to) on one of the nodes. */
export const isInTheWay = (lease: Lease, nodes: ReadonlyMap<number, unknown>, from: Instant, to: Instant): boolean =>
  holdsWithin(lease, from, to, nodes);

/**
 * Whether a lease holds something at some time within [from, to), on one of the nodes if they are given. A transfer
 * belongs to its owner, even if others wait for it. Asked for every lease that is planned, so nothing is allocated.
 */
function holdsWithin(
  lease: Lease,
  from: Instant,
  to: Instant,
  nodes: ReadonlyMap<number, unknown> | null = null,
): boolean {
  const { later, transfers, vm } = lease;
  if (vm && chainHolds(vm, from, to, nodes)) return true;
  for (const each of later) if (chainHolds(each, from, to, nodes)) return true;
  for (const each of transfers) if (each.lease === lease && holds(each, from, to, nodes)) return true;
  return false;
}

function chainHolds(
  vm: VmReservation,
  from: Instant,
  to: Instant,
  nodes: ReadonlyMap<number, unknown> | null,
): boolean {
  if (holds(vm, from, to, nodes)) return true;
  for (const each of vm.before) if (holds(each, from, to, nodes)) return true;
  for (const each of vm.after) if (holds(each, from, to, nodes)) return true;
  return false;
}

function holds(
  { amounts, end, isNil, start, state }: Reservation,
  from: Instant,
  to: Instant,
  nodes: ReadonlyMap<number, unknown> | null,
): boolean {
  if (isNil || start >= to || end <= from || (state !== 'SCHEDULED' && state !== 'ACTIVE')) return false;
  if (nodes === null) return true;
  for (const node of amounts.keys()) if (nodes.has(node)) return true;
  return false;
}
