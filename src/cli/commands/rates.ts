import type { Command } from 'commander';
import { addServerOptions, allPages, connect, type ServerOptions } from '../client/client.ts';
import { RatesDocument, type RatesQuery } from '../client/generated/operations.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import { type Column, formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const columns: readonly Column[] = [
  { title: 'NODE' },
  { title: 'OPERATION' },
  { title: 'COUNT', align: 'right' },
  { title: 'MIN MB/s', align: 'right' },
  { title: 'MEDIAN MB/s', align: 'right' },
];

type Rate = RatesQuery['nodes']['nodes'][number]['measuredRates'][number] & { readonly node: string };

export default function rates(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'PREPARE is the transfer of images, MIGRATE that of memory and image. Set scheduler.suspendRate and scheduler.resumeRate to no more than the slowest node has shown (docs/adapters.md).',
    'The token must be that of an operator.',
  );
  addOutputOptions(addServerOptions(command)).action(async (options: ServerOptions & OutputOptions) => {
    const client = connect(options);
    const found: Rate[] = [];
    const pages = allPages(async (after, first) => (await client.request(RatesDocument, { first, after })).nodes);
    for await (const { hostname, measuredRates } of pages)
      for (const rate of measuredRates) found.push({ node: hostname, ...rate });
    printList(terminal, options, found, () => {
      if (found.length === 0) return 'No host has suspended, resumed or moved machines yet.\n';
      return formatTable(
        columns,
        found.map(({ node, kind, count, min, median }) => [
          ...[node, kind, String(count)],
          ...[min.toFixed(1), median.toFixed(1)],
        ]),
        terminal.tableWidth,
      );
    });
  });
}
