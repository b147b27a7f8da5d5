import { type Command, InvalidArgumentError } from 'commander';
import { leaseType, wholeNumber } from '../client/arguments.ts';
import { addServerOptions, allPages, connect, type ServerOptions } from '../client/client.ts';
import {
  type LeaseRowFragment,
  type LeaseState,
  LeasesDocument,
  type LeaseType,
} from '../client/generated/operations.ts';
import { leaseTable, printJson } from '../client/show.ts';
import { leaseStates } from '../client/states.ts';
import type { Terminal } from '../terminal.ts';

interface LeasesOptions extends ServerOptions {
  readonly state?: LeaseState[];
  readonly type?: LeaseType[];
  readonly last: number;
  readonly json?: boolean;
}

export default function leases(command: Command, terminal: Terminal): void {
  addServerOptions(command)
    .option('--state <state>', 'only leases in this state; may be repeated', stateOption)
    .option(
      '--type <type>',
      'only leases of this type; may be repeated',
      (text, before: LeaseType[] = []) => [...before, leaseType(text)],
    )
    .option('--last <n>', 'how many of the newest ones', wholeNumber, 50)
    .option('--json', 'print JSON')
    .action(async ({ state, type, last, json, ...server }: LeasesOptions) => {
      const client = connect(server);
      const filter = { states: state ?? null, types: type ?? null };
      const found: LeaseRowFragment[] = [];
      const pages = allPages<LeaseRowFragment>(async (before, size) => {
        const { nodes, pageInfo } = (
          await client.request(LeasesDocument, { filter, last: Math.min(size, last - found.length), before })
        ).leases;
        return {
          nodes: nodes.toReversed(),
          pageInfo: { hasNextPage: pageInfo.hasPreviousPage, endCursor: pageInfo.startCursor },
        };
      });
      for await (const lease of pages) {
        found.push(lease);
        if (found.length === last) break;
      }
      found.reverse();
      if (json) printJson(terminal, found);
      else terminal.out(found.length === 0 ? 'No leases.\n' : leaseTable(found));
    });
}

function stateOption(text: string, before: readonly LeaseState[] = []): LeaseState[] {
  const state = leaseStates.find((each) => each === text.toUpperCase().replaceAll('-', '_'));
  if (state === undefined) throw new InvalidArgumentError(`Expected one of ${leaseStates.join(', ')}.`);
  return [...before, state];
}
