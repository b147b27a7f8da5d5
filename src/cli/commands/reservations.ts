import type { Command } from 'commander';
import { type Moment, momentOption } from '../client/arguments.ts';
import { addServerOptions, connect, readAll, type ServerOptions } from '../client/client.ts';
import { ReservationsDocument } from '../client/generated/operations.ts';
import { resolveMoments } from '../client/moments.ts';
import { reservationTable } from '../client/reservations.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import type { Terminal } from '../terminal.ts';

interface ReservationsOptions extends ServerOptions, OutputOptions {
  readonly from: Moment;
  readonly to: Moment;
}

export default function reservations(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .option('--from <instant>', 'only those that end after it (default: now)', momentOption, { offset: 0 })
    .option('--to <instant>', 'only those that start before it (default: +1d)', momentOption, {
      offset: 86_400_000,
    })
    .action(async (options: ReservationsOptions) => {
      const client = connect(options);
      const [from = '', to = ''] = await resolveMoments(client, [
        ['--from', options.from],
        ['--to', options.to],
      ]);
      const found = await readAll(
        async (after, first) => (await client.request(ReservationsDocument, { from, to, first, after })).reservations,
      );
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No reservations.\n' : reservationTable(found, terminal.tableWidth),
      );
    });
}
