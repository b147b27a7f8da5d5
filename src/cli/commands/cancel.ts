import type { Command } from 'commander';
import { wholeNumber } from '../client/arguments.ts';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import {
  CancelLeaseDocument,
  LeaseByNumberDocument,
  type LeaseRowFragment,
} from '../client/generated/operations.ts';
import { leaseTable, printJson } from '../client/show.ts';
import { CliError, type Terminal } from '../terminal.ts';

export default function cancel(command: Command, terminal: Terminal): void {
  addServerOptions(command)
    .argument('<lease...>', 'numbers of leases', (text, before: readonly number[] = []) => [
      ...before,
      wholeNumber(text),
    ])
    .option('--json', 'print JSON')
    .action(async (numbers: readonly number[], options: ServerOptions & { readonly json?: boolean }) => {
      const client = connect(options);
      const cancelled: LeaseRowFragment[] = [];
      const refused: string[] = [];
      for (const number of numbers) {
        try {
          const { lease } = await client.request(LeaseByNumberDocument, { number });
          if (lease === null) throw new CliError('there is no such lease');
          const answer = (await client.request(CancelLeaseDocument, { id: lease.id })).cancelLease;
          // The path would only say that the id is meant, and nobody has given one.
          assertAccepted(answer.userErrors.map((refusal) => ({ ...refusal, path: null })));
          if (answer.lease) cancelled.push(answer.lease);
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          const named = error.message.startsWith(`lease ${number} `);
          refused.push(named ? error.message : `lease ${number}: ${error.message}`);
        }
      }
      if (options.json) printJson(terminal, cancelled);
      else if (cancelled.length > 0) terminal.out(leaseTable(cancelled));
      if (refused.length > 0) throw new CliError(refused.join('; '));
    });
}
