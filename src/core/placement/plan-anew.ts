import type { Lease, Reservation } from '../model/lease.ts';
import type { Instant, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import type { Plan } from '../vm/plan.ts';
import { commit } from './commit.ts';
import { haveRemoved, heldByHosts, type Place } from './on-hosts.ts';
import { stopChain } from './stop-chain.ts';

/** A plan that was taken back, and what hosts hold for it. */
export interface Withdrawn {
  readonly lease: Lease;
  readonly held: readonly Place[];
}

/**
 * Takes back a plan that has not begun, what was prepared for it included. The state of the lease stays until it is
 * told what becomes of it.
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

/** What is on its way to other nodes stays where it came from. */
function moveBack(state: SchedulerState, lease: Lease, moves: Reservation['moves'], now: Instant): void {
  const back = moves.map(([machine, from, to]) => state.target(lease, machine, to, from));
  state.log.action('MIGRATE', now, lease, null, back);
}

/**
 * Gives a lease whose plan was taken back another one. Of what was prepared, what is of use where the machines go now
 * stays.
 */
export function placeAnew(
  state: SchedulerState,
  { lease, held }: Withdrawn,
  plan: Plan,
  now: Instant,
  reason: StateReason | null = null,
): void {
  const meanwhile = lease.isSuspended ? 'SUSPENDED_PENDING' : 'PENDING';
  if (lease.state !== meanwhile && lease.state !== 'SUSPENDED_QUEUED')
    state.transition(lease, meanwhile, now, reason);
  commit(state, plan, now, reason);
  haveRemoved(
    state,
    lease,
    held.filter(([machine, node]) => lease.diskAt.get(machine) !== node),
    now,
  );
}

/** Sends a lease whose plan was taken back to the queue, by its submit time. */
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
