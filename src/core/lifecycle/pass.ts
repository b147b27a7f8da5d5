import { leaseTypes, rulesOf } from '../lease-types/table.ts';
import type { Lease } from '../model/lease.ts';
import { schedulingFault } from '../model/reasons.ts';
import type { Instant } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { failLease } from '../placement/endings.ts';
import { quotaExceeded } from '../policies/quotas.ts';
import { scheduleWithRoom } from '../room/claims.ts';
import type { SchedulerState } from '../state.ts';
import { isPlan, type NotSchedulable, type Plan } from '../vm/plan.ts';
import { reevaluateEach, reevaluateIfDue } from './re-evaluation.ts';

const typesOfQueue = leaseTypes.filter(({ decidedIn }) => decidedIn === 'QUEUE');
const typesOfPass = leaseTypes.filter(({ decidedIn }) => decidedIn === 'PASS');

/**
 * One scheduling pass, one lease per step. Between steps the caller may do other work, even change leases, and passes
 * the new time.
 */
export function* runPass(state: SchedulerState, start: Instant): Generator<void, void, Instant | undefined> {
  let now = start;

  // 0. Re-evaluation, if it is left to the pass.
  if (state.reevaluationDue) {
    for (const _ of reevaluateEach(state, () => now)) now = laterOf(state, now, yield);
  }

  // 1. Pending leases of queued types go to the end of the queue.
  for (const { type } of typesOfQueue) {
    for (const lease of pendingOf(state, type)) {
      if (lease.state !== 'PENDING') continue;
      state.transition(lease, 'QUEUED', now);
      state.enqueue(lease);
      now = laterOf(state, now, yield);
    }
  }
  state.journal.set(state, 'needsPass', false);

  // 2. The other types, in the order of the table: planned now or rejected.
  for (const _ of decideEach(state, () => now)) now = laterOf(state, now, yield);

  // 3. The queue, within the limits of backfilling.
  if (isOver(state, now)) return;
  for (const lease of state.queue.toArray()) {
    if (lease.queueRank === null) continue;
    if (isOver(state, now)) break;
    const refusal = tryToSchedule(state, lease, now);
    // A lease that waits for the quota of its project does not block others.
    if (refusal && state.config.backfilling === 'off' && refusal.notSchedulable.code !== quotaExceeded) break;
    now = laterOf(state, now, yield);
    // Leases requested between steps do not wait for the rest of a long queue.
    if (state.pending.size > 0) for (const _ of decideEach(state, () => now)) now = laterOf(state, now, yield);
  }
}

/** Whether nothing more of the queue can start or be planned. */
function isOver(state: SchedulerState, now: Instant): boolean {
  return state.queue.size === 0 || (!state.mayPlanFuture && state.table.isFull(now, 'CPU'));
}

/** Decides the pending leases of the other types, one per step. */
function* decideEach(state: SchedulerState, now: () => Instant): Generator<void, void, void> {
  for (const { type } of typesOfPass) {
    for (const lease of pendingOf(state, type)) {
      if (lease.state !== 'PENDING') continue;
      const refusal = tryToSchedule(state, lease, now());
      if (refusal) {
        state.transition(lease, 'REJECTED', now(), refusal.notSchedulable);
        state.forget(lease, now());
      }
      yield;
    }
  }
}

const none: readonly Lease[] = [];

/** The time after a step: as given by the caller, but never before anything executed meanwhile. */
function laterOf(state: SchedulerState, before: Instant, told: Instant | undefined): Instant {
  return Math.max(before, told ?? before, state.table.now);
}

function pendingOf(state: SchedulerState, type: Lease['type']): readonly Lease[] {
  if (state.pending.size === 0) return none;
  return [...state.pending].filter((lease) => lease.type === type && !lease.isWithoutPlace).sort((a, b) => a.id - b.id);
}

/**
 * Why there is no plan. Null if there is one, or if the lease caused an error and failed: a single lease never stops a
 * pass.
 */
function tryToSchedule(state: SchedulerState, lease: Lease, now: Instant): NotSchedulable | null {
  let plan: Plan;
  try {
    const outcome = rulesOf(lease.type).plan(state, lease, now, null);
    if (!isPlan(outcome)) return scheduleWithRoom(state, lease, now) ? null : outcome;
    plan = outcome;
  } catch (error) {
    failLease(state, lease, now, schedulingFault(error));
    reevaluateIfDue(state, now);
    return null;
  }
  commit(state, plan, now);
  return null;
}
