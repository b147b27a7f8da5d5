import type { Command } from 'commander';
import { Duration } from 'luxon';
import { durationForm } from '../../config/duration.ts';
import { durationOption, wholeNumber } from '../client/arguments.ts';
import { addServerOptions, connect, type ServerOptions } from '../client/client.ts';
import { keyInput } from '../client/idempotency.ts';
import { findLease } from '../client/leases.ts';
import { updateLease } from '../client/update.ts';
import { addOutputOptions, type OutputOptions } from '../output.ts';
import type { Terminal } from '../terminal.ts';

interface ExtendOptions extends ServerOptions, OutputOptions {
  readonly asFarAsPossible?: boolean;
  readonly dryRun?: boolean;
  readonly key?: string;
}

export default function extend(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<lease>', 'number of a lease', wholeNumber)
    .argument('<duration>', `how much longer, or with --as-far-as-possible at most: ${durationForm}`, durationOption)
    .option('--as-far-as-possible', 'if the full extension is not possible, extend it as far as its nodes are free')
    .option('--dry-run', 'print what would happen, and change nothing')
    .option('--key <key>', 'idempotency key: repeating an extension with its key extends the lease once')
    .action(async (number: number, longer: string, options: ExtendOptions) => {
      const client = connect(options);
      const before = await findLease(client, number);
      const { id, requestedDuration } = before;
      const total = Duration.fromISO(requestedDuration).plus(Duration.fromISO(longer));
      const duration = Duration.fromMillis(total.toMillis()).shiftTo('days', 'hours', 'minutes', 'seconds').toISO();
      const { asFarAsPossible, dryRun, key } = options;
      const input = {
        id,
        duration,
        ...(asFarAsPossible ? { asFarAsPossible } : {}),
        ...(dryRun ? { dryRun } : {}),
        ...keyInput(key),
      };
      // By now the sum is the lease's duration, if an earlier extension was carried out with the key.
      const repetition = key === undefined ? null : { ...input, duration: requestedDuration };
      await updateLease(client, before, input, options, terminal, {}, repetition);
    });
}
