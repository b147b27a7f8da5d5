import { rulesOf } from '../lease-types/table.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { placeAnew, type Withdrawn } from '../placement/plan-anew.ts';
import type { SchedulerState } from '../state.ts';
import { planExactly } from '../vm/exact.ts';
import { PieceSearch, pieceOf } from '../vm/piece.ts';
import { isPlan, type NotSchedulable, type Plan } from '../vm/plan.ts';
import { bestEffortCandidates, type Claim, makeRoom } from './room.ts';

/**
 * Makes room for a lease for which there is no plan, and plans it: others are moved for a lease with a deadline, and those with a deadline for
 * an advance reservation (D2, D3). False: then nothing has changed.
 */
export function scheduleWithRoom(state: SchedulerState, lease: Lease, now: Instant): boolean {
  const claim = claimFor(state, lease, now, (plan) => commit(state, plan, now));
  return claim !== null && makeRoom(state, claim, now);
}

/** Plans a lease whose plan was taken back, with room made for it where that may be. Why there is no plan, or null when there is one. */
export function scheduleAnew(
  state: SchedulerState,
  withdrawn: Withdrawn,
  now: Instant,
  reason: StateReason | null = null,
): NotSchedulable | null {
  const { lease } = withdrawn;
  const accept = (plan: Plan) => placeAnew(state, withdrawn, plan, now, reason);
  const outcome = rulesOf(lease.type).plan(state, lease, now, null);
  if (isPlan(outcome)) {
    accept(outcome);
    return null;
  }
  const claim = claimFor(state, lease, now, accept);
  return claim && makeRoom(state, claim, now) ? null : outcome;
}

function claimFor(
  state: SchedulerState,
  lease: Lease,
  now: Instant,
  accept: (plan: Plan) => void,
): Claim | null {
  const settle = (plan: Plan) => accept({ ...plan, victims: [] });
  if (lease.type === 'DEADLINE') {
    const search = new PieceSearch(state.planning, pieceOf(lease, now), now, lease.deadline as Instant);
    return {
      lease,
      steps: [2, 3, 4, 5],
      starts: (more) => search.starts(more),
      at: (start, candidates) => search.at(start, candidates),
      candidates: (step) => bestEffortCandidates(state, lease, step),
      commit: settle,
    };
  }
  if (lease.type !== 'ADVANCE_RESERVATION' || lease.isSuspended) return null;
  return {
    lease,
    // What best-effort leases must give up for it, the policy says.
    steps: [3, 5],
    starts: () => [lease.requestedStart as Instant],
    at(start, candidates) {
      const outcome = planExactly(state.planning, lease, now, candidates(start, start + lease.duration));
      return isPlan(outcome) ? outcome : null;
    },
    candidates: () => () => [],
    commit: settle,
  };
}
