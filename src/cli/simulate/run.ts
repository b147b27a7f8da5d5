import project from '../../../package.json' with { type: 'json' };
import { loadPolicies } from '../../config/index.ts';
import { createAccounting } from '../../simulation/accounting/accounting.ts';
import type { Statistic } from '../../simulation/accounting/recorder.ts';
import { writeJobsCsv } from '../../simulation/formats/jobs-csv.ts';
import { writeSwf } from '../../simulation/formats/swf-writer.ts';
import { type LoadedConfig, loadSimulation, type SimulationFiles } from '../../simulation/load.ts';
import type { SimulationObserver } from '../../simulation/observer.ts';
import type { CommandResult } from '../../simulation/result.ts';
import { recordedSite, writeResult } from '../../simulation/result-file.ts';
import { simulate } from '../../simulation/run.ts';
import { type RunSummary, summarize } from '../../simulation/summary.ts';
import { expectApart, expectWritable, writeFileWhole } from '../files.ts';

/** One run as plain data, which can be sent to another process. */
export interface RunRequest {
  readonly config: LoadedConfig;
  readonly files: SimulationFiles;
  readonly output: string | null;
  readonly gantt: string | null;
  /** Where one line per lease goes, in the form of Batsim. */
  readonly csv: string | null;
  readonly swf: string | null;
}

export interface RunReport {
  readonly summary: RunSummary;
  /** The probes' values for the whole run. */
  readonly perRun: Readonly<Record<string, Statistic>>;
  readonly attributes: Readonly<Record<string, string>>;
  /** Files that were written. */
  readonly written: readonly string[];
  readonly warnings: readonly string[];
  /** Commands that could not be carried out. */
  readonly refused: readonly CommandResult[];
  /** Leases that can never end: the run is then a failure. */
  readonly unfinished: readonly number[];
  /** Duration of the simulation itself, in seconds. */
  readonly seconds: number;
}

export type OnProgress = (done: number, total: number) => void;

/** Loads, runs and writes one simulation. Throws TraceError, ConfigurationError, SchedulerError and CliError. */
export async function run(request: RunRequest, onProgress?: OnProgress): Promise<RunReport> {
  const { workload, cancellations, commands, config, dataFile, warnings } = loadSimulation(
    request.config,
    request.files,
  );
  const output = request.output ?? dataFile;
  const { gantt, csv, swf, files, config: loaded } = request;
  const read = {
    trace: files.trace ?? loaded.traceFile,
    config: loaded.file,
    inject: files.inject ?? loaded.injectionFile,
    images: files.images ?? loaded.imageFile,
    cancel: files.cancel ?? null,
    commands: files.commands ?? null,
  };
  expectApart([output, gantt, csv, swf], [...Object.values(read), loaded.siteFile]);
  for (const path of [output, gantt, csv, swf]) if (path !== null) expectWritable(path);
  const policies = await loadPolicies(config.scheduler);
  const accounting = createAccounting(config.probes, config.attributes);
  const observers: SimulationObserver[] = [...accounting.observers];
  if (onProgress !== undefined) observers.push(progressObserver(workload.leases.length, onProgress));

  const begun = performance.now();
  const result = simulate({ workload, cancellations, commands, config, policies, observers });
  const seconds = (performance.now() - begun) / 1000;

  const data = accounting.data();
  const summary = summarize(result, workload, config.site);
  const written: string[] = [];
  const write = (path: string | null, pieces: () => Iterable<string>) => {
    if (path === null) return;
    writeFileWhole(path, pieces());
    written.push(path);
  };
  const { site, ...configuration } = config;
  const record = {
    version: project.version,
    files: read,
    site: recordedSite(site),
    configuration,
    statistics: summary,
  };
  write(output, () => writeResult(result, config.probes.length === 0 ? null : data, record));
  if (gantt !== null) {
    const { drawGantt } = await import('../../simulation/gantt/svg.ts');
    write(gantt, () => drawGantt(result, workload, site, config.scheduler));
  }
  write(csv, () => writeJobsCsv(result, workload.name ?? ''));
  write(swf, () => writeSwf(result, workload, site));
  const { perRun, attributes } = data;
  const refused = result.commands.filter(({ accepted }) => !accepted);
  return { summary, perRun, attributes, written, warnings, refused, unfinished: result.unfinished, seconds };
}

/** Why a run that came to its end is a failure; null if it is not. */
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
