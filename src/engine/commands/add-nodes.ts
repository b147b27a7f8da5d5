import type { NodeSpec } from '../../core/index.ts';
import { CommandError } from './answer.ts';
import type { CommandKind } from './command.ts';
import { asRequestError, isAmounts, isLabels } from './node-inventory.ts';
import { fieldsOf, isListOf } from './shape.ts';

export type NewNode = Omit<NodeSpec, 'number'>;

export interface AddNodesInput {
  readonly nodes: readonly NewNode[];
}

export interface AddNodesResult {
  /** In input order. */
  readonly numbers: readonly number[];
}

/** Adds nodes to the site. They receive the next node numbers. */
export const addNodes: CommandKind<AddNodesInput, AddNodesResult> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    return fields && isListOf(isNewNode, fields.nodes) ? { nodes: fields.nodes } : null;
  },
  rows: ({ nodes }) => 100 + nodes.length,
  apply: (core, now, { nodes }) => {
    const names = new Set(core.site.nodes.map(({ hostname }) => hostname));
    for (const [index, { hostname }] of nodes.entries()) {
      if (names.has(hostname)) {
        const path = ['nodes', String(index), 'hostname'];
        throw new CommandError(
          'NAME_TAKEN',
          `There is a node with the host name "${hostname}". Choose another name.`,
          path,
        );
      }
      names.add(hostname);
    }
    const first = core.site.nodes.length + 1;
    const added = nodes.map((node, index) => ({ ...node, number: first + index }));
    asRequestError(() => core.addNodes(now, added));
    return { numbers: added.map(({ number }) => number) };
  },
  idempotency: {
    identity: (input) => ({ addNodes: input }),
    number: ({ numbers }) => numbers[0] ?? 0,
    repeated: (first, { nodes }) => ({ numbers: nodes.map((_, index) => first + index) }),
  },
};

function isNewNode(value: unknown): value is NewNode {
  const fields = fieldsOf(value);
  if (!fields || typeof fields.hostname !== 'string' || !isAmounts(fields.capacity)) return false;
  const { address, labels } = fields;
  return (address === undefined || typeof address === 'string') && (labels === undefined || isLabels(labels));
}
