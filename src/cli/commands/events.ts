import type { Command } from 'commander';
import { eventNumber, wholeNumber } from '../client/arguments.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { showEvent } from '../client/follow.ts';
import { LeaseByNumberDocument, LeaseEventsDocument } from '../client/generated/operations.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';

interface EventsOptions extends ServerOptions {
  readonly after?: number;
  readonly lease?: number;
  readonly jsonl?: boolean;
}

export default function events(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'Prints events as they are committed, until it is stopped. With --after, all events after that sequence number come first, so that a client which comes back misses nothing.',
  );
  addServerOptions(command)
    .option('--follow', 'wait for further events (always so)')
    .option('--after <n>', 'begin after this sequence number; 0 is the first event', eventNumber)
    .option('--lease <number>', 'only events of this lease', wholeNumber)
    .option('--jsonl', 'print JSON Lines: one object per line')
    .action(async (options: EventsOptions) => {
      const client = connect(options);
      let leaseId: string | null = null;
      if (options.lease !== undefined) {
        const { lease } = await client.request(LeaseByNumberDocument, { number: options.lease });
        if (lease === null) throw new CliError(`there is no lease ${options.lease} [LEASE_NOT_FOUND]`);
        leaseId = lease.id;
      }
      const variables = { after: options.after ?? null, leaseId };
      for await (const { leaseEvents: event } of client.subscribe(LeaseEventsDocument, variables)) {
        terminal.out(`${options.jsonl ? JSON.stringify(event) : `${event.sequence}  ${showEvent(event)}`}\n`);
      }
    });
}
