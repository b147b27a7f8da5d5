import type { Command } from 'commander';
import { type Moment, momentOption } from '../client/arguments.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { resolveMoment } from '../client/moments.ts';
import { allNodes } from '../client/nodes.ts';
import { showAmounts } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import { type Column, formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const columns: readonly Column[] = [
  { title: 'NODE', align: 'right' },
  { title: 'HOSTNAME' },
  { title: 'STATE', drop: 2 },
  { title: 'CAPACITY', drop: 1 },
  { title: 'FREE' },
];

export default function nodes(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .option('--at <instant>', 'when the capacity is free (default: now)', momentOption)
    .action(async (options: ServerOptions & OutputOptions & { readonly at?: Moment }) => {
      const client = connect(options);
      const at = options.at === undefined ? null : await resolveMoment(client, '--at', options.at);
      const found = await allNodes(client, at);
      printList(terminal, options, found, () =>
        formatTable(
          columns,
          found.map(({ number, hostname, state, capacity, available }) => [
            String(number),
            hostname,
            state,
            showAmounts(capacity),
            showAmounts(available),
          ]),
          terminal.tableWidth,
        ),
      );
    });
}
