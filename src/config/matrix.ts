import { basename, dirname, resolve } from 'node:path';
import { getOrCreate } from '../core/index.ts';
import { at, ConfigurationError, type ConfigurationErrorCode, hint } from './error.ts';
import { type Draft, isHaizeaForm, parseYaml, readText } from './file.ts';
import { type ConfigEntry, parseIni } from './haizea/ini.ts';
import { haizeaRun, nativeRun, override, type RunConfiguration } from './run.ts';

/** One combination of a multi-configuration. */
export interface MatrixRun {
  /** `PROFILE_TRACE[+INJECTION]`. */
  readonly name: string;
  readonly profile: string;
  readonly trace: string;
  readonly injection: string | null;
  readonly run: RunConfiguration;
  /** Attributes that name the combination in its result. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Matrix {
  readonly runs: readonly MatrixRun[];
  /** Where results go. */
  readonly outputDir: string | null;
  readonly warnings: readonly string[];
}

/** What a multi-configuration says in either form. Paths are absolute. */
interface Parts {
  readonly file: string;
  readonly traces: readonly string[];
  readonly injections: readonly string[];
  readonly outputDir: string | null;
  readonly profiles: readonly (readonly [name: string, run: RunConfiguration])[];
}

/**
 * Reads a multi-configuration, in Haizea's form or in YAML: every profile with every trace, without an injection and
 * with each. Options of a profile win over the common ones, overrides over both. Throws ConfigurationError.
 */
export function readMatrix(file: string, overrides: readonly ConfigEntry[] = []): Matrix {
  const text = readText(file);
  const parts = isHaizeaForm(file, text)
    ? haizeaParts(file, text, overrides)
    : nativeParts(parseYaml(file, text), overrides);
  return matrixOf(parts);
}

/** Every profile with every trace. Throws ConfigurationError. */
export function matrixOf({ file, traces, injections, outputDir, profiles }: Parts): Matrix {
  const warnings = new Set(profiles.flatMap(([, { warnings }]) => warnings));
  const runs = profiles.flatMap(([profile, run]) =>
    traces.flatMap((trace) =>
      [null, ...injections].map((injection): MatrixRun => {
        const suffix = injection === null ? '' : `+${shortName(injection)}`;
        const attributes = {
          profile,
          tracefile: shortName(trace),
          injectfile: injection === null ? 'None' : shortName(injection),
        };
        return {
          name: `${profile}_${shortName(trace)}${suffix}`,
          profile,
          trace,
          injection,
          run,
          attributes,
        };
      }),
    ),
  );
  const names = new Set<string>();
  for (const { name } of runs) {
    if (names.has(name)) {
      const detail = `two runs would have the name ${name}, expected files with different names`;
      throw new ConfigurationError('DUPLICATE_KEY', at({ file, line: null }, detail));
    }
    names.add(name);
  }
  return { runs, outputDir, warnings: [...warnings] };
}

const multiKeys = ['tracedir', 'tracefiles', 'injectiondir', 'injectionfiles', 'datadir'] as const;
type MultiKey = (typeof multiKeys)[number];

