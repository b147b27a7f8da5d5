import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import { unreadable } from '../formats/source.ts';
import { assembleConfig, type LoadedConfig } from './assemble.ts';
import { parseIni } from './ini.ts';
import { type ConfigEntry, dottedName, type OptionName } from './option-values.ts';
import { isModulePath } from './options.ts';

/** What holds where there is no Haizea configuration to say otherwise: those options that Haizea has no default for. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  general: { mode: 'simulated' },
  simulation: {
    clock: 'simulated',
    starttime: '1970-01-01 00:00:00',
    resources: 'in-tracefile',
    'imagetransfer-bandwidth': '100',
  },
  scheduling: { suspension: 'none', 'suspend-rate': '32', 'resume-rate': '32' },
  'deploy-imagetransfer': { 'transfer-mechanism': 'multicast', 'diskimage-cache-size': '-1' },
};

/**
 * Reads a configuration: Haizea's INI form, or the native one in YAML or JSON (by the name's ending). Null gives the defaults. Overrides win over the file.
 * Paths in a file count from its own folder. Throws ConfigError.
 */
export async function loadConfig(
  path: string | null,
  overrides: readonly ConfigEntry[] = [],
): Promise<LoadedConfig> {
  const file = path ?? '(defaults)';
  let entries: readonly ConfigEntry[] = [];
  let nameOf: OptionName = dottedName;
  if (path === null) {
    entries = withDefaults(file, []);
  } else if (/\.(ya?ml|json)$/i.test(path)) {
    const { nativeName, parseNative } = await import('./native.ts');
    nameOf = nativeName;
    entries = withDefaults(file, parseNative(path, readText(path)));
  } else {
    entries = parseIni(path, readText(path));
  }
  const loaded = assembleConfig(file, override(entries, overrides), nameOf);
  return withPathsFrom(path === null ? '.' : dirname(path), loaded);
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

function withDefaults(file: string, entries: readonly ConfigEntry[]): ConfigEntry[] {
  const defaults = Object.entries(DEFAULTS).flatMap(([section, options]) =>
    Object.entries(options).map(([key, value]) => ({ file, line: null, section, key, value })),
  );
  return override(defaults, entries);
}
