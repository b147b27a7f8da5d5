import type { SiteSpec } from '../core/index.ts';
import { type Command, checkCommands } from './commands.ts';
import { TraceError } from './errors.ts';
import { readCancellations } from './formats/cancellations.ts';
import type { ReadTrace, SwfOptions } from './formats/collector.ts';
import { readCommands } from './formats/commands.ts';
import { readImages, withImages } from './formats/images.ts';
import { readSite } from './formats/lwf.ts';
import { impliedTypes } from './formats/site.ts';
import { fileSource } from './formats/source.ts';
import { readTrace } from './formats/trace.ts';
import { shorten } from './formats/xml.ts';
import type { Cancellation, SimulationConfig, TraceLease, Workload } from './workload.ts';

/** The files that make up a workload, by their paths. */
export interface WorkloadFiles {
  readonly trace: string;
  readonly inject?: string | null;
  readonly images?: string | null;
  readonly swf?: SwfOptions;
}

export interface LoadedWorkload {
  readonly workload: Workload;
  readonly warnings: readonly string[];
}

/** The configuration of a run, and the files that it names. */
export interface LoadedConfig {
  /** Null: the defaults. */
  readonly file: string | null;
  readonly config: SimulationConfig;
  /** A file that describes the site, in LWF. */
  readonly siteFile: string | null;
  readonly traceFile: string | null;
  readonly imageFile: string | null;
  readonly injectionFile: string | null;
  /** Where the result goes. */
  readonly dataFile: string | null;
  readonly warnings: readonly string[];
}

/** The files that the command line names; they win over those of the configuration. */
export interface SimulationFiles extends Omit<WorkloadFiles, 'trace'> {
  readonly trace?: string | null;
  readonly cancel?: string | null;
  /** Changes while the run goes on. */
  readonly commands?: string | null;
  /** Wins over the site of the configuration and of the trace. */
  readonly site?: SiteSpec | null;
}

export interface LoadedSimulation extends LoadedWorkload {
  readonly cancellations: readonly Cancellation[];
  readonly commands: readonly Command[];
  readonly config: SimulationConfig & { readonly site: SiteSpec };
  /** Where the configuration wants the results. */
  readonly dataFile: string | null;
}

/** Reads everything that a run needs. Throws TraceError. */
export function loadSimulation(loaded: LoadedConfig, files: SimulationFiles): LoadedSimulation {
  const trace = files.trace ?? loaded.traceFile;
  if (trace === null) {
    const detail = 'names no trace, expected one on the command line or as simulation.trace';
    throw new TraceError('MISSING_CONTENT', loaded.file ?? 'simulate', null, detail);
  }
  const inject = files.inject ?? loaded.injectionFile;
  const images = files.images ?? loaded.imageFile;
  let site = files.site ?? loaded.config.site;
  if (site === null && loaded.siteFile !== null) site = readSite(fileSource(loaded.siteFile));
  const { workload, warnings } = loadWorkload({ ...files, trace, inject, images }, site);
  if (workload.site === null) {
    const expected = 'a <site> in it, a site in the configuration, or --site "COUNT TYPE:AMOUNT TYPE:AMOUNT ..."';
    throw new TraceError('NO_SITE', trace, null, `the trace describes no site, expected ${expected}`);
  }
  const { config } = loaded;
  return {
    workload,
    cancellations: files.cancel == null ? [] : readCancellations(fileSource(files.cancel)),
    commands: files.commands == null ? [] : loadCommands(files.commands, workload),
    config: {
      ...config,
      site: workload.site,
      attributes: { ...workload.attributes, ...config.attributes },
    },
    dataFile: loaded.dataFile,
    warnings: [...loaded.warnings, ...warnings],
  };
}

/**
 * Reads a trace, what is injected into it, and its images. A given site takes the place of the one in the trace. Throws
 * TraceError.
 */
export function loadWorkload(files: WorkloadFiles, site: SiteSpec | null): LoadedWorkload {
  const { inject = null, images = null, swf = {} } = files;
  const trace = readTrace(fileSource(files.trace), { ordered: inject === null, swf });
  const firstId = trace.workload.leases.length + 1;
  const injection = inject === null ? null : readTrace(fileSource(inject), { ordered: false, firstId, swf });
  const effectiveSite = site ?? trace.workload.site;
  if (effectiveSite !== null) {
    checkTypes(files.trace, trace, effectiveSite);
    if (inject !== null && injection !== null) checkTypes(inject, injection, effectiveSite);
  }

  const warnings = [...trace.warnings, ...(injection?.warnings ?? [])];
  let leases = merge(trace.workload.leases, injection?.workload.leases ?? []);
  if (images !== null) {
    const list = readImages(fileSource(images));
    if (list.length !== leases.length) {
      warnings.push(`${images}: ${list.length} images are listed for ${leases.length} leases`);
    }
    leases = withImages(leases, list);
  }
  const attributes = { ...trace.workload.attributes, ...injection?.workload.attributes };
  return { workload: { ...trace.workload, site: effectiveSite, leases, attributes }, warnings };
}

/** Throws TraceError. */
function loadCommands(path: string, { leases }: Workload): Command[] {
  const commands = readCommands(fileSource(path));
  checkCommands(path, commands, leases);
  return commands;
}

function checkTypes(path: string, trace: ReadTrace, site: SiteSpec): void {
  const known = new Set<string>([...site.resourceTypes, ...impliedTypes]);
  for (const [type, line] of trace.resourceTypes) {
    if (known.has(type)) continue;
    const expected = `one of the site's (${site.resourceTypes.join(', ')})`;
    throw new TraceError(
      'UNKNOWN_RESOURCE_TYPE',
      path,
      line,
      `resource type "${shorten(type)}" was found, expected ${expected}`,
    );
  }
}

/** Both in order of arrival; at the same instant those of the trace come first. */
function merge(trace: readonly TraceLease[], injection: readonly TraceLease[]): readonly TraceLease[] {
  if (injection.length === 0) return trace;
  return [...trace, ...injection].sort((a, b) => a.arrival - b.arrival);
}
