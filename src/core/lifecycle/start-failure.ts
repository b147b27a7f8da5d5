import { rulesOf } from '../lease-types/table.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant, LeaseState, NodeStateRecord, StateReason } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { withdrawPlan } from '../placement/plan-anew.ts';
import type { SchedulerState } from '../state.ts';
import { isPlan } from '../vm/plan.ts';
import { loseMachines } from './nodes/lost-machines.ts';
import { setNodeState } from './nodes/node-state.ts';
import { planAnew, settleWithoutPlace } from './nodes/plans.ts';

/** A lease that lost its machines this often is not moved again. */
const maxRestarts = 3;

/** States in which a lease has a plan that has not begun. */
const planned: ReadonlySet<LeaseState> = new Set(['SCHEDULED', 'PREPARING', 'READY']);

/**
 * Handles a failed preparation or start on a node: nothing new starts there for a time; started machines of the lease
 * are removed, and the lease is replanned on other nodes or returns to the queue. Returns false if the lease must not
 * be moved: a lease that failed to start on several nodes is itself the cause, and those nodes are used again.
 */
export function moveElsewhere(
  state: SchedulerState,
  lease: Lease,
  node: number,
  reason: StateReason,
  now: Instant,
): boolean {
  if (lease.state !== 'ACTIVE' && !planned.has(lease.state)) return false;
  const { availability } = state;
  const { message } = reason;
  const cause = { code: 'START_FAILED', at: now, by: null, message, lease: lease.id, before: null } as const;
  if (lease.restarts >= maxRestarts) {
    const drained = availability.exceptional.filter((each) => isDrainedFor(each, lease));
    for (const { number } of drained) setNodeState(state, number, 'UP', 'DISPLACE', now, cause);
    return false;
  }
  state.journal.attempt(() => {
    const drain = (): void => {
      if (availability.stateOf(node) === 'UP') setNodeState(state, node, 'DRAINING', 'DISPLACE', now, cause);
    };
    if (planned.has(lease.state)) {
      const taken = [{ ...withdrawPlan(state, lease, now), later: false }];
      lease.restarts += 1;
      drain();
      const withoutPlace = planAnew(state, taken, [], reason, now);
      settleWithoutPlace(state, withoutPlace, 'DISPLACE', [], reason, false, now);
    } else {
      drain();
      loseAndPlan(state, lease, reason, now);
    }
    state.askForPass();
    return true;
  });
  return true;
}

/**
 * The machines of a lease cannot start, since its nodes are not free until `free` at least: it moves to nodes on which
 * it starts before. Otherwise it waits on.
 */
export function moveBlocked(
  state: SchedulerState,
  lease: Lease,
  free: Instant,
  reason: StateReason,
  now: Instant,
): void {
  if (lease.state !== 'ACTIVE' || lease.restarts >= maxRestarts) return;
  state.journal.attempt(() => {
    loseAndPlan(state, lease, reason, now);
    const { isFinal, vm } = lease;
    return !isFinal && vm !== null && vm.start < free ? true : null;
  });
}

/** Its machines are removed, and it is planned on nodes that are free now, if there are any. */
function loseAndPlan(state: SchedulerState, lease: Lease, reason: StateReason, now: Instant): void {
  const lost = loseMachines(state, lease, now, reason);
  if (lost) planAnew(state, [], [lost], reason, now);
  else planAtOnce(state, lease, reason, now);
}

function isDrainedFor({ state, cause }: NodeStateRecord, { id }: Lease): boolean {
  return state === 'DRAINING' && cause?.code === 'START_FAILED' && cause.lease === id;
}

function planAtOnce(state: SchedulerState, lease: Lease, reason: StateReason, now: Instant): void {
  const outcome = rulesOf(lease.type).plan(state, lease, now, null);
  if (isPlan(outcome)) commit(state, outcome, now, reason);
}
