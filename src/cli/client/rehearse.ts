import { type OutputOptions, printJson, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';
import { assertAccepted, type Client, type Flags } from './client.ts';
import { DryRunDocument, type PlanFragment as Plan, type RequestLeaseInput } from './generated/operations.ts';
import { showDuration, showInstant } from './show.ts';

/**
 * Prints what would become of each request by itself. Throws CliError when one of them would be refused or rejected.
 */
export async function rehearse(
  client: Client,
  inputs: readonly RequestLeaseInput[],
  { json, jsonl }: OutputOptions,
  terminal: Terminal,
  flags: Flags,
): Promise<void> {
  const plans: Plan[] = [];
  const refused: string[] = [];
  for (const [index, input] of inputs.entries()) {
    const name = inputs.length === 1 ? '' : `lease ${index + 1} of ${inputs.length}: `;
    try {
      const plan = await planOf(client, input, flags);
      plans.push(plan);
      if (!json && !jsonl) terminal.out(show(plan, name));
      else if (!plan.accepted) refused.push(`${name}would be rejected${reasonOf(plan)}`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refused.push(`${name}${error.message}`);
    }
  }
  if (jsonl) for (const plan of plans) terminal.out(`${JSON.stringify(plan)}\n`);
  else if (json && inputs.length > 1) printJson(terminal, plans);
  else if (json && plans[0] !== undefined) printJson(terminal, plans[0]);
  // What was printed of a plan is not repeated.
  if (refused.length > 0 || plans.some(({ accepted }) => !accepted)) throw new CliError(refused.join('; '));
}

async function planOf(client: Client, input: RequestLeaseInput, flags: Flags): Promise<Plan> {
  const dryRun = { ...input, dryRun: true };
  const { plan, userErrors } = (await client.request(DryRunDocument, { input: dryRun })).requestLease;
  assertAccepted(userErrors, flags);
  if (plan === null) throw new CliError('the server answered without a plan [UNEXPECTED_ANSWER]');
  return plan;
}

/** Prints what would become of an update. Throws CliError when it would be refused. */
export function printUpdatePlan(plan: Plan, isRunning: boolean, options: OutputOptions, terminal: Terminal): void {
  printOne(terminal, options, plan, () => show(plan, '', 'refused', isRunning));
  if (plan.accepted) return;
  throw new CliError(options.json || options.jsonl ? `would be refused${reasonOf(plan)}` : '');
}

function reasonOf({ reason }: Plan): string {
  return reason === null ? '' : `: ${reason.message} [${reason.code}]`;
}

function show(plan: Plan, name: string, otherwise: 'rejected' | 'refused' = 'rejected', isRunning = false): string {
  const { accepted, displaces, end, firstPossibleStart, maxDuration, machines, start } = plan;
  const nodes = machines.flatMap(({ node }) => node?.hostname ?? []);
  const facts: (readonly [name: string, value: string | null])[] = [
    ['start', start && `${isRunning ? '' : '~'}${showInstant(start)}`],
    ['end', end && `~${showInstant(end)}`],
    ['nodes', nodes.length === 0 ? null : nodes.join(' ')],
    ['displaces', displaces.length === 0 ? null : displaces.map(({ number }) => number).join(', ')],
    ['could start', firstPossibleStart && showInstant(firstPossibleStart)],
    ['could last', maxDuration && showDuration(maxDuration)],
  ];
  const head = `would be ${accepted ? 'accepted' : otherwise}${reasonOf(plan)}`;
  return [
    plain(`${name}${head}`),
    ...facts.flatMap(([fact, value]) => (value === null ? [] : [`${fact.padEnd(11)}  ${plain(value)}`])),
    '',
  ].join('\n');
}
