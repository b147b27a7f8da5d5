import { basename, dirname, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import type { LoadedConfig } from './assemble.ts';
import { haizeaConfig, override } from './haizea.ts';
import { parseIni } from './ini.ts';
import type { ConfigEntry } from './option-values.ts';

/** One combination of a multi-configuration. */
export interface MatrixRun {
  /** `PROFILE_TRACE[+INJECTION]`. */
  readonly name: string;
  readonly profile: string;
  readonly traceFile: string;
  readonly injectionFile: string | null;
  readonly config: LoadedConfig;
}

export interface Matrix {
  readonly runs: readonly MatrixRun[];
  /** Where results go. */
  readonly dataDir: string | null;
  readonly warnings: readonly string[];
}

const MULTI_KEYS = ['tracedir', 'tracefiles', 'injectiondir', 'injectionfiles', 'datadir'] as const;
type MultiKey = (typeof MULTI_KEYS)[number];

/**
 * Reads a multi-configuration: every profile with every trace, without an injection and with each. Options of `[common:SECTION]` hold for
 * all, those of `[PROFILE:SECTION]` win over them, overrides over both. Relative paths count from the file's folder. Throws ConfigError.
 */
export function readMatrix(file: string, text: string, overrides: readonly ConfigEntry[] = []): Matrix {
  const multi: Partial<Record<MultiKey, string>> = {};
  const profiles = new Map<string, ConfigEntry[]>();
  for (const entry of parseIni(file, text)) {
    const [, profile, section] = /^([^:]+):(.+)$/.exec(entry.section) ?? [];
    if (entry.section === 'multi') {
      if (!isMultiKey(entry.key)) {
        const detail = `unknown option multi.${entry.key}, expected one of ${MULTI_KEYS.join(', ')}`;
        throw new ConfigError('UNKNOWN_KEY', file, entry.line, detail);
      }
      multi[entry.key] = entry.value;
    } else if (profile === undefined || section === undefined) {
      const detail = `unknown section [${entry.section}], expected [multi], [common:SECTION] or [PROFILE:SECTION]`;
      throw new ConfigError('UNKNOWN_SECTION', file, entry.line, detail);
    } else if (/[/\\]/.test(profile)) {
      const detail = `profile ${profile}: its name becomes a part of files' names, expected none of / and \\`;
      throw new ConfigError('INVALID_VALUE', file, entry.line, detail);
    } else {
      const entries = profiles.get(profile) ?? [];
      entries.push({ ...entry, section });
      profiles.set(profile, entries);
    }
  }
  const common = profiles.get('common') ?? [];
  profiles.delete('common');
  if (profiles.size === 0) {
    throw new ConfigError(
      'MISSING_KEY',
      file,
      null,
      'there is no profile, expected a section [PROFILE:SECTION]',
    );
  }

  const folder = dirname(file);
  const paths = (dir: string | undefined, names: string | undefined) =>
    (names ?? '')
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((name) => resolve(folder, dir ?? '.', name));
  const traces = paths(multi.tracedir, multi.tracefiles);
  if (traces.length === 0) {
    throw new ConfigError('MISSING_KEY', file, null, 'multi.tracefiles is not set, expected names of traces');
  }
  const injections = [null, ...paths(multi.injectiondir, multi.injectionfiles)];

  const runs: MatrixRun[] = [];
  const warnings = new Set<string>();
  for (const [profile, entries] of profiles) {
    const merged = override(override(common, entries), overrides);
    const config = haizeaConfig(file, merged);
    for (const warning of config.warnings) warnings.add(warning);
    for (const traceFile of traces) {
      for (const injectionFile of injections) {
        const name = `${profile}_${shortName(traceFile)}${injectionFile === null ? '' : `+${shortName(injectionFile)}`}`;
        runs.push({
          name,
          profile,
          traceFile,
          injectionFile,
          config: withAttributes(config, profile, traceFile, injectionFile),
        });
      }
    }
  }
  const repeated = runs.find(({ name }, i) => runs.findIndex((run) => run.name === name) !== i);
  if (repeated !== undefined) {
    throw new ConfigError(
      'DUPLICATE_KEY',
      file,
      null,
      `two runs would be named ${repeated.name}, expected files of different names`,
    );
  }
  const dataDir = multi.datadir === undefined ? null : resolve(folder, multi.datadir);
  return { runs, dataDir, warnings: [...warnings] };
}

function isMultiKey(key: string): key is MultiKey {
  return (MULTI_KEYS as readonly string[]).includes(key);
}

function withAttributes(
  loaded: LoadedConfig,
  profile: string,
  trace: string,
  injection: string | null,
): LoadedConfig {
  const attributes = {
    ...loaded.config.attributes,
    profile,
    tracefile: shortName(trace),
    injectfile: injection === null ? 'None' : shortName(injection),
  };
  // The warnings are the same for every run, and told once.
  return { ...loaded, config: { ...loaded.config, attributes }, warnings: [] };
}

/** A file's name up to the first dot. */
function shortName(path: string): string {
  return basename(path).split('.')[0] as string;
}
