import type { Lease } from '../model/lease.ts';
import type { Instant, LeaseState } from '../model/records.ts';
import { NEVER } from '../policies/preemption.ts';
import type { Planning } from './plan.ts';

const PREEMPTABLE: ReadonlySet<LeaseState> = new Set(['SCHEDULED', 'READY', 'ACTIVE', 'SUSPENDED_SCHEDULED']);

/**
 * The leases that may be preempted for one that would run over [start, end), most preemptable first: score descending, then id
 * descending (R11, R12, R13, R53).
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
    const { vm } = candidate;
    if (!vm || vm.end <= start || !overlaps(candidate, start, end)) continue;
    const score = planning.preemption.score(lease.view, candidate.view, start);
    if (score !== NEVER) scored.push({ candidate, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || b.candidate.id - a.candidate.id)
    .map(({ candidate }) => candidate);
};

const overlaps = (lease: Lease, start: Instant, end: Instant): boolean =>
  [...(lease.vm?.chain ?? []), ...[...lease.transfers].filter((transfer) => transfer.lease === lease)].some(
    (each) =>
      (each.state === 'SCHEDULED' || each.state === 'ACTIVE') &&
      !each.isNil &&
      each.start < end &&
      each.end > start,
  );
