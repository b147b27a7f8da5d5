import type { Lease, Reservation } from '../model/lease.ts';
import type { Instant, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import type { Plan } from '../vm/plan.ts';
import { commit } from './commit.ts';
import { haveRemoved, heldByHosts, type Place } from './on-hosts.ts';
import { stopChain } from './stop-chain.ts';

/** A withdrawn plan and what hosts hold for it. */
export interface Withdrawn {
  readonly lease: Lease;
  readonly held: readonly Place[];
}

/**
 * Withdraws a plan that has not begun, including its preparations. The state of the lease stays until its outcome is
 * set.
 */
export function withdrawPlan(state: SchedulerState, lease: Lease, now: Instant): Withdrawn {
  const suspended = lease.isSuspended;
  const held = suspended ? [] : heldByHosts(lease);
  state.transfers.withdraw(lease, suspended, now);
  const underWay = lease.reservations.filter((each) => each.state === 'ACTIVE' && each.moves.length > 0);
  stopChain(state, lease, now);
  for (const { moves } of underWay) moveBack(state, lease, moves, now);
  state.noteDisplaced(lease);
  return { lease, held };
}

/** Data in transfer to other nodes stays at its source. */
function moveBack(state: SchedulerState, lease: Lease, moves: Reservation['moves'], now: Instant): void {
  const back = moves.map(([machine, from, to]) => state.target(lease, machine, to, from));
  state.log.action('MIGRATE', now, lease, null, back);
}

/** Replans a lease with a withdrawn plan. Preparations that are useful for the new nodes are kept. */
export function placeAnew(
  state: SchedulerState,
  { lease, held }: Withdrawn,
  plan: Plan,
  now: Instant,
  reason: StateReason | null = null,
): void {
  const meanwhile = lease.isSuspended ? 'SUSPENDED_PENDING' : 'PENDING';
  if (lease.state !== meanwhile && lease.state !== 'SUSPENDED_QUEUED') state.transition(lease, meanwhile, now, reason);
  commit(state, plan, now, reason);
  haveRemoved(
    state,
    lease,
    held.filter(([machine, node]) => lease.diskAt.get(machine) !== node),
    now,
  );
}

/** Returns a lease with a withdrawn plan to the queue, by its submit time. */
export function backToQueue(
  state: SchedulerState,
  { lease, held }: Withdrawn,
  now: Instant,
  reason: StateReason | null = null,
): void {
  haveRemoved(state, lease, held, now);
  state.transition(lease, lease.isSuspended ? 'SUSPENDED_QUEUED' : 'QUEUED', now, reason);
  state.enqueue(lease);
}
