import type { Command } from 'commander';
import { eventNumber, leaseState, wholeNumber } from '../client/arguments.ts';
import { repeated } from '../client/choice.ts';
import { addServerOptions, type Client, connect, newest, type ServerOptions } from '../client/client.ts';
import { showEvent } from '../client/follow.ts';
import {
  type EventRowFragment,
  EventsDocument,
  FilteredEventsDocument,
  type LeaseEventFilter,
  type LeaseState,
} from '../client/generated/operations.ts';
import { findLease } from '../client/leases.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import type { Terminal } from '../terminal.ts';

interface EventsOptions extends ServerOptions, OutputOptions {
  readonly follow?: boolean;
  readonly after?: number;
  readonly last: number;
  readonly lease?: number;
  readonly state?: readonly LeaseState[];
}

export default function events(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'Without options the newest events. --follow prints events as they are committed, until it is stopped. --after begins after a sequence number, so that a client which comes back misses nothing.',
  );
  addOutputOptions(addServerOptions(command))
    .option('--follow', 'print events as they are committed')
    .option('--after <n>', 'begin after this sequence number; 0 is all events that are kept', eventNumber)
    .option('--last <n>', 'number of events, the newest ones', wholeNumber, 50)
    .option('--lease <number>', 'only events of this lease', wholeNumber)
    .option('--state <state>', 'only changes to this state; may be repeated', repeated(leaseState))
    .action(async (options: EventsOptions) => {
      const client = connect(options);
      const leases = options.lease === undefined ? null : [(await findLease(client, options.lease)).id];
      const filter = { leases, to: options.state ?? null };
      if (options.follow) return follow(client, filter, options, terminal);
      const found =
        options.after === undefined
          ? await newest<EventRowFragment>(options.last, async (last, before) => {
              return (await client.request(EventsDocument, { filter, last, before })).events;
            })
          : await since(client, filter, options.after);
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No events.\n' : [heading, ...found.map(line)].join('\n').concat('\n'),
      );
    });
}

const heading = `${'EVENT'.padStart(8)}  ${'AT (UTC)'.padEnd(19)}  CHANGE`;

function line(event: EventRowFragment): string {
  return `${String(event.sequence).padStart(8)}  ${showEvent(event)}`;
}

async function follow(
  client: Client,
  filter: LeaseEventFilter,
  { after = null, json, jsonl }: { after?: number | null } & OutputOptions,
  terminal: Terminal,
): Promise<void> {
  if (!json && !jsonl) terminal.out(`${heading}\n`);
  for await (const { leaseEvents: event } of client.subscribe(FilteredEventsDocument, { after, filter })) {
    terminal.out(`${json || jsonl ? JSON.stringify(event) : line(event)}\n`);
  }
}

/** The events after a sequence number, up to the newest one that there is now. */
async function since(client: Client, filter: LeaseEventFilter, after: number): Promise<EventRowFragment[]> {
  const { nodes } = (await client.request(EventsDocument, { filter, last: 1, before: null })).events;
  const last = nodes[0]?.sequence ?? 0;
  const found: EventRowFragment[] = [];
  if (last <= after) return found;
  for await (const { leaseEvents: event } of client.subscribe(FilteredEventsDocument, { after, filter })) {
    found.push(event);
    if (event.sequence >= last) break;
  }
  return found;
}
