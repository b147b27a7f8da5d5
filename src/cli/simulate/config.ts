import { resolve } from 'node:path';
import { assembleConfig, defaultConfig, type LoadedConfig } from '../../simulation/config/assemble.ts';
import { loadHaizeaConfig, withPathsFrom } from '../../simulation/config/haizea.ts';
import { type ConfigEntry, OptionValues } from '../../simulation/config/option-values.ts';
import { PROBES } from '../../simulation/config/options.ts';
import { ConfigError } from '../../simulation/errors.ts';

/**
 * The configuration of a run: Haizea's INI form, or the native one in YAML or JSON (by the name's ending), or none. Options of the command line win
 * over it. Throws ConfigError and ConfigurationError.
 */
export async function loadConfig(
  path: string | null,
  overrides: readonly ConfigEntry[],
): Promise<LoadedConfig> {
  if (path !== null && !/\.(ya?ml|json)$/i.test(path)) return loadHaizeaConfig(path, overrides);
  const base = path === null ? defaultConfig : await loadNative(path);
  return withPathsFrom('.', assembleConfig(new OptionValues(base.file, overrides), base));
}

async function loadNative(path: string): Promise<LoadedConfig> {
  const { readConfigurationFile } = await import('../../config/index.ts');
  const { site, scheduler, simulation } = readConfigurationFile(path);
  const { acceptKnownDurations: _, trace, inject, images, output, ...run } = simulation;
  const unknown = run.probes.find((name) => !(PROBES as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const detail = `simulation.probes: "${unknown}" is no probe; there are ${PROBES.join(', ')}`;
    throw new ConfigError('INVALID_VALUE', path, null, detail);
  }
  const from = (named: string | null) => (named === null ? null : resolve(path, '..', named));
  return {
    file: path,
    config: { ...run, scheduler, site: site?.spec ?? null },
    siteFile: null,
    traceFile: from(trace),
    injectionFile: from(inject),
    imageFile: from(images),
    dataFile: from(output),
    warnings: [],
  };
}
