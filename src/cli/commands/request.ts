import { type Command, Option } from 'commander';
import { DateTime, Duration } from 'luxon';
import {
  durationOption,
  image,
  leaseType,
  machineSet,
  type StartOption,
  startOption,
} from '../client/arguments.ts';
import {
  addServerOptions,
  assertAccepted,
  type Client,
  connect,
  type ServerOptions,
} from '../client/client.ts';
import {
  FirstEventDocument,
  LeaseByNumberDocument,
  LeaseEventsDocument,
  type LeaseRowFragment,
  type LeaseType,
  type MachineSetInput,
  RequestLeaseDocument,
  SiteDocument,
} from '../client/generated/operations.ts';
import { leaseTable, printJson, showInstant } from '../client/show.ts';
import { isFinal } from '../client/states.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';

interface RequestOptions extends ServerOptions {
  readonly type: LeaseType;
  readonly machines: MachineSetInput[];
  readonly duration: string;
  readonly start?: StartOption;
  readonly name?: string;
  readonly image?: { readonly name: string; readonly sizeMb: number };
  readonly preemptible?: boolean;
  readonly key?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

export default function request(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'The exit status is 0 when the lease was accepted; with --wait, when it is DONE.',
  );
  addServerOptions(command)
    .addOption(
      new Option('--type <type>', 'best-effort, advance-reservation or immediate')
        .argParser(leaseType)
        .default('BEST_EFFORT', 'best-effort'),
    )
    .requiredOption(
      '--machines <set>',
      'machines that are alike, such as "2 CPU:100 Memory:1024"; may be repeated',
      machineSet,
    )
    .requiredOption(
      '--duration <duration>',
      'how long they are to run: 90m, 1h30m, 2d or PT1H30M',
      durationOption,
    )
    .option(
      '--start <instant>',
      'advance-reservation: when, such as 2030-01-31T08:00:00Z, or +1h from now',
      startOption,
    )
    .option('--name <name>', 'what to call the lease')
    .option('--image <name:mb>', 'the disk image and its size', image)
    .option('--preemptible', 'it may be suspended for leases that go first')
    .option('--no-preemptible', 'it may not')
    .option('--key <key>', 'idempotency key: the same request with the same key is made once')
    .option('--wait', 'show what becomes of it until it ends')
    .option('--json', 'print JSON')
    .action(async (options: RequestOptions) => {
      const client = connect(options);
      const { lease, userErrors } = (
        await client.request(RequestLeaseDocument, {
          input: {
            type: options.type,
            machines: options.machines,
            duration: options.duration,
            start: options.start ? await startOf(client, options.start) : null,
            name: options.name ?? null,
            diskImage: options.image ?? null,
            preemptible: options.preemptible ?? null,
            idempotencyKey: options.key ?? null,
          },
        })
      ).requestLease;
      assertAccepted(userErrors);
      if (lease === null) throw new CliError('the server answered without a lease');
      const ended = options.wait ? await follow(client, lease, options.json ? null : terminal) : lease;
      if (options.json) printJson(terminal, ended);
      else terminal.out(leaseTable([ended]));
      const { state, stateReason } = ended;
      const good = options.wait ? state === 'DONE' : state !== 'REJECTED';
      if (!good)
        throw new CliError(
          `lease ${ended.number} is ${state}${stateReason ? `: ${stateReason.message}` : ''}`,
        );
    });
}

async function startOf(client: Client, start: StartOption): Promise<string> {
  if ('at' in start) return start.at;
  const { serverTime } = await client.request(SiteDocument, {});
  const at = DateTime.fromISO(serverTime).plus(Duration.fromISO(start.after)).toUTC();
  const iso = at.isValid && at.year <= 9999 ? at.toISO() : null;
  if (iso === null) throw new CliError('--start: that is after the year 9999', 2);
  return iso;
}

/** Waits until the lease has ended, telling each change. */
async function follow(
  client: Client,
  lease: LeaseRowFragment,
  terminal: Terminal | null,
): Promise<LeaseRowFragment> {
  // From its first event on: what happened before the subscription was there is told as well, and nothing is waited for in vain.
  const { lease: known } = await client.request(FirstEventDocument, { number: lease.number });
  const first = known?.events.nodes[0]?.sequence;
  if (first === undefined && isFinal(lease.state)) return lease;
  for await (const { leaseEvents: event } of client.subscribe(LeaseEventsDocument, {
    after: first === undefined ? null : first - 1,
    leaseId: lease.id,
  })) {
    const reason = event.reason ? ` (${event.reason.message})` : '';
    terminal?.err(`${showInstant(event.at)}  lease ${lease.number}: ${event.from} -> ${event.to}${reason}\n`);
    if (isFinal(event.to)) break;
  }
  return (await client.request(LeaseByNumberDocument, { number: lease.number })).lease ?? lease;
}
