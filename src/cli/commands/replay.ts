import type { Command } from 'commander';
import { Duration } from 'luxon';
import { loadPolicies } from '../../config/index.ts';
import type { NodeSpec, SiteSpec } from '../../core/index.ts';
import { readCancellations } from '../../simulation/formats/cancellations.ts';
import { fileSource } from '../../simulation/formats/source.ts';
import { loadWorkload } from '../../simulation/load.ts';
import { overrideMemory } from '../../simulation/overheads.ts';
import { writeResult } from '../../simulation/result-file.ts';
import { simulate } from '../../simulation/run.ts';
import { summarize } from '../../simulation/summary.ts';
import type { TraceLease } from '../../simulation/workload.ts';
import { durationOption } from '../client/arguments.ts';
import { addServerOptions, allPages, type Client, connect, type ServerOptions } from '../client/client.ts';
import { NodesDocument, SiteDocument, type SiteQuery } from '../client/generated/operations.ts';
import { showDuration } from '../client/show.ts';
import { expectApart, expectWritable, writeFileWhole } from '../files.ts';
import { addNotes } from '../help.ts';
import { collect } from '../replay/collect.ts';
import { differences, formatDifferences } from '../replay/differences.ts';
import { feed } from '../replay/feed.ts';
import { loadConfig } from '../simulate/config.ts';
import { ProgressBar } from '../simulate/progress.ts';
import { formatReport } from '../simulate/report.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';
import { addTraceOptions, type TraceOptions, workloadFiles } from '../trace-options.ts';

interface ReplayOptions extends TraceOptions, ServerOptions {
  readonly config?: string;
  readonly cancel?: string;
  readonly output?: string;
  readonly compare?: boolean;
  readonly tolerance?: string;
  readonly json?: boolean;
}

export default function replay(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'A request is sent when its arrival time has come on the clock of the server (clock.speed in its configuration). Leases that end early need a server that accepts known durations (simulation.acceptKnownDurations). The nodes are those of the server: --site is not needed.',
    'With --compare the exit status is 0 only when all leases came out as simulated.',
  );
  addServerOptions(addTraceOptions(command.argument('<trace>', 'a trace: LWF XML, SWF, text LWF or CSV')))
    .option('--cancel <file>', "users' cancellations: lines TIME LEASE")
    .option(
      '--config <file>',
      "what `simulate` is configured with: overheads, and for --compare the scheduler's options",
    )
    .option('--output <file>', 'write every lease, reservation and event in the form of `simulate --output`')
    .option('--compare', 'simulate the same and show where the leases came out otherwise')
    .option(
      '--tolerance <duration>',
      'with --compare: time differences up to this are ignored (default: one second of real time)',
      durationOption,
    )
    .option('--json', 'print the summary as JSON')
    .action((trace: string, options: ReplayOptions) => run(trace, options, terminal));
}

async function run(trace: string, options: ReplayOptions, terminal: Terminal): Promise<void> {
  if (options.output !== undefined) {
    const { inject, images, config, cancel } = options;
    expectApart([options.output], [trace, inject, images, config, cancel]);
    expectWritable(options.output);
  }
  const client = connect(options);
  const loaded = loadConfig(options.config ?? null, []);
  const facts = (await client.request(SiteDocument, {})).site;
  const site = await siteOf(client, facts);
  const { workload: read, warnings } = loadWorkload(workloadFiles(trace, options), site);
  const workload = { ...read, leases: overrideMemory(read.leases, loaded.config.overrideMemory) };
  for (const warning of [...loaded.warnings, ...warnings]) terminal.err(`leasegraph: warning: ${warning}\n`);
  const early = workload.leases.filter(
    ({ knownDuration, duration }) => knownDuration !== null && knownDuration < duration,
  );
  if (early.length > 0 && !facts.acceptsKnownDurations) {
    throw new CliError(
      `${early.length} leases of ${trace} end early, which the server does not accept: set simulation.acceptKnownDurations in its configuration`,
    );
  }
  const cancellations = options.cancel === undefined ? [] : readCancellations(fileSource(options.cancel));
  const { overheads } = loaded.config;

  terminal.err(`${beginning(trace, workload.leases, facts.clockSpeed)}\n`);
  const begun = performance.now();
  const progress = new ProgressBar(terminal, 'leases');
  const work = { leases: workload.leases, cancellations, overheads };
  const sending = await feed(client, work, site.resourceTypes, (sent, total) => progress.show(sent / 2, total));
  const result = await collect(client, workload.leases, sending, (ended, total) =>
    progress.show((total + ended) / 2, total),
  ).finally(() => progress.clear());
  const seconds = (performance.now() - begun) / 1_000;
  if (options.output !== undefined) writeFileWhole(options.output, writeResult(result, null, null));

  const summary = summarize(result, workload, site);
  const lateness = Math.ceil(sending.lateness / 1_000);
  if (options.json) terminal.out(`${JSON.stringify({ summary, seconds, lateness })}\n`);
  else
    terminal.out(
      formatReport(
        {
          summary,
          perRun: {},
          attributes: {},
          written: [],
          warnings: [],
          refused: [],
          unfinished: [],
          seconds,
        },
        'replayed',
        terminal.tableWidth,
      ),
    );
  if (!options.compare) return;

  const policies = await loadPolicies(loaded.config.scheduler);
  const simulated = simulate({
    workload,
    cancellations,
    config: { ...loaded.config, overrideMemory: null, site },
    policies,
  });
  const tolerance = options.tolerance ? Duration.fromISO(options.tolerance).as('seconds') : facts.clockSpeed;
  const found = differences(simulated, result);
  terminal.err(
    `Requests were sent at most ${lateness} s late on the server's clock.\n${formatDifferences(found, tolerance)}`,
  );
  const beyond = found.filter((difference) => difference.seconds > tolerance).length;
  if (beyond > 0) {
    const hint = options.config === undefined ? " with the defaults (--config: the server's configuration)" : '';
    throw new CliError(`${beyond} of ${found.length} leases came out otherwise than simulated${hint}`);
  }
}

/** What is about to be replayed: it may take long. */
export function beginning(trace: string, leases: readonly Pick<TraceLease, 'arrival'>[], speed: number): string {
  const last = leases.reduce((latest, { arrival }) => Math.max(latest, arrival), 0);
  const span = (millis: number): string => showDuration(Duration.fromMillis(Math.ceil(millis)).toISO());
  const pace = speed === 1 ? '' : ` (${span(last / speed)} of real time)`;
  return plain(`Replaying ${leases.length} leases of ${trace}: the last is requested after ${span(last)}${pace}.`);
}

/** The server's nodes as a simulation has them. */
async function siteOf(client: Client, { resourceTypes }: SiteQuery['site']): Promise<SiteSpec> {
  const nodes: NodeSpec[] = [];
  const pages = allPages(async (after) => (await client.request(NodesDocument, { first: 100, after })).nodes);
  for await (const { number, hostname, capacity } of pages) {
    const amounts: Record<string, number | number[]> = {};
    for (const { type, amount } of capacity) {
      const before = amounts[type];
      amounts[type] = before === undefined ? amount : [before, amount].flat();
    }
    nodes.push({ number, hostname, capacity: amounts });
  }
  return { resourceTypes, nodes };
}
