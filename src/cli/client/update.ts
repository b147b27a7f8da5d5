import { Duration } from 'luxon';
import { type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { assertAccepted, type Client, type Flags } from './client.ts';
import { type LeaseRowFragment, UpdateLeaseDocument, type UpdateLeaseInput } from './generated/operations.ts';
import { printUpdatePlan } from './rehearse.ts';
import { leaseTable, showDuration } from './show.ts';

/**
 * Updates a lease and prints it, or with `dryRun` what would happen. `repetition` is the same update where its
 * idempotency key was used before with another input. Throws CliError when the update is, or would be, refused.
 */
export async function updateLease(
  client: Client,
  before: LeaseRowFragment,
  input: UpdateLeaseInput,
  options: OutputOptions,
  terminal: Terminal,
  flags: Flags = {},
  repetition: UpdateLeaseInput | null = null,
): Promise<void> {
  let isRepeated = false;
  let answer = (await client.request(UpdateLeaseDocument, { input })).updateLease;
  if (repetition !== null && answer.userErrors.some(({ code }) => code === 'IDEMPOTENCY_CONFLICT')) {
    isRepeated = true;
    answer = (await client.request(UpdateLeaseDocument, { input: repetition })).updateLease;
  }
  const { lease, displaced, plan, userErrors } = answer;
  assertAccepted(userErrors, flags);
  if (input.dryRun && plan !== null) {
    printUpdatePlan(plan, before.state === 'ACTIVE', options, terminal);
    return;
  }
  if (lease === null) throw new CliError('the server answered without a lease [UNEXPECTED_ANSWER]');
  const numbers = displaced.map(({ number }) => number);
  printOne(terminal, options, { ...lease, displaced: numbers }, () => {
    const others = numbers.length === 0 ? '' : `Displaced: ${numbers.join(', ')}\n`;
    const granted = isRepeated ? '' : grantedOf(before, input, lease);
    return `${leaseTable([lease], terminal.tableWidth)}${others}${granted}`;
  });
}

/** How much of an extension was granted that may be shorter than it was asked for. */
function grantedOf(
  { requestedDuration }: LeaseRowFragment,
  { asFarAsPossible, duration }: UpdateLeaseInput,
  lease: LeaseRowFragment,
): string {
  if (!asFarAsPossible || duration == null) return '';
  const [asked, granted] = [duration, lease.requestedDuration].map((now) =>
    Duration.fromISO(now).minus(Duration.fromISO(requestedDuration)).toMillis(),
  );
  if (asked === undefined || granted === undefined || asked <= 0) return '';
  const [all, some] = [asked, granted].map((millis) => showDuration(Duration.fromMillis(millis).toISO()));
  return granted < asked ? `Extended by ${some} of ${all}.\n` : `Extended by ${all}, as asked for.\n`;
}
