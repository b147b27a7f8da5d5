import type { Command } from 'commander';
import { addServerOptions, allPages, connect, type ServerOptions } from '../client/client.ts';
import { NodesDocument } from '../client/generated/operations.ts';
import { printJson, showAmounts } from '../client/show.ts';
import { formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export default function nodes(command: Command, terminal: Terminal): void {
  addServerOptions(command)
    .option('--json', 'print JSON')
    .action(async ({ json, ...server }: ServerOptions & { readonly json?: boolean }) => {
      const client = connect(server);
      const found = [];
      const pages = allPages(
        async (after) => (await client.request(NodesDocument, { first: 100, after })).nodes,
      );
      for await (const node of pages) found.push(node);
      if (json) return printJson(terminal, found);
      terminal.out(
        formatTable(
          [
            { title: 'NODE', align: 'right' },
            { title: 'HOSTNAME' },
            { title: 'CAPACITY' },
            { title: 'FREE NOW' },
          ],
          found.map(({ number, hostname, capacity, available }) => [
            String(number),
            hostname,
            showAmounts(capacity),
            showAmounts(available),
          ]),
        ),
      );
    });
}
