import { type Collisions, collisions, type NodeState, nodeStates } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isOneOf, isOptionalText, isWhole } from './shape.ts';

export interface SetNodeStateInput {
  readonly node: number;
  readonly state: NodeState;
  /** What to do when leases would lose a promised place. */
  readonly collisions: Collisions;
  /** Name of the principal. */
  readonly by?: string | null | undefined;
  /** Reason, as text. */
  readonly reason?: string | null | undefined;
}

export interface SetNodeStateResult {
  readonly node: number;
  /** Numbers of the leases that were moved, suspended or requeued, ascending. */
  readonly displaced: readonly number[];
}

/** Sets the state of a node: UP, DRAINING or DOWN. */
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
