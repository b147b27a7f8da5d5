import type { Command } from 'commander';
import { type Moment, momentOption } from '../client/arguments.ts';
import { addServerOptions, allPages, type Client, connect, type ServerOptions } from '../client/client.ts';
import { NodeReservationsDocument, type ReservationRowFragment } from '../client/generated/operations.ts';
import { resolveMoments } from '../client/moments.ts';
import { findNode } from '../client/nodes.ts';
import { reservationTable } from '../client/reservations.ts';
import { showAmounts } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

interface NodeOptions extends ServerOptions, OutputOptions {
  readonly from: Moment;
  readonly to: Moment;
}

export default function node(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<node>', 'number or host name of a node')
    .option('--from <instant>', 'reservations that end after it (default: now)', momentOption, { offset: 0 })
    .option('--to <instant>', 'reservations that start before it (default: +1d)', momentOption, {
      offset: 86_400_000,
    })
    .action(async (wanted: string, options: NodeOptions) => {
      const client = connect(options);
      const [from = '', to = ''] = await resolveMoments(client, [
        ['--from', options.from],
        ['--to', options.to],
      ]);
      const found = await findNode(client, wanted, from);
      const reservations = await reservationsOf(client, found.id, from, to);
      printOne(terminal, options, { ...found, reservations }, () => {
        const { number, hostname, capacity, available } = found;
        const table =
          reservations.length === 0
            ? 'No reservations.\n'
            : reservationTable(reservations, terminal.tableWidth);
        return `node ${number}    ${plain(hostname)}\ncapacity  ${showAmounts(capacity)}\nfree      ${showAmounts(available)}\n\n${table}`;
      });
    });
}

async function reservationsOf(
  client: Client,
  id: string,
  from: string,
  to: string,
): Promise<ReservationRowFragment[]> {
  const found: ReservationRowFragment[] = [];
  const pages = allPages<ReservationRowFragment>(async (after, first) => {
    const { node } = await client.request(NodeReservationsDocument, { id, from, to, first, after });
    if (node === null || !('reservations' in node)) throw new CliError('the node is gone');
    return node.reservations;
  });
  for await (const reservation of pages) found.push(reservation);
  return found;
}
