import type { Lease, VmReservation } from '../model/lease.ts';
import { displaced } from '../model/reasons.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { FOREVER } from '../model/time.ts';
import { type Withdrawn, withdrawPlan } from '../placement/plan-anew.ts';
import { canSuspendBy, preempt, suspendBy } from '../placement/preemption.ts';
import type { SchedulerState } from '../state.ts';
import { isInTheWay, plansInTheWay, preemptionCandidates } from '../vm/candidates.ts';
import { type Candidates, PieceSearch } from '../vm/piece.ts';
import type { Plan } from '../vm/plan.ts';
import { planBestEffortAnew } from './best-effort-anew.ts';
import {
  byIncreasingSlack,
  commitPromised,
  type Promised,
  putBack,
  restOf,
  takePromised,
  takesItsOldPlace,
} from './promised.ts';

/**
 * What may be done to make room for a lease, each step including the earlier ones (rules for deadlines, D3): use what
 * is free; plan best-effort leases anew that have not started; plan anew what was promised by a deadline and has not
 * started; preempt running best-effort leases; suspend running leases with a deadline.
 */
export type Step = 1 | 2 | 3 | 4 | 5;

/** Somebody for whom room is to be made. */
export interface Claim {
  readonly lease: Lease;
  readonly steps: readonly Step[];
  /** Whether best-effort leases that have not started are planned anew, and not preempted. */
  readonly movesPlans: boolean;
  /**
   * Starts to be tried, ascending; `more` are those at which victims can have been suspended. Asked for before anything
   * is moved.
   */
  starts(more: readonly Instant[]): readonly Instant[];
  /** A plan from a start on, with some of the candidates gone, or null. */
  at(start: Instant, candidates: Candidates): Plan | null;
  /** Candidates of its own at a step, before those with a deadline. */
  candidates(step: Step): Candidates;
  /** Makes the plan true, once what is in its way is gone. */
  commit(plan: Plan): void;
}

/**
 * Makes room for a lease and plans it, step by step; each step tries its starts in ascending order. False: then nothing
 * has changed.
 */
export function makeRoom(state: SchedulerState, claim: Claim, now: Instant): boolean {
  return claim.steps.some((step) => state.journal.attempt(() => tryStep(state, claim, step, now)) ?? false);
}

function tryStep(state: SchedulerState, claim: Claim, step: Step, now: Instant): true | null {
  const { lease } = claim;
  const suspendable = step === 5 ? runningWithDeadline(state, lease) : [];
  if (step === 5 && suspendable.length === 0) return null;
  const preemptable = step >= 4 ? runningToPreempt(state, lease, now) : [];
  if (step === 4 && preemptable.length === 0) return null;
  const victims = [...suspendable, ...preemptable];
  const starts = claim.starts(victims.map((victim) => now + state.planning.estimates.suspend(victim)));
  const promised = step >= 3 ? takePromised(state, lease, now) : [];
  if (step === 3 && promised.length === 0) return null;
  for (const start of starts) {
    if (state.journal.attempt(() => tryAt(state, claim, step, start, promised, now))) return true;
  }
  return null;
}

function tryAt(
  state: SchedulerState,
  claim: Claim,
  step: Step,
  start: Instant,
  promised: readonly Promised[],
  now: Instant,
): true | null {
  const own = claim.candidates(step);
  const plan = claim.at(start, (from, to) => [
    ...own(from, to),
    ...(step >= 5 ? suspendableBy(state, claim.lease, from, to, now) : []),
  ]);
  if (!plan) return null;
  const moved: Moved = { bestEffort: [], promised: [...promised] };
  state.planning.preparation.join(plan.lease, plan.preparation);
  clearTheWay(state, plan, claim.movesPlans, moved, now);
  claim.commit(plan);
  const reason = displaced(claim.lease.id);
  for (const each of moved.promised.sort(byIncreasingSlack(now)))
    if (!planPromisedAnew(state, each, step, moved, now, reason)) return null;
  for (const each of moved.bestEffort.sort((a, b) => a.lease.id - b.lease.id))
    planBestEffortAnew(state, each, now, reason);
  return true;
}

/** What was moved out of the way and is to be planned anew. */
interface Moved {
  readonly bestEffort: Withdrawn[];
  readonly promised: Promised[];
}

