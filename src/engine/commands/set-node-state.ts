import { type Collisions, collisions, type NodeState, nodeStates } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isOneOf, isWhole } from './shape.ts';

export interface SetNodeStateInput {
  readonly node: number;
  readonly state: NodeState;
  /** What is done when leases would lose a place that they were promised. */
  readonly collisions: Collisions;
}

export interface SetNodeStateResult {
  readonly node: number;
  /** Leases that were moved, suspended or requeued for it: numbers, ascending. */
  readonly displaced: readonly number[];
}

/** A node comes back, is drained, or has failed. */
export const setNodeState: CommandKind<SetNodeStateInput, SetNodeStateResult> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    if (!fields || !isWhole(fields.node)) return null;
    if (!isOneOf(nodeStates, fields.state) || !isOneOf(collisions, fields.collisions)) return null;
    return { node: fields.node, state: fields.state, collisions: fields.collisions };
  },
  rows: () => 100,
  apply: (core, now, { collisions, node, state }) => ({
    node,
    displaced: core.setNodeState(now, node, state, collisions).displaced,
  }),
  idempotency: null,
};
