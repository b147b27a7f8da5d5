import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Matrix, type MatrixRun, makeFolder } from '../../config/index.ts';
import type { SimulationFiles } from '../../simulation/load.ts';
import { writeFileWhole } from '../files.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { comparisonCsv, comparisonTable, type FinishedRun } from './comparison.ts';
import { toLoadedConfig } from './config.ts';
import { ProgressBar } from './progress.ts';
import { failureOf, type RunRequest } from './run.ts';
import { RunnerPool } from './runner-pool.ts';

export interface MatrixOptions {
  /** Where results go; null: they are not written. */
  readonly outputDir: string | null;
  /** Where pictures go; null: none are drawn. */
  readonly ganttDir: string | null;
  /** Runs at a time. */
  readonly jobs?: number | undefined;
  readonly json: boolean;
  /** Files for every run, besides the trace and the injection of each. */
  readonly files: SimulationFiles;
}

/**
 * Runs a whole matrix on all cores, writes a result for each run, and compares them. A run that fails does not stop the
 * others. Throws CliError when one has failed.
 */
export async function runMatrix(matrix: Matrix, options: MatrixOptions, terminal: Terminal): Promise<void> {
  for (const folder of [options.outputDir, options.ganttDir]) if (folder !== null) createFolder(folder);
  for (const warning of matrix.warnings) terminal.err(`leasegraph: warning: ${warning}\n`);

  const progress = new ProgressBar(terminal, 'runs');
  const pool = new RunnerPool(Math.min(options.jobs ?? availableParallelism(), matrix.runs.length));
  const shares = matrix.runs.map(() => 0);
  const tell = (index: number, share: number) => {
    shares[index] = share;
    progress.show(
      shares.reduce((sum, each) => sum + each, 0),
      matrix.runs.length,
    );
  };
  const failures: string[] = [];
  const finished: FinishedRun[] = [];
  const settled = matrix.runs.map(async (run, index) => {
    try {
      const report = await pool.run(requestOf(run, options), (done, total) => tell(index, done / total));
      finished[index] = { run, report };
      const failure = failureOf(report);
      if (failure !== null) failures.push(`${run.name}: ${failure}`);
    } catch (error) {
      failures.push(`${run.name}: ${(error as Error).message}`);
    }
    tell(index, 1);
  });
  progress.show(0, matrix.runs.length);
  try {
    await Promise.all(settled);
  } finally {
    progress.clear();
    pool.close();
  }

  const rows = finished.filter((one) => one !== undefined);
  for (const warning of warningsOf(rows)) terminal.err(`leasegraph: warning: ${warning}\n`);
  for (const failure of failures) terminal.err(`leasegraph: ${failure}\n`);
  if (rows.length > 0) writeComparison(rows, options, terminal);
  if (failures.length > 0) throw new CliError(`${failures.length} of ${matrix.runs.length} runs failed`);
}

/** Each warning once, with the name of its run where not all runs have it. */
function warningsOf(rows: readonly FinishedRun[]): string[] {
  const runsOf = new Map<string, string[]>();
  for (const { run, report } of rows) {
    for (const warning of new Set(report.warnings)) {
      runsOf.set(warning, [...(runsOf.get(warning) ?? []), run.name]);
    }
  }
  return [...runsOf].map(([warning, runs]) =>
    runs.length === rows.length ? warning : `${runs.join(', ')}: ${warning}`,
  );
}

function writeComparison(rows: readonly FinishedRun[], { outputDir, json }: MatrixOptions, terminal: Terminal): void {
  if (outputDir !== null) writeFileWhole(join(outputDir, 'comparison.csv'), [comparisonCsv(rows)]);
  if (json) {
    terminal.out(`${JSON.stringify(rows.map(({ run, report }) => ({ name: run.name, ...report })))}\n`);
    return;
  }
  terminal.out(comparisonTable(rows, terminal.tableWidth));
  if (outputDir !== null) {
    terminal.out(`\n${rows.length} results and comparison.csv are in ${outputDir}\n`);
  }
}

function requestOf({ name, trace, injection, run, attributes }: MatrixRun, options: MatrixOptions): RunRequest {
  const { outputDir, ganttDir, files } = options;
  const loaded = toLoadedConfig(run);
  return {
    config: {
      ...loaded,
      config: { ...loaded.config, attributes: { ...loaded.config.attributes, ...attributes } },
      dataFile: null,
      // The same for every run, and printed already.
      warnings: [],
    },
    files: { ...files, trace, inject: injection ?? files.inject ?? null },
    output: outputDir === null ? null : join(outputDir, `${name}.json`),
    gantt: ganttDir === null ? null : join(ganttDir, `${name}.svg`),
    csv: null,
    swf: null,
  };
}

function createFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw new CliError(`${path}: cannot be created: ${(error as Error).message}`);
  }
}
