import { type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { assertAccepted, type Client } from './client.ts';
import { UpdateLeaseDocument, type UpdateLeaseInput } from './generated/operations.ts';
import { printUpdatePlan } from './rehearse.ts';
import { leaseTable } from './show.ts';

/**
 * Updates a lease and prints it, or with `dryRun` what would happen. `repetition` is the same update where its
 * idempotency key was used before with another input. Throws CliError when the update is, or would be, refused.
 */
export async function updateLease(
  client: Client,
  input: UpdateLeaseInput,
  options: OutputOptions,
  terminal: Terminal,
  repetition: UpdateLeaseInput | null = null,
): Promise<void> {
  let answer = (await client.request(UpdateLeaseDocument, { input })).updateLease;
  if (repetition !== null && answer.userErrors.some(({ code }) => code === 'IDEMPOTENCY_CONFLICT')) {
    answer = (await client.request(UpdateLeaseDocument, { input: repetition })).updateLease;
  }
  const { lease, displaced, plan, userErrors } = answer;
  assertAccepted(userErrors);
  if (input.dryRun && plan !== null) {
    printUpdatePlan(plan, options, terminal);
    return;
  }
  if (lease === null) throw new CliError('the server answered without a lease [UNEXPECTED_ANSWER]');
  const numbers = displaced.map(({ number }) => number);
  printOne(terminal, options, { ...lease, displaced: numbers }, () => {
    const others = numbers.length === 0 ? '' : `Displaced: ${numbers.join(', ')}\n`;
    return `${leaseTable([lease], terminal.tableWidth)}${others}`;
  });
}
