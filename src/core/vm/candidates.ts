import type { Lease, Reservation } from '../model/lease.ts';
import type { Instant, LeaseState } from '../model/records.ts';
import { NEVER } from '../policies/preemption.ts';
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
): Lease[] => {
  const scored: { candidate: Lease; score: number }[] = [];
  for (const candidate of planning.planned()) {
    if (!candidate.preemptible || !PREEMPTABLE.has(candidate.state) || candidate.isBeingBroughtBack) continue;
    // What was promised by a deadline is only moved so that it is kept.
    if (candidate.type === 'DEADLINE' || isLeftAlone(planning, candidate)) continue;
    const { vm } = candidate;
    if (!vm || vm.end <= start || heldWithin(candidate, start, end).length === 0) continue;
    const score = planning.preemption.score(lease.view, candidate.view, start);
    if (score !== NEVER) scored.push({ candidate, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || b.candidate.id - a.candidate.id)
    .map(({ candidate }) => candidate);
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
export function plansInTheWay(planning: Planning, start: Instant, end: Instant): Lease[] {
  return [...planning.planned()]
    .filter(
      (lease) =>
        lease.type === 'BEST_EFFORT' && hasMovablePlan(lease) && heldWithin(lease, start, end).length > 0,
    )
    .sort((a, b) => b.submittedAt - a.submittedAt || b.id - a.id);
}

/** Whether a lease holds something over [from, to) on one of the nodes. */
export const isInTheWay = (
  lease: Lease,
  nodes: ReadonlyMap<number, unknown>,
  from: Instant,
  to: Instant,
): boolean =>
  heldWithin(lease, from, to).some(({ amounts }) => [...amounts.keys()].some((node) => nodes.has(node)));

/** What a lease holds at some time within [from, to). A transfer belongs to its owner, even if others wait for it. */
const heldWithin = (lease: Lease, from: Instant, to: Instant): Reservation[] =>
  [...lease.reservations, ...[...lease.transfers].filter((transfer) => transfer.lease === lease)].filter(
    (each) =>
      (each.state === 'SCHEDULED' || each.state === 'ACTIVE') &&
      !each.isNil &&
      each.start < to &&
      each.end > from,
  );
