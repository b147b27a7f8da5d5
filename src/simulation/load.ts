import type { SiteSpec } from '../core/index.ts';
import { defaultConfig, type LoadedConfig } from './config/assemble.ts';
import { loadHaizeaConfig } from './config/haizea.ts';
import { ConfigError, TraceError } from './errors.ts';
import { readCancellations } from './formats/cancellations.ts';
import type { ReadTrace, SwfOptions } from './formats/collector.ts';
import { readImages, withImages } from './formats/images.ts';
import { readSite } from './formats/lwf.ts';
import { IMPLIED_TYPES, parseSite, SITE_FORM } from './formats/site.ts';
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

/** The files and options that make up a run, as a command line gives them. */
export interface SimulationFiles extends Omit<WorkloadFiles, 'trace'> {
  /** Null: the configuration names it. */
  readonly trace?: string | null;
  /** In Haizea's INI form. */
  readonly config?: string | null;
  readonly cancel?: string | null;
  /** Wins over the configuration's and the trace's own site. */
  readonly site?: string | null;
}

export interface LoadedSimulation extends LoadedWorkload {
  readonly cancellations: readonly Cancellation[];
  readonly config: SimulationConfig & { readonly site: SiteSpec };
  /** Where the configuration wants the results. */
  readonly dataFile: string | null;
}

/** Reads everything that a run needs. Throws TraceError and ConfigError. */
export function loadSimulation(files: SimulationFiles): LoadedSimulation {
  return loadWith(files.config == null ? defaultConfig : loadHaizeaConfig(files.config), files);
}

/** The same with a configuration that has been read already. */
export function loadWith(loaded: LoadedConfig, files: SimulationFiles): LoadedSimulation {
  const trace = files.trace ?? loaded.traceFile;
  if (trace === null) {
    const detail = 'no trace is named, expected one on the command line or as tracefile.tracefile';
    throw new ConfigError('MISSING_KEY', loaded.file, null, detail);
  }
  const inject = files.inject ?? loaded.injectionFile;
  const images = files.images ?? loaded.imageFile;
  let site = files.site == null ? loaded.config.site : siteOption(files.site);
  if (site === null && loaded.siteFile !== null) site = readSite(fileSource(loaded.siteFile));
  const { workload, warnings } = loadWorkload({ ...files, trace, inject, images }, site);
  if (workload.site === null) {
    const expected = `a <site> in it, a site in the configuration, or --site ${SITE_FORM}`;
    throw new TraceError('NO_SITE', trace, null, `the trace describes no site, expected ${expected}`);
  }
  const { config } = loaded;
  return {
    workload,
    cancellations: files.cancel == null ? [] : readCancellations(fileSource(files.cancel)),
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
 * Reads a trace, what is injected into it, and its images. The site, where one is given, takes the place of the trace's own. Throws
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

/** The site that `--site` gives. Throws ConfigError. */
export function siteOption(text: string): SiteSpec {
  try {
    return parseSite(text);
  } catch (error) {
    throw new ConfigError('INVALID_VALUE', '--site', null, (error as Error).message);
  }
}

function checkTypes(path: string, trace: ReadTrace, site: SiteSpec): void {
  const known = new Set<string>([...site.resourceTypes, ...IMPLIED_TYPES]);
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

/** Both in order of arrival; of those that arrive together the trace's come first. */
function merge(trace: readonly TraceLease[], injection: readonly TraceLease[]): readonly TraceLease[] {
  if (injection.length === 0) return trace;
  return [...trace, ...injection].sort((a, b) => a.arrival - b.arrival);
}
