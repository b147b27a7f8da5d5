import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defaultSchedulerConfig, type SiteSpec } from '../core/index.ts';
import { type LoadedConfig, readHaizeaConfig } from './config/haizea.ts';
import { ConfigError, TraceError } from './errors.ts';
import { readCancellations } from './formats/cancellations.ts';
import type { ReadTrace, SwfOptions } from './formats/collector.ts';
import { readImages, withImages } from './formats/images.ts';
import { readSite } from './formats/lwf.ts';
import { IMPLIED_TYPES, parseSite, SITE_FORM } from './formats/site.ts';
import { fileSource, unreadable } from './formats/source.ts';
import { readTrace } from './formats/trace.ts';
import { shorten } from './formats/xml.ts';
import { noOverheads } from './overheads.ts';
import type { Cancellation, SimulationConfig, TraceLease, Workload } from './workload.ts';

/** The files and options that make up a run, as a command line gives them. Paths are those of the file system. */
export interface SimulationFiles {
  /** Null: the configuration names it. */
  readonly trace?: string | null;
  /** Haizea's INI form, or YAML/JSON. */
  readonly config?: string | null;
  readonly inject?: string | null;
  readonly images?: string | null;
  readonly cancel?: string | null;
  /** Wins over the configuration's and the trace's own site. */
  readonly site?: string | null;
  readonly swf?: SwfOptions;
}

export interface LoadedSimulation {
  readonly workload: Workload;
  readonly cancellations: readonly Cancellation[];
  /** With its site: never null here. */
  readonly config: SimulationConfig & { readonly site: SiteSpec };
  /** Where the configuration wants the results. */
  readonly dataFile: string | null;
  readonly warnings: readonly string[];
}

export const defaultSimulationConfig: SimulationConfig = {
  scheduler: defaultSchedulerConfig,
  startTime: 0,
  site: null,
  stopWhen: 'all-leases-done',
  overheads: noOverheads,
  overrideMemory: null,
  probes: [],
  attributes: {},
};

/** Reads everything that a run needs. Throws TraceError and ConfigError. */
export async function loadSimulation(files: SimulationFiles): Promise<LoadedSimulation> {
  const loaded = files.config == null ? null : await loadConfig(files.config);
  return loadWith(loaded, files);
}

/** The same with a configuration that has been read already. */
export function loadWith(loaded: LoadedConfig | null, files: SimulationFiles): LoadedSimulation {
  const tracePath = files.trace ?? loaded?.traceFile ?? null;
  if (tracePath === null) {
    const detail = 'no trace is named, expected one on the command line or as tracefile.tracefile';
    throw new ConfigError('MISSING_KEY', loaded?.file ?? 'simulate', null, detail);
  }
  const injectionPath = files.inject ?? loaded?.injectionFile ?? null;
  const imagesPath = files.images ?? loaded?.imageFile ?? null;
  const swf = files.swf ?? {};

  const trace = readTrace(fileSource(tracePath), { ordered: injectionPath === null, swf });
  const firstId = trace.workload.leases.length + 1;
  const injection =
    injectionPath === null ? null : readTrace(fileSource(injectionPath), { ordered: false, firstId, swf });
  const site = findSite(tracePath, trace, loaded, files.site ?? null);
  checkTypes(tracePath, trace, site);
  if (injectionPath !== null && injection !== null) checkTypes(injectionPath, injection, site);

  const merged = merge(trace.workload.leases, injection?.workload.leases ?? []);
  const warnings = [...(loaded?.warnings ?? []), ...trace.warnings, ...(injection?.warnings ?? [])];
  let leases = merged;
  if (imagesPath !== null) {
    const images = readImages(fileSource(imagesPath));
    if (images.length !== leases.length) {
      warnings.push(`${imagesPath}: ${images.length} images are listed for ${leases.length} leases`);
    }
    leases = withImages(leases, images);
  }
  const config = loaded?.config ?? defaultSimulationConfig;
  const attributes = { ...trace.workload.attributes, ...injection?.workload.attributes };
  return {
    workload: { ...trace.workload, leases, attributes },
    cancellations: files.cancel == null ? [] : readCancellations(fileSource(files.cancel)),
    config: { ...config, site, attributes: { ...attributes, ...config.attributes } },
    dataFile: loaded?.dataFile ?? null,
    warnings,
  };
}

/** Reads a configuration in either form; the paths that it names count from its own folder. Throws ConfigError. */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError('FILE_UNREADABLE', path, null, unreadable(error));
  }
  return withPathsFrom(dirname(path), readHaizeaConfig(path, text));
}

export function withPathsFrom(folder: string, loaded: LoadedConfig): LoadedConfig {
  const from = (path: string | null) => (path === null ? null : resolve(folder, path));
  return {
    ...loaded,
    siteFile: from(loaded.siteFile),
    traceFile: from(loaded.traceFile),
    imageFile: from(loaded.imageFile),
    injectionFile: from(loaded.injectionFile),
    dataFile: from(loaded.dataFile),
  };
}

function findSite(
  tracePath: string,
  trace: ReadTrace,
  loaded: LoadedConfig | null,
  option: string | null,
): SiteSpec {
  if (option !== null) return siteOption(option);
  const site =
    loaded?.config.site ??
    (loaded?.siteFile == null ? trace.workload.site : readSite(fileSource(loaded.siteFile)));
  if (site === null) {
    const expected = `a <site> in it, a site in the configuration, or --site ${SITE_FORM}`;
    throw new TraceError('NO_SITE', tracePath, null, `the trace describes no site, expected ${expected}`);
  }
  return site;
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
