import type { Command } from 'commander';
import { leaseState, leaseType, wholeNumber } from '../client/arguments.ts';
import { addServerOptions, allPages, connect, type ServerOptions } from '../client/client.ts';
import {
  type LeaseRowFragment,
  type LeaseState,
  LeasesDocument,
  type LeaseType,
} from '../client/generated/operations.ts';
import { leaseTable } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import type { Terminal } from '../terminal.ts';

interface LeasesOptions extends ServerOptions, OutputOptions {
  readonly state?: LeaseState[];
  readonly type?: LeaseType[];
  readonly last: number;
}

export default function leases(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .option(
      '--state <state>',
      'only leases in this state; may be repeated',
      (text, before: LeaseState[] = []) => [...before, leaseState(text)],
    )
    .option(
      '--type <type>',
      'only leases of this type; may be repeated',
      (text, before: LeaseType[] = []) => [...before, leaseType(text)],
    )
    .option('--last <n>', 'number of leases, the newest ones', wholeNumber, 50)
    .action(async ({ state, type, last, ...options }: LeasesOptions) => {
      const client = connect(options);
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
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No leases.\n' : leaseTable(found, terminal.tableWidth),
      );
    });
}
