import type { HostFacts } from '../hosts/host-facts.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isListOf, isWhole } from './shape.ts';

export interface HostFactsInput {
  /** Numbers of nodes. */
  readonly nodes: readonly number[];
}

/** Query: what is known of the hosts of nodes, in the order of their numbers in the input. Changes nothing. */
export const hostFacts: CommandKind<HostFactsInput, readonly HostFacts[]> = {
  parse: (input) => {
    const nodes = fieldsOf(input)?.nodes;
    return isListOf(isWhole, nodes) ? { nodes } : null;
  },
  rows: () => 0,
  apply: (_core, _now, { nodes }, { hosts }) => hosts.factsOf(nodes),
  idempotency: null,
};
