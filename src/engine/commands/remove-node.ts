import type { CommandKind } from './command.ts';
import { requireNode } from './node-inventory.ts';
import { fieldsOf, isWhole } from './shape.ts';

export interface RemoveNodeInput {
  readonly node: number;
}

/** Removes a node on which nothing runs or is planned. Its number is not reused. */
export const removeNode: CommandKind<RemoveNodeInput, RemoveNodeInput> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    return fields && isWhole(fields.node) ? { node: fields.node } : null;
  },
  rows: () => 100,
  apply: (core, now, { node }) => {
    requireNode(core, node);
    core.removeNode(now, node);
    return { node };
  },
  idempotency: null,
};
