import { SchedulerError } from '../errors.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { planExactly } from '../vm/exact.ts';
import { isPlan, type NotSchedulable, type Plan } from '../vm/plan.ts';
import { planSoonest } from '../vm/soonest.ts';
import { commit } from './commit.ts';
import { failLease, schedulingFault } from './endings.ts';
import { reevaluateEach } from './re-evaluation.ts';

/**
 * One scheduling pass, a lease at a time. Between two leases the caller may do something else, even change leases, and say what time it has become.
 */
export function* runPass(state: SchedulerState, start: Instant): Generator<void, void, Instant | undefined> {
  let now = start;

  // 0. What was given back since the last pass may let others move forward, where that is left to the pass.
  if (state.reevaluationDue) {
    for (const _ of reevaluateEach(state, () => now)) now = laterOf(state, now, yield);
  }

  // 1. Every pending best-effort lease goes to the end of the queue.
  for (const lease of pendingOf(state, 'BEST_EFFORT')) {
    if (lease.state !== 'PENDING') continue;
    state.transition(lease, 'QUEUED', now);
    state.enqueue(lease);
    now = laterOf(state, now, yield);
  }
  state.needsPass = false;

  // 2. Immediate leases, then advance reservations: now or never.
  for (const type of ['IMMEDIATE', 'ADVANCE_RESERVATION'] as const) {
    for (const lease of pendingOf(state, type)) {
      if (lease.state !== 'PENDING') continue;
      const outcome = tryToSchedule(state, lease, now);
      if (outcome && !isPlan(outcome)) {
        state.transition(lease, 'REJECTED', now, outcome.notSchedulable);
        state.forget(lease, now);
      }
      now = laterOf(state, now, yield);
    }
  }

  // 3. The queue, as far as backfilling allows.
  for (const lease of [...state.queue]) {
    if (lease.queueRank === null) continue;
    if (!state.mayPlanFuture && state.table.isFull(now, 'CPU')) break;
    const outcome = tryToSchedule(state, lease, now);
    if (outcome && !isPlan(outcome) && state.config.backfilling === 'off') break;
    now = laterOf(state, now, yield);
  }
}

/** What time it is after a pause: what the caller says, and never before what has been carried out meanwhile. */
const laterOf = (state: SchedulerState, before: Instant, told: Instant | undefined): Instant =>
  Math.max(before, told ?? before, state.table.now);

const pendingOf = (state: SchedulerState, type: Lease['type']): Lease[] =>
  [...state.pending].filter((lease) => lease.type === type).sort((a, b) => a.id - b.id);

/** Null when the lease could not be handled at all, and failed for it: one lease never stops a pass. */
const tryToSchedule = (state: SchedulerState, lease: Lease, now: Instant): Plan | NotSchedulable | null => {
  let outcome: Plan | NotSchedulable;
  try {
    outcome = plan(state, lease, now);
  } catch (error) {
    failLease(state, lease, now, schedulingFault(error));
    return null;
  }
  if (isPlan(outcome)) commit(state, outcome, now);
  return outcome;
};

const plan = (state: SchedulerState, lease: Lease, now: Instant): Plan | NotSchedulable => {
  switch (lease.type) {
    case 'ADVANCE_RESERVATION':
      return lease.isSuspended
        ? planSoonest(state.planning, lease, now, { future: state.mayPlanFuture, starts: null })
        : planExactly(state.planning, lease, now);
    case 'IMMEDIATE':
      return planSoonest(state.planning, lease, now, {
        future: lease.isSuspended && state.mayPlanFuture,
        starts: null,
      });
    case 'BEST_EFFORT':
      return planSoonest(state.planning, lease, now, { future: state.mayPlanFuture, starts: null });
    default:
      throw new SchedulerError('UNSUPPORTED_LEASE_TYPE', `leases of type ${lease.type} cannot be scheduled`);
  }
};
