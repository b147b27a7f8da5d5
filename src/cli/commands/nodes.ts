import type { Command } from 'commander';
import { type Moment, momentOption } from '../client/arguments.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { resolveMoment } from '../client/moments.ts';
import { allNodes, hostsOfNodes, hostTroubles, leasesOnNodes } from '../client/nodes.ts';
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
  { title: 'LEASES', below: true },
  { title: 'HOST', below: true },
];

export default function nodes(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .option('--at <instant>', 'when leases run and capacity is free (default: now)', momentOption, {
      offset: 0,
    })
    .action(async (options: ServerOptions & OutputOptions & { readonly at: Moment }) => {
      const client = connect(options);
      const at = await resolveMoment(client, '--at', options.at);
      const running = await leasesOnNodes(client, at);
      const hosts = await hostsOfNodes(client);
      const found = (await allNodes(client, at)).map((node) => ({
        ...node,
        leases: running.get(node.number) ?? [],
        host: hosts.get(node.number) ?? null,
      }));
      printList(terminal, options, found, () =>
        formatTable(
          columns,
          found.map(({ number, hostname, state, capacity, available, leases, host }) => [
            String(number),
            hostname,
            state,
            showAmounts(capacity),
            showAmounts(available),
            leases.length === 0 ? '' : `${leases.length === 1 ? 'lease' : 'leases'} ${leases.join(', ')}`,
            host === null ? '' : hostTroubles(host).join('; '),
          ]),
          terminal.tableWidth,
        ),
      );
    });
}
