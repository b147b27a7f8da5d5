import { type Collisions, collisions, type NodeState, nodeStates } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isOneOf, isOptionalText, isWhole } from './shape.ts';

export interface SetNodeStateInput {
  readonly node: number;
  readonly state: NodeState;
  /** What is done when leases would lose a place that they were promised. */
  readonly collisions: Collisions;
  /** The name of the principal. */
  readonly by?: string | null | undefined;
  /** Why, for people. */
  readonly reason?: string | null | undefined;
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
    const { by, collisions: wanted, node, reason, state } = fields;
    if (!isOptionalText(by) || !isOptionalText(reason)) return null;
    return { node, state, collisions: wanted, ...(by && { by }), ...(reason && { reason }) };
  },
  rows: () => 100,
  apply: (core, now, { by = null, collisions, node, reason = null, state }) => {
    const cause = { code: 'OPERATOR', at: now, by, message: reason, lease: null, before: null } as const;
    return { node, displaced: core.setNodeState(now, node, state, collisions, cause).displaced };
  },
  idempotency: null,
};
