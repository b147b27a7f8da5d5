import type { Command } from 'commander';
import { durationForm } from '../../config/duration.ts';
import { durationOption, image, machineSet, wholeNumber } from '../client/arguments.ts';
import {
  addServerOptions,
  assertAccepted,
  type Client,
  connect,
  readAll,
  type ServerOptions,
} from '../client/client.ts';
import { endingText } from '../client/ending.ts';
import {
  CancelRecurrenceDocument,
  CreateRecurrenceDocument,
  type CreateRecurrenceInput,
  type MachineSetInput,
  RecurrenceByNumberDocument,
  type RecurrenceRowFragment,
  RecurrencesDocument,
  UpdateRecurrenceDocument,
} from '../client/generated/operations.ts';
import { keyHelp, keyInput } from '../client/idempotency.ts';
import { findProject } from '../client/projects.ts';
import { recurrenceDetails, recurrencePlan, recurrenceTable, skippedTable } from '../client/recurrences.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

type Options = ServerOptions & OutputOptions;

interface CreateOptions extends Options {
  readonly machines: MachineSetInput[];
  readonly duration: string;
  readonly rule: string;
  readonly timeZone?: string;
  readonly firstStart: string;
  readonly name?: string;
  readonly project?: string;
  readonly image?: { readonly name: string; readonly sizeMb: number };
  readonly preemptible?: boolean;
  readonly skip?: boolean;
  readonly dryRun?: boolean;
  readonly key?: string;
}

interface UpdateOptions extends Options {
  readonly from?: number;
  readonly name?: string;
  readonly start?: string;
  readonly duration?: string;
  readonly dryRun?: boolean;
}

interface CancelOptions extends Options {
  readonly from?: number;
  readonly dryRun?: boolean;
}

const shownOccurrences = 20;

export default function recurrence(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(command.command(name).description(description)));

  sub('list', 'List recurrences with occurrences that are to come or run.')
    .option('--all', 'also those that are over')
    .action(async (options: Options & { readonly all?: boolean }) => {
      const client = connect(options);
      const live = options.all ? null : true;
      const found = await readAll(
        async (after, first) => (await client.request(RecurrencesDocument, { live, first, after })).recurrences,
      );
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No recurrences.\n' : recurrenceTable(found, terminal.tableWidth),
      );
    });

  sub('show', 'Show a recurrence, and the occurrences that are to come.')
    .argument('<number>', 'number of a recurrence', wholeNumber)
    .option('--occurrences <count>', 'how many', wholeNumber, shownOccurrences)
    .action(async (number: number, options: Options & { readonly occurrences: number }) => {
      const found = await find(connect(options), number, options.occurrences);
      printOne(terminal, options, found, () => recurrenceDetails(found, terminal.tableWidth));
    });

  addNotes(
    sub('create', 'Create an advance reservation that recurs.')
      .requiredOption(
        '--machines <set>',
        'equal machines, such as "2 CPU:100 Memory:1024"; may be repeated',
        machineSet,
      )
      .requiredOption('--duration <duration>', `how long each occurrence runs: ${durationForm}`, durationOption)
      .requiredOption('--rule <rule>', 'RRULE of RFC 5545, such as "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=20"')
      .requiredOption(
        '--first-start <time>',
        'start of the first occurrence on the wall clock, such as 2030-01-31T08:00',
      )
      .option('--time-zone <zone>', 'its time zone, such as Europe/Berlin (default: the local one)')
      .option('--name <name>', 'name of the leases')
      .option('--image <name:mb>', 'disk image and its size', image)
      .option('--preemptible', 'occurrences may be suspended for leases that take precedence')
      .option('--project <project>', 'project to which the leases belong')
      .option('--skip', 'skip occurrences that are not available, instead of refusing the recurrence')
      .option('--key <key>', keyHelp)
      .option('--dry-run', 'print what would happen, and create nothing')
      .action((options: CreateOptions) => create(options, terminal)),
    terminal,
    'The rule names days (FREQ=DAILY, WEEKLY, MONTHLY or YEARLY); the day of the first start must be one of them.',
  );

  sub('update', 'Change the occurrences of a recurrence that have not started, all or none.')
    .argument('<number>', 'number of the recurrence', wholeNumber)
    .option('--from <occurrence>', 'first one to change (default: the first that has not started)', wholeNumber)
    .option('--start <time>', 'its new start on the wall clock; those after it move by as much')
    .option('--duration <duration>', `the new duration: ${durationForm}`, durationOption)
    .option('--name <name>', 'name of leases that are still to be created')
    .option('--dry-run', 'print what would happen, and change nothing')
    .action(async (number: number, options: UpdateOptions) => {
      const { dryRun, from, name, start, duration } = options;
      if ([name, start, duration].every((value) => value === undefined))
        throw new CliError('expected --start, --duration or --name', 2);
      const client = connect(options);
      const { id } = await find(client, number, 0);
      const input = {
        id,
        ...(from !== undefined && { from }),
        ...(name !== undefined && { name }),
        ...(start !== undefined && { start }),
        ...(duration !== undefined && { duration }),
        ...(dryRun && { dryRun }),
      };
      const payload = (await client.request(UpdateRecurrenceDocument, { input })).updateRecurrence;
      if (dryRun) showPlan(payload, 'the update', options, terminal);
      else show(payload, options, terminal);
    });

  sub('cancel', 'Cancel the occurrences of a recurrence that have not started.')
    .argument('<number>', 'number of the recurrence', wholeNumber)
    .option('--from <occurrence>', 'first one to cancel (default: the first that has not started)', wholeNumber)
    .option('--dry-run', 'print what would happen, and cancel nothing')
    .action(async (number: number, options: CancelOptions) => {
      const { dryRun, from } = options;
      const client = connect(options);
      const { id } = await find(client, number, 0);
      const input = { id, ...(from !== undefined && { from }), ...(dryRun && { dryRun }) };
      const payload = (await client.request(CancelRecurrenceDocument, { input })).cancelRecurrence;
      const { plan } = payload;
      if (plan === null) show(payload, options, terminal);
      else printOne(terminal, options, plan, () => endingText(plan, terminal.tableWidth));
    });
}

