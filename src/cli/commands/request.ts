import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { DateTime } from 'luxon';
import { durationForm } from '../../config/duration.ts';
import { isFinal } from '../../core/index.ts';
import { readLwf } from '../../simulation/formats/lwf.ts';
import { textSource } from '../../simulation/formats/source.ts';
import { durationOption, image, leaseType, type Moment, machineSet, momentOption } from '../client/arguments.ts';
import {
  addServerOptions,
  assertAccepted,
  type Client,
  connect,
  type Flags,
  type ServerOptions,
} from '../client/client.ts';
import { followLease } from '../client/follow.ts';
import {
  type LeaseRowFragment,
  type LeaseType,
  type MachineSetInput,
  RequestLeaseDocument,
  type RequestLeaseInput,
  SiteDocument,
} from '../client/generated/operations.ts';
import { scheduledState } from '../client/known.ts';
import { leaseInput } from '../client/lease-input.ts';
import { resolveMoment } from '../client/moments.ts';
import { findProject } from '../client/projects.ts';
import { rehearse } from '../client/rehearse.ts';
import { leaseTable } from '../client/show.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printJson } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

interface RequestOptions extends ServerOptions, OutputOptions {
  readonly type: LeaseType;
  readonly machines?: MachineSetInput[];
  readonly duration?: string;
  readonly start?: Moment;
  readonly deadline?: Moment;
  readonly name?: string;
  readonly image?: { readonly name: string; readonly sizeMb: number };
  readonly preemptible?: boolean;
  readonly endNotice?: string;
  readonly project?: string;
  readonly key?: string;
  readonly file?: string;
  readonly wait?: boolean;
  readonly dryRun?: boolean;
}

/** Options that describe the lease, which --file replaces. */
const described = ['machines', 'duration', 'start', 'deadline', 'name', 'image', 'preemptible', 'endNotice'] as const;

/** The field of the input -> its option. */
const requestFlags: Flags = {
  ...{ type: '--type', machines: '--machines', duration: '--duration', start: '--start', name: '--name' },
  ...{ deadline: '--deadline', diskImage: '--image', preemptible: '--preemptible', project: '--project' },
  ...{ endNotice: '--end-notice', idempotencyKey: '--key' },
};

/** Leases of a file have no options. */
const flagsOf = ({ file }: RequestOptions): Flags => (file === undefined ? requestFlags : {});

export default function request(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'Leases with a fixed time are decided at once. The exit status is 0 when all leases were accepted; with --wait, when all are DONE.',
    'FILE is a lease or a list of leases in JSON, as RequestLeaseInput of the schema, or a workload in LWF, whose times count from now.',
  );
  addOutputOptions(addServerOptions(command))
    .addOption(
      new Option('--type <type>', 'best-effort, advance-reservation, immediate or deadline')
        .argParser(leaseType)
        .default('BEST_EFFORT', 'best-effort'),
    )
    .option('--machines <set>', 'equal machines, such as "2 CPU:100 Memory:1024"; may be repeated', machineSet)
    .option('--duration <duration>', `how long they run: ${durationForm}`, durationOption)
    .option(
      '--start <instant>',
      'advance-reservation: the start, such as 2030-01-31T08:00:00Z, or +1h from now; deadline: the earliest start',
      momentOption,
    )
    .option('--deadline <instant>', 'deadline: the instant by which the lease must end', momentOption)
    .option('--name <name>', 'name of the lease')
    .option('--image <name:mb>', 'disk image and its size', image)
    .option('--preemptible', 'the lease may be suspended for leases that take precedence')
    .option('--no-preemptible', 'the lease may not be suspended')
    .option('--end-notice <duration>', 'how long before its end a notice is given; 0s: none', durationOption)
    .option('--project <project>', 'project to which the lease belongs')
    .option('--key <key>', 'idempotency key: repeating a request with its key returns the same lease')
    .option('--file <file>', 'request the leases of a file; - is standard input')
    .option('--wait', 'wait until the lease ends, printing each change')
    .option('--dry-run', 'print what would happen, and request nothing')
    .action(async (options: RequestOptions) => {
      if (options.dryRun && options.wait) throw new CliError('--wait does not go with --dry-run', 2);
      const client = connect(options);
      const inputs = await inputsOf(client, options);
      if (options.dryRun) {
        await rehearse(client, inputs, options, terminal, flagsOf(options));
        return;
      }
      const shown: LeaseRowFragment[] = [];
      const refused: string[] = [];
      for (const [index, input] of inputs.entries()) {
        const name = inputs.length === 1 ? '' : `lease ${index + 1} of ${inputs.length}: `;
        try {
          const lease = await requestOne(client, input, options, terminal);
          const problem = problemOf(lease, options.wait === true);
          if (problem !== null) refused.push(problem);
          if (problem === null || options.json || options.jsonl) shown.push(lease);
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          refused.push(`${name}${error.message}`);
        }
      }
      print(shown, inputs.length, options, terminal);
      if (refused.length > 0) throw new CliError(refused.join('; '));
    });
}

