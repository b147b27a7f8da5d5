import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import { unreadable } from '../formats/source.ts';
import { assembleConfig, defaultConfig, type LoadedConfig } from './assemble.ts';
import { parseIni } from './ini.ts';
import { type ConfigEntry, dottedName, OptionValues } from './option-values.ts';
import { isModulePath } from './options.ts';

/** Reads Haizea's own configuration, an INI file. Overrides win over it; its paths count from its folder. Throws ConfigError. */
export function loadHaizeaConfig(path: string, overrides: readonly ConfigEntry[] = []): LoadedConfig {
  return haizeaConfig(path, override(parseIni(path, readText(path)), overrides));
}

/** The same of options that have been taken out of a file. */
export function haizeaConfig(file: string, entries: readonly ConfigEntry[]): LoadedConfig {
  const options = new OptionValues(file, entries);
  requireOptions(options);
  const warnings =
    options.get('simulation', 'clock') === 'simulated'
      ? []
      : [`${file}: simulation.clock is real: a simulation here always has its own clock`];
  return withPathsFrom(dirname(file), assembleConfig(options, { ...defaultConfig, file, warnings }));
}

/** What must be set in a Haizea configuration, always or because of another option. Throws ConfigError. */
function requireOptions(options: OptionValues): void {
  options.require('general', 'mode');
  options.require('simulation', 'resources');
  if (options.get('simulation', 'clock') === 'simulated') {
    options.require('simulation', 'starttime', 'as simulation.clock is simulated');
  }
  const suspension = options.require('scheduling', 'suspension');
  if (suspension !== 'none') {
    const why = `as scheduling.suspension is ${suspension}`;
    options.require('scheduling', 'suspend-rate', why);
    options.require('scheduling', 'resume-rate', why);
  }
  if (options.get('scheduling', 'backfilling') === 'intermediate') {
    options.require('scheduling', 'backfilling-reservations', 'as scheduling.backfilling is intermediate');
  }
  if (options.get('general', 'lease-preparation') === 'imagetransfer') {
    const why = 'as general.lease-preparation is imagetransfer';
    options.require('simulation', 'imagetransfer-bandwidth', why);
    options.require('deploy-imagetransfer', 'transfer-mechanism', why);
    if (options.get('deploy-imagetransfer', 'diskimage-reuse') === 'image-caches') {
      options.require('deploy-imagetransfer', 'diskimage-cache-size', 'as diskimage-reuse is image-caches');
    }
  }
}

/** Reads a configuration's file. Throws ConfigError. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError('FILE_UNREADABLE', path, null, unreadable(error));
  }
}

/** The entries, those of the same option replaced. */
export function override(entries: readonly ConfigEntry[], overrides: readonly ConfigEntry[]): ConfigEntry[] {
  const merged = new Map(entries.map((entry) => [dottedName(entry.section, entry.key), entry]));
  for (const entry of overrides) merged.set(dottedName(entry.section, entry.key), entry);
  return [...merged.values()];
}

/** Paths that the configuration names, from that folder on. */
export function withPathsFrom(folder: string, loaded: LoadedConfig): LoadedConfig {
  const from = (path: string | null) => (path === null ? null : resolve(folder, path));
  const policy = (name: string) => (isModulePath(name) ? resolve(folder, name) : name);
  const { scheduler } = loaded.config;
  return {
    ...loaded,
    config: {
      ...loaded.config,
      scheduler: {
        ...scheduler,
        admission: policy(scheduler.admission),
        hostSelection: policy(scheduler.hostSelection),
        preemption: policy(scheduler.preemption),
      },
    },
    siteFile: from(loaded.siteFile),
    traceFile: from(loaded.traceFile),
    imageFile: from(loaded.imageFile),
    injectionFile: from(loaded.injectionFile),
    dataFile: from(loaded.dataFile),
  };
}
