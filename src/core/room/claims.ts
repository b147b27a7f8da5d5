import { rulesOf } from '../lease-types/table.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { placeAnew, type Withdrawn } from '../placement/plan-anew.ts';
import type { SchedulerState } from '../state.ts';
import { planExactly } from '../vm/exact.ts';
import { type Piece, PieceSearch, pieceOf } from '../vm/piece.ts';
import { isPlan, type NotSchedulable, type Plan } from '../vm/plan.ts';
import { bestEffortCandidates, type Claim, makeRoom } from './room.ts';

/**
 * Makes room for a lease for which there is no plan, and plans it: others are moved for a lease with a deadline, and
 * those with a deadline for an advance reservation (D2, D3). False: then nothing has changed.
 */
export function scheduleWithRoom(state: SchedulerState, lease: Lease, now: Instant): boolean {
  // Called for every lease in the queue, in every pass.
  if (lease.type === 'BEST_EFFORT') return false;
  const claim = claimFor(state, lease, now, (plan) => commit(state, plan, now));
  return claim !== null && makeRoom(state, claim, now);
}

/**
 * Plans a lease whose plan was taken back, with room made for it where that may be. Why there is no plan, or null when
 * there is one.
 */
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

/**
 * What is left of a lease with a deadline, planned by it: as soon as possible, with room made for it where that must
 * be.
 */
export function schedulePiece(
  state: SchedulerState,
  piece: Piece,
  now: Instant,
  accept: (plan: Plan) => void,
): boolean {
  const search = new PieceSearch(state.planning, piece, now, piece.lease.deadline as Instant);
  const plan = search.soonest(null);
  if (plan) accept(plan);
  return plan !== null || makeRoom(state, pieceClaim(state, piece, search, accept), now);
}

function pieceClaim(state: SchedulerState, { lease }: Piece, search: PieceSearch, accept: (plan: Plan) => void): Claim {
  return {
    lease,
    steps: [2, 3, 4, 5],
    movesPlans: true,
    starts: (more) => search.starts(more),
    at: (start, candidates) => search.at(start, candidates),
    candidates: (step) => bestEffortCandidates(state, lease, step),
    commit: (plan) => accept({ ...plan, victims: [] }),
  };
}

function claimFor(state: SchedulerState, lease: Lease, now: Instant, accept: (plan: Plan) => void): Claim | null {
  if (lease.type === 'DEADLINE') {
    const piece = pieceOf(lease, now);
    const search = new PieceSearch(state.planning, piece, now, lease.deadline as Instant);
    return pieceClaim(state, piece, search, accept);
  }
  if (lease.type !== 'ADVANCE_RESERVATION' || lease.isSuspended) return null;
  return {
    lease,
    // What best-effort leases must give up for it, the policy says.
    steps: [3, 5],
    movesPlans: false,
    starts: () => [lease.requestedStart as Instant],
    at(start, candidates) {
      const outcome = planExactly(state.planning, lease, now, candidates(start, start + lease.duration));
      return isPlan(outcome) ? outcome : null;
    },
    candidates: () => () => [],
    commit: (plan) => accept({ ...plan, victims: [] }),
  };
}
