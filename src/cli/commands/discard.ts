import type { Command } from 'commander';
import { wholeNumber } from '../client/arguments.ts';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import { DiscardLeaseDocument } from '../client/generated/operations.ts';
import { findLease } from '../client/leases.ts';
import { leaseTable } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

export default function discard(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<lease>', 'number of a quarantined lease', wholeNumber)
    .action(async (number: number, options: ServerOptions & OutputOptions) => {
      const client = connect(options);
      const { id } = await findLease(client, number);
      const { lease, userErrors } = (await client.request(DiscardLeaseDocument, { id })).discardLease;
      // The path names the id, which the user has not typed.
      assertAccepted(userErrors.map((refusal) => ({ ...refusal, path: null })));
      if (lease === null) throw new CliError('the server answered without a lease [UNEXPECTED_ANSWER]');
      printOne(terminal, options, lease, () => leaseTable([lease], terminal.tableWidth));
    });
}