/** Moves, suspends or preempts what a plan counts as gone. */
function clearTheWay(state: SchedulerState, plan: Plan, movesPlans: boolean, moved: Moved, now: Instant): void {
  const at = plan.vm.holdStart;
  for (const victim of plan.victims) {
    if (victim.type === 'DEADLINE') {
      suspendForLater(state, victim, at, plan.lease, moved, now);
    } else if (movesPlans && victim.vm?.state === 'SCHEDULED') {
      moved.bestEffort.push(withdrawPlan(state, victim, now));
    } else {
      preempt(state, victim, plan.lease.id, at, now);
    }
  }
}

/** A running lease with a deadline is saved by `at`; the rest of it is planned anew with the others. */
function suspendForLater(
  state: SchedulerState,
  victim: Lease,
  at: Instant,
  claimant: Lease,
  moved: Moved,
  now: Instant,
): void {
  const vm = victim.vm as VmReservation;
  state.noteDisplaced(victim);
  suspendBy(state, vm, claimant.id, at);
  const taken = moved.promised.findIndex(({ lease }) => lease === victim);
  const [before] = taken < 0 ? takePromised(state, claimant, now, victim) : moved.promised.splice(taken, 1);
  if (before) moved.promised.push({ ...before, piece: restOf(victim) ?? before.piece });
}

/** In one piece, as soon as possible, by its deadline. */
function planPromisedAnew(
  state: SchedulerState,
  promised: Promised,
  step: Step,
  moved: Moved,
  now: Instant,
  reason: StateReason,
): boolean {
  const { lease, piece } = promised;
  let isPossible = true;
  const isMoved = state.journal.attempt(() => {
    if (!lease.isSuspended) state.transfers.withdraw(lease, false, now);
    const search = new PieceSearch(state.planning, piece, now, lease.deadline as Instant);
    const plan = soonestPlan(state, search, lease, step);
    isPossible = plan !== null;
    if (!plan || takesItsOldPlace(plan, promised)) return null;
    state.planning.preparation.join(lease, plan.preparation);
    clearTheWay(state, plan, true, moved, now);
    commitPromised(state, promised, plan, now, reason);
    return true;
  });
  if (isPossible && !isMoved) putBack(state, promised);
  return isPossible;
}

/** The first of the steps that finds a plan, and in it the first start. */
function soonestPlan(state: SchedulerState, search: PieceSearch, lease: Lease, step: Step): Plan | null {
  const alone = search.soonest(null);
  if (alone) return alone;
  for (const each of [2, 4] as const) {
    if (each > step) break;
    const candidates = bestEffortCandidates(state, lease, each);
    for (const start of search.starts()) {
      const plan = search.at(start, candidates);
      if (plan) return plan;
    }
  }
  return null;
}

/** Best-effort leases that a lease with a deadline may move (step 2) or preempt (step 4). */
export function bestEffortCandidates(state: SchedulerState, lease: Lease, step: Step): Candidates {
  return (start, end) => {
    const planned = step >= 2 ? plansInTheWay(state.planning, start, end) : [];
    if (step < 4 || !state.policies.preemption.preempts(lease.view)) return planned;
    const others = preemptionCandidates(state.planning, lease, start, end);
    return [...planned, ...others.filter((each) => !planned.includes(each))];
  };
}

/** Running best-effort leases that the policy lets a lease preempt at a given time. */
function runningToPreempt(state: SchedulerState, lease: Lease, now: Instant): Lease[] {
  if (!state.policies.preemption.preempts(lease.view)) return [];
  return preemptionCandidates(state.planning, lease, now, FOREVER).filter(({ vm }) => vm?.state === 'ACTIVE');
}

/** Running leases with a deadline that may be suspended at all. */
function runningWithDeadline(state: SchedulerState, except: Lease): Lease[] {
  return [...state.leases.values()].filter(
    (lease) =>
      lease !== except &&
      lease.type === 'DEADLINE' &&
      lease.preemptible &&
      lease.state === 'ACTIVE' &&
      lease.vm?.state === 'ACTIVE' &&
      state.planning.estimates.canSuspend(lease),
  );
}

/** Those that can be saved before `start` and hold something over [start, end), the one with the most slack first. */
function suspendableBy(state: SchedulerState, except: Lease, start: Instant, end: Instant, now: Instant): Lease[] {
  const bySlack = byIncreasingSlack(now);
  return runningWithDeadline(state, except)
    .filter((lease) => {
      const vm = lease.vm as VmReservation;
      return vm.end > start && canSuspendBy(state, vm, start, now) && isInTheWay(lease, vm.amounts, start, end);
    })
    .sort((a, b) => bySlack({ lease: b }, { lease: a }));
}
