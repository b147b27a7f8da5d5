import { type ConfigEntry, type RunConfiguration, readRunConfiguration } from '../../config/index.ts';
import type { LoadedConfig } from '../../simulation/load.ts';

/**
 * The configuration of a run, in the native form or in Haizea's, or the defaults. Options of the command line win over
 * it. Throws ConfigurationError.
 */
export function loadConfig(path: string | null, overrides: readonly ConfigEntry[]): LoadedConfig {
  return toLoadedConfig(readRunConfiguration(path, overrides));
}

export function toLoadedConfig({ file, configuration, warnings }: RunConfiguration): LoadedConfig {
  const { site, scheduler, simulation } = configuration;
  const { acceptKnownDurations: _, siteFile, trace, inject, images, output, ...run } = simulation;
  return {
    file,
    config: { ...run, scheduler, site: site?.spec ?? null },
    siteFile,
    traceFile: trace,
    injectionFile: inject,
    imageFile: images,
    dataFile: output,
    warnings,
  };
}
