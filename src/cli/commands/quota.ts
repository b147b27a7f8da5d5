import { type Command, InvalidArgumentError } from 'commander';
import { durationOption } from '../client/arguments.ts';
import {
  addServerOptions,
  assertAccepted,
  type Client,
  connect,
  readAll,
  type ServerOptions,
} from '../client/client.ts';
import {
  type QuotaInput,
  QuotasDocument,
  type QuotasQuery,
  SetQuotasDocument,
} from '../client/generated/operations.ts';
import { showDuration } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { formatTable } from '../table.ts';
import { CliError, type Terminal } from '../terminal.ts';

type Options = ServerOptions & OutputOptions;
type ProjectRow = QuotasQuery['projects']['nodes'][number];
type QuotaRow = ProjectRow['quotas'][number];

interface SetOptions extends Options {
  readonly amount?: number;
  readonly hours?: number;
  readonly period?: string;
  readonly maxDuration?: string;
  readonly maxLeases?: number;
}

export default function quota(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(command.command(name).description(description)));

  sub('list', 'Show the quotas of projects, and how much of them is in use.')
    .argument('[project]', 'name or id of a project (default: all)')
    .action(async (wanted: string | undefined, options: Options) => {
      const projects = await projectsWithQuotas(connect(options), wanted);
      const rows = projects.flatMap(({ name, quotas }) => quotas.map((each) => ({ project: name, ...each })));
      printList(terminal, options, rows, () => (rows.length === 0 ? 'No quotas.\n' : table(rows, terminal.tableWidth)));
    });
  sub('set', 'Set the quota of a project for one resource type. A limit that is not given is removed.')
    .argument('<project>', 'name or id of the project')
    .argument('<type>', 'resource type, such as CPU')
    .option('--amount <amount>', 'what its leases may hold at any instant', wholeOption)
    .option('--hours <hours>', 'amount times hours that they may run per period', numberOption)
    .option('--period <duration>', 'period of --hours, such as 30d', durationOption)
    .option('--max-duration <duration>', 'maximum duration of a lease', durationOption)
    .option('--max-leases <count>', 'leases that have not ended', wholeOption)
    .action(async (wanted: string, type: string, options: SetOptions) => {
      const { amount, hours, maxDuration, maxLeases, period } = options;
      const own: QuotaInput = { type, amount, amountHours: hours, maxDuration, maxLeases, period };
      await change(wanted, options, terminal, (others) => [...others.filter((each) => each.type !== type), own]);
    });
  sub('remove', 'Remove the quota of a project for one resource type.')
    .argument('<project>', 'name or id of the project')
    .argument('<type>', 'resource type, such as CPU')
    .action(async (wanted: string, type: string, options: Options) => {
      await change(wanted, options, terminal, (quotas) => {
        if (!quotas.some((each) => each.type === type))
          throw new CliError(`project "${wanted}" has no quota for ${type} [QUOTA_NOT_FOUND]`);
        return quotas.filter((each) => each.type !== type);
      });
    });
}

async function projectsWithQuotas(client: Client, wanted: string | undefined): Promise<ProjectRow[]> {
  const found = await readAll(
    async (after, first) => (await client.request(QuotasDocument, { first, after })).projects,
  );
  if (wanted === undefined) return found;
  const chosen = found.filter(({ id, name }) => id === wanted || name === wanted);
  if (chosen.length > 0) return chosen;
  const known = found.length === 0 ? 'there are none' : found.map(({ name }) => name).join(', ');
  throw new CliError(`there is no project "${wanted}"; known projects: ${known} [PROJECT_NOT_FOUND]`);
}

async function change(
  wanted: string,
  options: Options,
  terminal: Terminal,
  changed: (quotas: readonly QuotaInput[]) => readonly QuotaInput[],
): Promise<void> {
  const client = connect(options);
  const [project] = await projectsWithQuotas(client, wanted);
  if (project === undefined) throw new CliError(`there is no project "${wanted}" [PROJECT_NOT_FOUND]`);
  const present = project.quotas.map(({ usage: _, ...limits }) => limits);
  const input = { id: project.id, quotas: [...changed(present)] };
  const { updateProject } = await client.request(SetQuotasDocument, { input });
  assertAccepted(updateProject.userErrors);
  const { name, quotas = [] } = updateProject.project ?? {};
  const rows = quotas.map((each) => ({ project: name ?? '', ...each }));
  printOne(terminal, options, rows, () =>
    rows.length === 0 ? `${name} has no quotas.\n` : table(rows, terminal.tableWidth),
  );
}

function table(rows: readonly (QuotaRow & { readonly project: string })[], width: number): string {
  return formatTable(
    [
      { title: 'PROJECT' },
      { title: 'TYPE' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'HOURS', align: 'right' },
      { title: 'PERIOD' },
      { title: 'LONGEST' },
      { title: 'LEASES', align: 'right' },
    ],
    rows.map(({ amount, amountHours, maxDuration, maxLeases, period, project, type, usage }) => [
      project,
      type,
      share(usage?.amount, amount),
      share(usage?.amountHours, amountHours),
      period ? showDuration(period) : '',
      maxDuration ? showDuration(maxDuration) : '',
      share(usage?.leases, maxLeases),
    ]),
    width,
  );
}

/** What is in use of how much, such as `200/400`. */
function share(used: number | null | undefined, limit: number | null | undefined): string {
  if (limit == null) return '';
  return used == null ? String(limit) : `${Math.round(used * 100) / 100}/${limit}`;
}

function wholeOption(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number of 0 or more.');
  return Number(text);
}

function numberOption(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('expected a number of 0 or more.');
  return value;
}