function haizeaParts(file: string, text: string, overrides: readonly ConfigEntry[]): Parts {
  const multi: Partial<Record<MultiKey, string>> = {};
  const profiles = new Map<string, ConfigEntry[]>();
  for (const entry of parseIni(file, text)) {
    const [, profile, section] = /^([^:]+):(.+)$/.exec(entry.section) ?? [];
    if (entry.section === 'multi') {
      if (!isMultiKey(entry.key))
        fail('UNKNOWN_KEY', entry, `multi.${entry.key}: unknown key; ${hint(entry.key, multiKeys)}`);
      else multi[entry.key] = entry.value;
    } else if (profile === undefined || section === undefined) {
      const expected = '[multi], [common:SECTION] or [PROFILE:SECTION]';
      fail('UNKNOWN_SECTION', entry, `[${entry.section}]: unknown section, expected ${expected}`);
    } else {
      checkProfileName(entry, profile);
      getOrCreate(profiles, profile, (): ConfigEntry[] => []).push({ ...entry, section });
    }
  }
  const common = profiles.get('common') ?? [];
  profiles.delete('common');
  const place = { file, line: null };
  if (profiles.size === 0) fail('MISSING_KEY', place, 'there is no profile, expected a section [PROFILE:SECTION]');
  const folder = dirname(file);
  const paths = (dir = '.', names = '') =>
    names
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((name) => resolve(folder, dir, name));
  const traces = paths(multi.tracedir, multi.tracefiles);
  if (traces.length === 0) fail('MISSING_KEY', place, 'multi.tracefiles: is missing, expected names of traces');
  return {
    file,
    traces,
    injections: paths(multi.injectiondir, multi.injectionfiles),
    outputDir: multi.datadir === undefined ? null : resolve(folder, multi.datadir),
    profiles: [...profiles].map(([name, entries]) => [name, haizeaRun(file, override(common, entries), overrides)]),
  };
}

function isMultiKey(key: string): key is MultiKey {
  return (multiKeys as readonly string[]).includes(key);
}

const nativeKeys = ['traces', 'injections', 'output', 'common', 'profiles'] as const;

function nativeParts(draft: Draft, overrides: readonly ConfigEntry[]): Parts {
  const { file, values } = draft;
  const place = (...path: string[]) => ({ file, line: draft.lineOf(path) });
  for (const key of Object.keys(values)) {
    if (!(nativeKeys as readonly string[]).includes(key)) {
      fail('UNKNOWN_KEY', place(key), `${key}: unknown key; ${hint(key, nativeKeys)}`);
    }
  }
  const folder = dirname(file);
  const paths = (key: 'traces' | 'injections') => {
    const list = values[key] ?? [];
    if (Array.isArray(list) && list.every((path) => typeof path === 'string')) {
      return list.map((path: string) => resolve(folder, path));
    }
    return fail('INVALID_VALUE', place(key), `${key}: expected a list of files`);
  };
  const traces = paths('traces');
  if (traces.length === 0) fail('MISSING_KEY', place(), 'traces: is missing, expected a list of files');
  const { output, common = {}, profiles } = values;
  if (output !== undefined && typeof output !== 'string')
    fail('INVALID_VALUE', place('output'), 'output: expected a folder');
  if (!isObject(profiles) || Object.keys(profiles).length === 0) {
    return fail('MISSING_KEY', place('profiles'), 'profiles: expected at least one configuration under its name');
  }
  const run = (name: string, values: unknown): RunConfiguration => {
    checkProfileName(place('profiles', name), name);
    const lineOf = (path: readonly PropertyKey[]) => {
      const own = draft.lineOf(['profiles', name, ...path]);
      return own === draft.lineOf(['profiles', name]) ? (draft.lineOf(['common', ...path]) ?? own) : own;
    };
    return nativeRun({ file, values: merged(common, values) as Record<string, unknown>, lineOf }, overrides);
  };
  return {
    file,
    traces,
    injections: paths('injections'),
    outputDir: typeof output === 'string' ? resolve(folder, output) : null,
    profiles: Object.entries(profiles).map(([name, values]) => [name, run(name, values)]),
  };
}

/** Maps key by key, everything else replaced as a whole. */
function merged(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over ?? base;
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) result[key] = merged(result[key], value);
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name becomes part of file names. */
function checkProfileName(place: { file: string; line: number | null }, name: string): void {
  if (/[/\\]/.test(name)) fail('INVALID_VALUE', place, `profile ${name}: expected a name without / and \\`);
}

function fail(code: ConfigurationErrorCode, place: { file: string; line: number | null }, detail: string): never {
  throw new ConfigurationError(code, at(place, detail));
}

/** The name of a file up to the first dot. */
function shortName(path: string): string {
  return basename(path).split('.')[0] as string;
}
