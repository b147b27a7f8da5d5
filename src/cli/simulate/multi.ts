import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../config/index.ts';
import { readText } from '../../simulation/config/haizea.ts';
import { type MatrixRun, readMatrix } from '../../simulation/config/multi.ts';
import type { ConfigEntry } from '../../simulation/config/option-values.ts';
import { writeFileWhole } from '../files.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { comparisonCsv, comparisonTable } from './comparison.ts';
import { ProgressBar } from './progress.ts';
import { failureOf, type RunReport, type RunRequest } from './run.ts';
import { RunnerPool } from './runner-pool.ts';

export interface MultiOptions {
  readonly outputDir?: string;
  readonly jobs?: number;
  readonly json?: boolean;
  readonly site?: string;
  readonly cancel?: string;
  readonly images?: string;
  readonly swfScale: number;
  readonly swfMemory: number;
}

export interface FinishedRun {
  readonly run: MatrixRun;
  readonly report: RunReport;
}

/** Runs a whole matrix on all cores, writes a result for each run, and compares them. A run that fails does not stop the others. */
export async function runMatrix(
  file: string,
  options: MultiOptions,
  overrides: readonly ConfigEntry[],
  terminal: Terminal,
): Promise<void> {
  const matrix = readMatrix(file, readText(file), overrides);
  const folder = options.outputDir ?? matrix.dataDir;
  if (folder === null) throw new CliError(`${file}: multi.datadir is not set, expected one, or --output-dir`);
  makeOutputFolder(folder);
  for (const warning of matrix.warnings) terminal.err(`leasegraph: warning: ${warning}\n`);

  const progress = new ProgressBar(terminal, 'runs');
  const pool = new RunnerPool(Math.min(options.jobs ?? availableParallelism(), matrix.runs.length));
  const shares = matrix.runs.map(() => 0);
  const tell = (index: number, share: number) => {
    shares[index] = share;
    const done = shares.reduce((sum, each) => sum + each, 0);
    progress.show(done, matrix.runs.length);
  };
  const failures: string[] = [];
  const finished: FinishedRun[] = [];
  const settled = matrix.runs.map(async (run, index) => {
    try {
      const request = requestOf(run, folder, options);
      const report = await pool.run(request, (done, total) => tell(index, done / total));
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
  for (const { run, report } of rows) {
    for (const warning of report.warnings) terminal.err(`leasegraph: warning: ${run.name}: ${warning}\n`);
  }
  for (const failure of failures) terminal.err(`leasegraph: ${failure}\n`);
  if (rows.length > 0) writeComparison(rows, folder, options, terminal);
  if (failures.length > 0) throw new CliError(`${failures.length} of ${matrix.runs.length} runs failed`);
}

function writeComparison(
  rows: readonly FinishedRun[],
  folder: string,
  options: MultiOptions,
  terminal: Terminal,
): void {
  writeFileWhole(join(folder, 'comparison.csv'), [comparisonCsv(rows)]);
  terminal.out(
    options.json === true
      ? `${JSON.stringify(rows.map(({ run, report }) => ({ name: run.name, ...report })))}\n`
      : `${comparisonTable(rows)}\n${rows.length} results and comparison.csv are in ${folder}\n`,
  );
}

function requestOf(run: MatrixRun, folder: string, options: MultiOptions): RunRequest {
  return {
    config: run.config,
    files: {
      trace: run.traceFile,
      inject: run.injectionFile,
      images: options.images ?? null,
      cancel: options.cancel ?? null,
      site: options.site ?? null,
      swf: { scale: options.swfScale, memory: options.swfMemory },
    },
    output: join(folder, `${run.name}.json`),
    gantt: null,
  };
}

function makeOutputFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw new CliError(`${path}: cannot be made: ${(error as Error).message}`);
  }
}