/** Resolves when the lease is decided, or with --wait when it has ended. */
async function requestOne(
  client: Client,
  input: RequestLeaseInput,
  options: RequestOptions,
  terminal: Terminal,
): Promise<LeaseRowFragment> {
  const { wait, json, jsonl } = options;
  const { lease, userErrors } = (await client.request(RequestLeaseDocument, { input })).requestLease;
  assertAccepted(userErrors, flagsOf(options));
  if (lease === null) throw new CliError('the server answered without a lease');
  const progress = json || jsonl ? null : terminal;
  if (wait) return followLease(client, lease, (state) => isFinal(scheduledState(state)), progress);
  const isDecided = input.type === 'BEST_EFFORT' || (lease.state !== 'NEW' && lease.state !== 'PENDING');
  return isDecided ? lease : followLease(client, lease, (state) => state !== 'PENDING', null);
}

/** Why the lease is not what was asked for; null if it is. */
function problemOf({ number, state, stateReason }: LeaseRowFragment, wait: boolean): string | null {
  if (wait ? state === 'DONE' : state !== 'REJECTED') return null;
  const reason = stateReason ? `: ${stateReason.message} [${stateReason.code}]` : '';
  return `lease ${number} is ${state}${reason}`;
}

function print(
  leases: readonly LeaseRowFragment[],
  requested: number,
  { json, jsonl }: RequestOptions,
  terminal: Terminal,
): void {
  if (jsonl) for (const lease of leases) terminal.out(`${JSON.stringify(lease)}\n`);
  else if (json) {
    if (requested !== 1) printJson(terminal, leases);
    else if (leases[0] !== undefined) printJson(terminal, leases[0]);
  } else if (leases.length > 0) terminal.out(leaseTable(leases, terminal.tableWidth));
}

async function inputsOf(client: Client, options: RequestOptions): Promise<RequestLeaseInput[]> {
  const project = options.project === undefined ? null : (await findProject(client, options.project)).id;
  const common = { ...(project === null ? {} : { project }) };
  if (options.file !== undefined) {
    const given = described.find((name) => options[name] !== undefined);
    if (given !== undefined)
      throw new CliError(`--${given === 'endNotice' ? 'end-notice' : given} does not go with --file`, 2);
    const inputs = await inputsOfFile(client, options.file);
    if (options.key !== undefined && inputs.length > 1) {
      throw new CliError('--key does not go with several leases; set idempotencyKey of each', 2);
    }
    const key = options.key === undefined ? {} : { idempotencyKey: options.key };
    return inputs.map((input) => ({ ...input, ...common, ...key }));
  }
  const { machines, duration } = options;
  if (machines === undefined) throw new CliError("required option '--machines <set>' not specified", 2);
  if (duration === undefined) throw new CliError("required option '--duration <duration>' not specified", 2);
  const instant = (flag: string, moment: Moment | undefined) =>
    moment === undefined ? null : resolveMoment(client, flag, moment);
  return [
    {
      ...common,
      type: options.type,
      machines,
      duration,
      start: await instant('--start', options.start),
      ...(options.deadline === undefined ? {} : { deadline: await instant('--deadline', options.deadline) }),
      name: options.name ?? null,
      diskImage: options.image ?? null,
      preemptible: options.preemptible ?? null,
      ...(options.endNotice === undefined ? {} : { endNotice: options.endNotice }),
      idempotencyKey: options.key ?? null,
    },
  ];
}

async function inputsOfFile(client: Client, file: string): Promise<RequestLeaseInput[]> {
  const name = file === '-' ? 'standard input' : file;
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CliError(`${name}: cannot be read: ${(error as Error).message} [FILE_UNREADABLE]`);
  }
  if (text.trimStart().startsWith('<')) {
    const { leases } = readLwf(textSource(name, text)).workload;
    const { site, serverTime } = await client.request(SiteDocument, {});
    const start = DateTime.fromISO(serverTime).toMillis();
    return leases.map((lease) => leaseInput(lease, start, site.resourceTypes));
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name}: is neither LWF nor JSON: ${(error as Error).message} [NOT_WELL_FORMED]`);
  }
  const inputs = [parsed].flat();
  if (inputs.length === 0 || !inputs.every((input) => typeof input === 'object' && input !== null)) {
    throw new CliError(`${name}: expected a lease, or a list of leases [INVALID_REQUEST]`);
  }
  // The server checks them.
  return inputs as RequestLeaseInput[];
}
