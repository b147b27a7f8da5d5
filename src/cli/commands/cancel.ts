import type { Command } from 'commander';
import { wholeNumber } from '../client/arguments.ts';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import { endingText } from '../client/ending.ts';
import {
  CancelLeaseDocument,
  type EndingRowFragment,
  LeaseByNumberDocument,
  type LeaseRowFragment,
} from '../client/generated/operations.ts';
import { leaseTable } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

interface CancelOptions extends ServerOptions, OutputOptions {
  readonly dryRun?: boolean;
}

export default function cancel(command: Command, terminal: Terminal): void {
  addOutputOptions(addServerOptions(command))
    .argument('<lease...>', 'numbers of leases', (text, before: readonly number[] = []) => [
      ...before,
      wholeNumber(text),
    ])
    .option('--dry-run', 'print for each lease which others would start earlier, and change nothing')
    .action(async (numbers: readonly number[], options: CancelOptions) => {
      const client = connect(options);
      const { dryRun = false } = options;
      const cancelled: LeaseRowFragment[] = [];
      const plans: EndingRowFragment[] = [];
      const refused: string[] = [];
      for (const number of numbers) {
        try {
          const { lease } = await client.request(LeaseByNumberDocument, { number });
          if (lease === null) throw new CliError('there is no such lease [LEASE_NOT_FOUND]');
          const answer = (await client.request(CancelLeaseDocument, { id: lease.id, dryRun })).cancelLease;
          // The path names the id, which the user has not typed.
          assertAccepted(answer.userErrors.map((refusal) => ({ ...refusal, path: null })));
          if (answer.lease) cancelled.push(answer.lease);
          if (answer.plan) plans.push(answer.plan);
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          const named = error.message.startsWith(`Lease ${number} `);
          refused.push(named ? error.message : `lease ${number}: ${error.message}`);
        }
      }
      const { tableWidth } = terminal;
      if (dryRun) {
        printList(terminal, options, plans, () => plans.map((plan) => endingText(plan, tableWidth)).join('\n'));
      } else {
        printList(terminal, options, cancelled, () =>
          cancelled.length === 0 ? '' : leaseTable(cancelled, tableWidth),
        );
      }
      if (refused.length > 0) throw new CliError(refused.join('; '));
    });
}
