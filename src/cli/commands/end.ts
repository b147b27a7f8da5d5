import type { Command } from 'commander';
import { wholeNumber } from '../client/arguments.ts';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import { endingText } from '../client/ending.ts';
import { EndLeaseDocument } from '../client/generated/operations.ts';
import { findLease } from '../client/leases.ts';
import { leaseTable } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

interface EndOptions extends ServerOptions, OutputOptions {
  readonly dryRun?: boolean;
}

export default function end(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<lease>', 'number of a running lease', wholeNumber)
    .option('--dry-run', 'print which leases would start earlier, and change nothing')
    .action(async (number: number, options: EndOptions) => {
      const client = connect(options);
      const { dryRun = false } = options;
      const { id } = await findLease(client, number);
      const { lease, plan, userErrors } = (await client.request(EndLeaseDocument, { id, dryRun })).endLease;
      // The path names the id, which the user has not typed.
      assertAccepted(userErrors.map((refusal) => ({ ...refusal, path: null })));
      if (plan !== null) return printOne(terminal, options, plan, () => endingText(plan, terminal.tableWidth));
      if (lease === null) throw new CliError('the server answered without a lease [UNEXPECTED_ANSWER]');
      printOne(terminal, options, lease, () => leaseTable([lease], terminal.tableWidth));
    });
}