async function create(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { dryRun, firstStart, key, machines, duration, name, preemptible, project, rule, skip } = options;
  const client = connect(options);
  const input: CreateRecurrenceInput = {
    ...{ machines, duration, rule, firstStart },
    timeZone: options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    name: name ?? null,
    collisions: skip ? 'SKIP' : 'ALL_OR_NOTHING',
    ...(project !== undefined && { project: (await findProject(client, project)).id }),
    ...(options.image && { diskImage: options.image }),
    ...(preemptible && { preemptible }),
    ...(dryRun && { dryRun }),
    ...keyInput(key),
  };
  const payload = (await client.request(CreateRecurrenceDocument, { input })).createRecurrence;
  if (dryRun) showPlan(payload, 'the recurrence', options, terminal);
  else show(payload, options, terminal);
}

interface PlanPayload extends Pick<Payload, 'userErrors'> {
  readonly plan: Parameters<typeof recurrencePlan>[0] | null;
}

function showPlan({ plan, userErrors }: PlanPayload, what: string, options: Options, terminal: Terminal): void {
  assertAccepted(userErrors);
  if (plan === null) throw new CliError('the server answered without a plan [UNEXPECTED_ANSWER]');
  printOne(terminal, options, plan, () => recurrencePlan(plan, terminal.tableWidth));
  if (!plan.accepted) throw new CliError(`${what} would be refused`);
}

/** Throws CliError. */
async function find(client: Client, number: number, upcoming: number) {
  const { recurrence: found } = await client.request(RecurrenceByNumberDocument, { number, upcoming });
  if (found === null) throw new CliError(`there is no recurrence ${number} [RECURRENCE_NOT_FOUND]`);
  return found;
}

interface Payload {
  readonly recurrence: RecurrenceRowFragment | null;
  readonly skipped?: Parameters<typeof skippedTable>[0];
  readonly displaced?: readonly { readonly number: number }[];
  readonly userErrors: Parameters<typeof assertAccepted>[0];
}

function show(payload: Payload, options: Options, terminal: Terminal): void {
  const { recurrence: changed, skipped = [], userErrors } = payload;
  assertAccepted(userErrors);
  if (changed === null) throw new CliError('the server answered without a recurrence [UNEXPECTED_ANSWER]');
  const displaced = (payload.displaced ?? []).map(({ number }) => number);
  printOne(terminal, options, { ...changed, skipped, displaced }, () => {
    const others = displaced.length === 0 ? '' : `Displaced: ${displaced.join(', ')}\n`;
    const left = skipped.length === 0 ? '' : `\nSkipped:\n${skippedTable(skipped, terminal.tableWidth)}`;
    return `${recurrenceTable([changed], terminal.tableWidth)}${others}${left}`;
  });
}
