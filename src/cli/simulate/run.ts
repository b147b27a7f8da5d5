import { loadPolicies } from '../../config/index.ts';
import { createAccounting } from '../../simulation/accounting/accounting.ts';
import type { Statistic } from '../../simulation/accounting/recorder.ts';
import { type LoadedConfig, loadSimulation, type SimulationFiles } from '../../simulation/load.ts';
import { writeResult } from '../../simulation/result-file.ts';
import { type SimulationObserver, simulate } from '../../simulation/run.ts';
import { type RunSummary, summarize } from '../../simulation/summary.ts';
import { expectApart, expectWritable, writeFileWhole } from '../files.ts';

/** One run as plain data, so that it can be handed to another thread. */
export interface RunRequest {
  readonly config: LoadedConfig;
  readonly files: SimulationFiles;
  readonly output: string | null;
  readonly gantt: string | null;
}

export interface RunReport {
  readonly summary: RunSummary;
  /** The probes' values for the whole run. */
  readonly perRun: Readonly<Record<string, Statistic>>;
  readonly attributes: Readonly<Record<string, string>>;
  /** Files that were written. */
  readonly written: readonly string[];
  readonly warnings: readonly string[];
  /** Leases that can never end: the run is then a failure. */
  readonly unfinished: readonly number[];
  /** What the simulation itself took, in seconds. */
  readonly seconds: number;
}

export type OnProgress = (done: number, total: number) => void;

/** Loads, runs and writes one simulation. Throws TraceError, ConfigurationError, SchedulerError and CliError. */
export async function run(request: RunRequest, onProgress?: OnProgress): Promise<RunReport> {
  const { workload, cancellations, config, dataFile, warnings } = loadSimulation(
    request.config,
    request.files,
  );
  const output = request.output ?? dataFile;
  const { files, config: loaded } = request;
  expectApart(
    [output, request.gantt],
    [
      files.trace ?? loaded.traceFile,
      files.inject ?? loaded.injectionFile,
      files.images ?? loaded.imageFile,
      files.cancel,
      loaded.file,
      loaded.siteFile,
    ],
  );
  for (const path of [output, request.gantt]) if (path !== null) expectWritable(path);
  const policies = await loadPolicies(config.scheduler);
  const accounting = createAccounting(config.probes, config.attributes);
  const observers: SimulationObserver[] = [...accounting.observers];
  if (onProgress !== undefined) observers.push(progressObserver(workload.leases.length, onProgress));

  const begun = performance.now();
  const result = simulate({ workload, cancellations, config, policies, observers });
  const seconds = (performance.now() - begun) / 1000;

  const data = accounting.data();
  const written: string[] = [];
  if (output !== null) {
    writeFileWhole(output, writeResult(result, config.probes.length === 0 ? null : data));
    written.push(output);
  }
  if (request.gantt !== null) {
    const { drawGantt } = await import('../../simulation/gantt/svg.ts');
    writeFileWhole(request.gantt, drawGantt(result, workload, config.site));
    written.push(request.gantt);
  }
  const summary = summarize(result, workload, config.site);
  const { perRun, attributes } = data;
  return { summary, perRun, attributes, written, warnings, unfinished: result.unfinished, seconds };
}

/** Why a run is a failure although it came to its end; null when it is none. */
export function failureOf({ unfinished }: RunReport): string | null {
  if (unfinished.length === 0) return null;
  const named = unfinished.slice(0, maxNamed).join(', ');
  const more = unfinished.length > maxNamed ? `, and ${unfinished.length - maxNamed} more` : '';
  return unfinished.length === 1
    ? `lease ${named} can never end: nothing is left to happen that could start or end it`
    : `${unfinished.length} leases can never end: nothing is left to happen that could start or end them: ${named}${more}`;
}

const maxNamed = 10;

function progressObserver(total: number, onProgress: OnProgress): SimulationObserver {
  let done = 0;
  return {
    onLeaseEnded: () => {
      done += 1;
      onProgress(done, total);
    },
  };
}
