import type { NodeUpdate } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { asRequestError, isAmounts, isLabels, requireNode } from './node-inventory.ts';
import { fieldsOf, isWhole } from './shape.ts';

export interface UpdateNodeInput extends NodeUpdate {
  readonly node: number;
}

/** Changes the capacity, address or labels of a node. */
export const updateNode: CommandKind<UpdateNodeInput, { readonly node: number }> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    if (!fields || !isWhole(fields.node)) return null;
    const { address, capacity, labels } = fields;
    if (capacity !== undefined && !isAmounts(capacity)) return null;
    if (address !== undefined && address !== null && typeof address !== 'string') return null;
    if (labels !== undefined && !isLabels(labels)) return null;
    return { node: fields.node, address, capacity, labels };
  },
  rows: () => 100,
  apply: (core, now, { node, ...update }) => {
    requireNode(core, node);
    asRequestError(() => core.updateNode(now, node, update));
    return { node };
  },
  idempotency: null,
};
