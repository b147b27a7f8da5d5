import { SchedulerError } from '../../errors.ts';
import type { Lease } from '../../model/lease.ts';
import { nodeFailed, nodeUnavailable } from '../../model/reasons.ts';
import type { Collisions, Instant, NodeState, NodeStateCause } from '../../model/records.ts';
import { FOREVER } from '../../model/time.ts';
import type { SchedulerState } from '../../state.ts';
import { loseMachines } from './lost-machines.ts';
import { type Closure, hasMachines, planAnew, settleWithoutPlace, takePlans } from './plans.ts';

/**
 * Sets the state of a node (N1, N2, N4). If the state is unchanged, only an operator's cause is recorded. Throws
 * INVALID_REQUEST or WOULD_DISPLACE; nothing has changed then.
 */
export function setNodeState(
  state: SchedulerState,
  number: number,
  wanted: NodeState,
  collisions: Collisions,
  now: Instant,
  cause: NodeStateCause | null = null,
): void {
  checkNode(state, number);
  const { availability } = state;
  const before = availability.stateOf(number);
  if (before === wanted) {
    if (cause?.code === 'OPERATOR') availability.setCause(number, cause);
    return;
  }
  state.journal.attempt(() => {
    availability.setState(number, wanted, cause);
    if (wanted === 'DOWN') fail(state, number, now);
    else if (before === 'UP') drain(state, number, collisions, now);
    state.askForReevaluation();
    state.askForPass();
    return true;
  });
}

export function checkNode(state: SchedulerState, number: number): void {
  if (Number.isInteger(number) && number >= 1 && number <= state.table.nodeCount) return;
  throw new SchedulerError(
    'INVALID_REQUEST',
    `There is no node ${number}: nodes are numbered from 1 to ${state.table.nodeCount}.`,
    ['node'],
  );
}

/** Replans leases that use the node; running machines continue (N2). */
function drain(state: SchedulerState, node: number, collisions: Collisions, now: Instant): void {
  const closure = closureOf(node, now);
  const taken = takePlans(state, closure, now);
  const withoutPlace = planAnew(state, taken, [], closure.reason, now);
  settleWithoutPlace(state, withoutPlace, collisions, [], closure.reason, false, now);
}

/** Running and saved machines on the node are lost; their leases are replanned (N4). */
function fail(state: SchedulerState, node: number, now: Instant): void {
  state.transfers.lose(node);
  const hit = [...state.leases.values()].filter((lease) => isHit(lease, node)).sort((a, b) => a.id - b.id);
  const lost = hit.flatMap((lease) => loseMachines(state, lease, now, nodeFailed(node)) ?? []);
  const taken = takePlans(state, closureOf(node, now), now);
  const withoutPlace = planAnew(state, taken, lost, nodeFailed(node), now);
  settleWithoutPlace(state, withoutPlace, 'DISPLACE', [], nodeUnavailable(node), false, now);
}

/** Whether something of it runs on the node, lies there or is being copied from or to it. Asked for every lease. */
function isHit(lease: Lease, node: number): boolean {
  // (Index 0 is no machine, and 0 no node.)
  if (hasMachines(lease)) return lease.vm?.mapping.includes(node) ?? false;
  for (const { state, moves } of lease.vm?.before ?? [])
    if (state === 'ACTIVE' && moves.some(([, from, to]) => from === node || to === node)) return true;
  if (!lease.isSuspended) return false;
  return [...lease.memoryAt.values(), ...lease.diskAt.values()].includes(node);
}

function closureOf(node: number, now: Instant): Closure {
  return { nodes: new Set([node]), start: now, end: FOREVER, reason: nodeUnavailable(node) };
}
