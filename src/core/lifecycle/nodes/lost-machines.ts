import type { Lease } from '../../model/lease.ts';
import type { Instant, StateReason } from '../../model/records.ts';
import { commit } from '../../placement/commit.ts';
import { failWhateverHappens } from '../../placement/endings.ts';
import { haveRemoved, heldByHosts, ranFor } from '../../placement/on-hosts.ts';
import { stopChain } from '../../placement/stop-chain.ts';
import { schedulePiece } from '../../room/claims.ts';
import { makeRoom } from '../../room/room.ts';
import type { SchedulerState } from '../../state.ts';
import { pieceOf } from '../../vm/piece.ts';
import type { Plan } from '../../vm/plan.ts';
import { planUntil } from '../../vm/until.ts';

/** A lease that lost its machines, which were to run until `end`. */
export interface Lost {
  readonly lease: Lease;
  readonly end: Instant;
}

/**
 * The machines of the lease, running or saved, are lost on all nodes with their work (N4). A best-effort lease returns
 * to the queue or fails.
 */
export function loseMachines(state: SchedulerState, lease: Lease, now: Instant, reason: StateReason): Lost | null {
  const end = plannedEnd(state, lease);
  const held = heldByHosts(lease);
  const lost = lease.accumulated + ranFor(state, lease, now);
  state.transfers.withdraw(lease, false, now);
  stopChain(state, lease, now);
  state.dequeue(lease);
  state.touch(lease);
  lease.memoryAt.clear();
  lease.accumulated = 0;
  lease.restarts += 1;
  lease.lostDuration += lost;
  state.place(lease, null);
  state.noteDisplaced(lease);
  haveRemoved(state, lease, held, now);
  state.setWithoutPlace(lease, false);
  state.askForReevaluation();
  if (lease.type !== 'BEST_EFFORT') {
    if (lease.state !== 'PENDING') state.transition(lease, 'PENDING', now, reason);
    return { lease, end };
  }
  if (reason.code === 'NODE_FAILED' && state.config.nodeFailure === 'fail') {
    failWhateverHappens(state, lease, now, reason);
  } else {
    state.transition(lease, 'QUEUED', now, reason);
    state.enqueue(lease);
  }
  return null;
}

/** Restarts it on other nodes: until its old end, or for its whole duration by its deadline. Otherwise it fails. */
export function startAnew(state: SchedulerState, { lease, end }: Lost, now: Instant, reason: StateReason): boolean {
  const accept = (plan: Plan) => commit(state, plan, now, reason);
  const isPlanned =
    lease.type === 'DEADLINE'
      ? schedulePiece(state, pieceOf(lease, now), now, accept)
      : startUntil(state, lease, end, now, accept);
  if (!isPlanned) failWhateverHappens(state, lease, now, reason);
  return isPlanned;
}

function startUntil(
  state: SchedulerState,
  lease: Lease,
  end: Instant,
  now: Instant,
  accept: (plan: Plan) => void,
): boolean {
  const plan = planUntil(state.planning, lease, end, now);
  if (plan) {
    accept(plan);
    return true;
  }
  if (lease.type !== 'ADVANCE_RESERVATION') return false;
  return makeRoom(
    state,
    {
      lease,
      steps: [3, 5],
      movesPlans: false,
      starts: () => [now],
      at: (_start, candidates) => planUntil(state.planning, lease, end, now, candidates),
      candidates: () => () => [],
      commit: (found) => accept({ ...found, victims: [] }),
    },
    now,
  );
}

/** The planned end of an advance reservation or immediate lease. */
function plannedEnd({ planning }: SchedulerState, lease: Lease): Instant {
  if (lease.requestedStart !== null) return lease.requestedStart + lease.duration;
  const { vm } = lease;
  if (!vm) return 0;
  return vm.isCutShort ? vm.start + lease.remaining + planning.estimates.shutdown(lease) : vm.finalEnd;
}
