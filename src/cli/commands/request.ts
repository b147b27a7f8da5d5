import { type Command, Option } from 'commander';
import { durationForm } from '../../config/duration.ts';
import { isFinal } from '../../core/index.ts';
import {
  durationOption,
  image,
  leaseType,
  type Moment,
  machineSet,
  momentOption,
} from '../client/arguments.ts';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import { followLease } from '../client/follow.ts';
import {
  type LeaseType,
  type MachineSetInput,
  RequestLeaseDocument,
} from '../client/generated/operations.ts';
import { known } from '../client/known.ts';
import { resolveMoment } from '../client/moments.ts';
import { leaseTable } from '../client/show.ts';
import { addNotes } from '../help.ts';
import { printJson } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

interface RequestOptions extends ServerOptions {
  readonly type: LeaseType;
  readonly machines: MachineSetInput[];
  readonly duration: string;
  readonly start?: Moment;
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
      'equal machines, such as "2 CPU:100 Memory:1024"; may be repeated',
      machineSet,
    )
    .requiredOption('--duration <duration>', `how long they run: ${durationForm}`, durationOption)
    .option(
      '--start <instant>',
      'advance-reservation: the start, such as 2030-01-31T08:00:00Z, or +1h from now',
      momentOption,
    )
    .option('--name <name>', 'name of the lease')
    .option('--image <name:mb>', 'disk image and its size', image)
    .option('--preemptible', 'the lease may be suspended for leases that take precedence')
    .option('--no-preemptible', 'the lease may not be suspended')
    .option('--key <key>', 'idempotency key: repeating a request with its key returns the same lease')
    .option('--wait', 'wait until the lease ends, printing each change')
    .option('--json', 'print JSON')
    .action(async (options: RequestOptions) => {
      const client = connect(options);
      const { lease, userErrors } = (
        await client.request(RequestLeaseDocument, {
          input: {
            type: options.type,
            machines: options.machines,
            duration: options.duration,
            start: options.start ? await resolveMoment(client, '--start', options.start) : null,
            name: options.name ?? null,
            diskImage: options.image ?? null,
            preemptible: options.preemptible ?? null,
            idempotencyKey: options.key ?? null,
          },
        })
      ).requestLease;
      assertAccepted(userErrors);
      if (lease === null) throw new CliError('the server answered without a lease');
      const isDecided =
        options.type === 'BEST_EFFORT' || (lease.state !== 'NEW' && lease.state !== 'PENDING');
      let shown = lease;
      if (options.wait)
        shown = await followLease(
          client,
          lease,
          (state) => isFinal(known(state)),
          options.json ? null : terminal,
        );
      else if (!isDecided) shown = await followLease(client, lease, (state) => state !== 'PENDING', null);
      const { state, stateReason } = shown;
      const isGood = options.wait ? state === 'DONE' : state !== 'REJECTED';
      if (options.json) printJson(terminal, shown);
      else if (isGood) terminal.out(leaseTable([shown], terminal.tableWidth));
      if (isGood) return;
      const reason = stateReason ? `: ${stateReason.message} [${stateReason.code}]` : '';
      throw new CliError(`lease ${shown.number} is ${state}${reason}`);
    });
}
