import type { Command } from 'commander';
import { durationForm } from '../../config/duration.ts';
import { durationOption, type Moment, momentOption, wholeNumber } from '../client/arguments.ts';
import { addServerOptions, connect, type Flags, type ServerOptions } from '../client/client.ts';
import { findLease } from '../client/leases.ts';
import { resolveMoment } from '../client/moments.ts';
import { updateLease } from '../client/update.ts';
import { addOutputOptions, type OutputOptions } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

/** The field of the input -> its option. */
const flags: Flags = {
  ...{ duration: '--duration', start: '--start', deadline: '--deadline', name: '--name' },
  ...{ preemptible: '--preemptible', endNotice: '--end-notice', idempotencyKey: '--key' },
};

interface UpdateOptions extends ServerOptions, OutputOptions {
  readonly name?: string;
  readonly preemptible?: boolean;
  readonly start?: Moment;
  readonly duration?: string;
  readonly deadline?: Moment;
  readonly endNotice?: string;
  readonly asFarAsPossible?: boolean;
  readonly dryRun?: boolean;
  readonly key?: string;
}

export default function update(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<lease>', 'number of a lease', wholeNumber)
    .option('--duration <duration>', `its new duration: ${durationForm}`, durationOption)
    .option('--start <instant>', 'its new start, before its machines have started', momentOption)
    .option('--deadline <instant>', 'the new deadline of a deadline lease', momentOption)
    .option('--name <name>', 'its new name; an empty one: none')
    .option('--preemptible', 'from now on it may be suspended or requeued for leases that take precedence')
    .option('--no-preemptible', 'from now on it may not')
    .option('--end-notice <duration>', 'how long before its end a notice is given; 0s: none', durationOption)
    .option('--as-far-as-possible', 'extend a running lease as far as its nodes are free')
    .option('--dry-run', 'print what would happen, and change nothing')
    .option('--key <key>', 'idempotency key: repeating an update with its key carries it out once')
    .action(async (number: number, options: UpdateOptions) => {
      const { name, preemptible, start, duration, deadline, endNotice, asFarAsPossible, dryRun, key } = options;
      if ([name, preemptible, start, duration, deadline, endNotice].every((value) => value === undefined)) {
        throw new CliError('expected --duration, --start, --deadline, --name, --preemptible or --end-notice', 2);
      }
      const client = connect(options);
      const before = await findLease(client, number);
      const { id } = before;
      const input = {
        id,
        ...(name === undefined ? {} : { name: name === '' ? null : name }),
        ...(preemptible === undefined ? {} : { preemptible }),
        ...(duration === undefined ? {} : { duration }),
        ...(start === undefined ? {} : { start: await resolveMoment(client, '--start', start) }),
        ...(deadline === undefined ? {} : { deadline: await resolveMoment(client, '--deadline', deadline) }),
        ...(endNotice === undefined ? {} : { endNotice }),
        ...(asFarAsPossible ? { asFarAsPossible } : {}),
        ...(dryRun ? { dryRun } : {}),
        ...(key === undefined ? {} : { idempotencyKey: key }),
      };
      await updateLease(client, before, input, options, terminal, flags);
    });
}
