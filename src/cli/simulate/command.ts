import type { Command } from 'commander';
import { type Matrix, matrixOf, readMatrix, readRunConfiguration, siteOption } from '../../config/index.ts';
import type { SimulationFiles } from '../../simulation/load.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { type TraceOptions, workloadFiles } from '../trace-options.ts';
import { loadConfig } from './config.ts';
import { combinations, readOverrides } from './overrides.ts';
import { ProgressBar } from './progress.ts';
import { formatReport } from './report.ts';
import { failureOf, run } from './run.ts';

export interface SimulateOptions extends TraceOptions {
  readonly config?: string;
  readonly cancel?: string;
  readonly commands?: string;
  readonly output?: string;
  readonly gantt?: string;
  readonly csv?: string;
  readonly swf?: string;
  readonly json?: boolean;
  readonly multi?: string;
  readonly outputDir?: string;
  readonly jobs?: number;
}

/** What `leasegraph simulate` does: one run, or a comparison. Throws CliError and the errors of its files. */
export async function runSimulate(
  traces: readonly string[],
  options: SimulateOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const matrix = matrixFor(traces, options, command);
  if (matrix === null) return runSingle(traces[0] ?? null, options, command, terminal);
  const { runMatrix } = await import('./multi.ts');
  await runMatrix(
    matrix,
    {
      outputDir: options.outputDir ?? matrix.outputDir,
      ganttDir: options.gantt ?? null,
      jobs: options.jobs,
      json: options.json === true,
      files: filesOf(options),
    },
    terminal,
  );
}

/** The comparison that the command line asks for; null where it asks for a single run. */
function matrixFor(traces: readonly string[], options: SimulateOptions, command: Command): Matrix | null {
  const overrides = readOverrides(command);
  if (options.multi !== undefined) {
    if (traces.length > 0) throw new CliError(`a trace ("${traces[0]}") does not go with --multi`, 2);
    refuse(options, ['config', 'inject', 'output', 'csv', 'swf'], '--multi');
    const matrix = readMatrix(options.multi, overrides);
    if (options.outputDir !== undefined || matrix.outputDir !== null) return matrix;
    throw new CliError(`${options.multi}: names no folder for the results, expected one there or as --output-dir`, 2);
  }
  const combined = combinations(overrides);
  if (traces.length <= 1 && combined.length === 1) {
    refuse(options, ['outputDir', 'jobs'], 'a single run');
    return null;
  }
  refuse(options, ['output', 'csv', 'swf'], 'a comparison (use --output-dir)');
  const profiles = combined.map(({ name, entries }) => {
    return [name || 'default', readRunConfiguration(options.config ?? null, entries)] as const;
  });
  const configured = profiles.flatMap(([, { configuration }]) => configuration.simulation.trace ?? []);
  const all = traces.length > 0 ? traces : [...new Set(configured)];
  if (all.length === 0) throw new CliError('no trace was given: name one, or set simulation.trace', 2);
  return matrixOf({ file: 'simulate', traces: all, injections: [], outputDir: null, profiles });
}

function refuse(options: SimulateOptions, names: readonly (keyof SimulateOptions)[], what: string): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const flag = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CliError(`--${flag} does not go with ${what}`, 2);
}

function filesOf(options: SimulateOptions): SimulationFiles {
  const { trace: _, ...files } = workloadFiles('', options);
  const site = options.site === undefined ? null : siteOption(options.site);
  return { ...files, cancel: options.cancel ?? null, commands: options.commands ?? null, site };
}

async function runSingle(
  trace: string | null,
  options: SimulateOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const config = loadConfig(options.config ?? null, readOverrides(command));
  const progress = new ProgressBar(terminal, 'leases');
  const report = await run(
    {
      config,
      files: { ...filesOf(options), trace },
      output: options.output ?? null,
      gantt: options.gantt ?? null,
      csv: options.csv ?? null,
      swf: options.swf ?? null,
    },
    terminal.interactive ? (done, total) => progress.show(done, total) : undefined,
  ).finally(() => progress.clear());
  for (const warning of new Set(report.warnings)) terminal.err(`leasegraph: warning: ${warning}\n`);
  terminal.out(
    options.json === true ? `${JSON.stringify(report)}\n` : formatReport(report, 'simulated', terminal.tableWidth),
  );
  const failure = failureOf(report);
  if (failure !== null) throw new CliError(failure);
}
