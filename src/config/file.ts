import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { builtInPolicies, type Policies, type SchedulerConfig, SchedulerError, validateConfig } from '../core/index.ts';
import { type ConfiguredAdapter, resolvedAdapter } from './adapter.ts';
import { at, ConfigurationError, configurationError, found, type Origin, parsing } from './error.ts';
import type { Setting } from './haizea/translate.ts';
import { libraries } from './libraries.ts';
import { type FileConfig, fileSchema } from './schema.ts';
import { type ConfiguredSite, configuredSite } from './site.ts';

/** A configuration that has been checked. Its paths are absolute. */
export interface Configuration extends Omit<FileConfig, 'site' | 'adapter' | 'adapters'> {
  readonly site: ConfiguredSite | null;
  /** The first that is for a node drives it. */
  readonly adapters: readonly ConfiguredAdapter[];
}

/** What a file holds before it is checked. */
export interface Draft {
  readonly file: string;
  readonly values: Record<string, unknown>;
  /** The line of the value at a path; null where there is none. */
  lineOf(path: readonly PropertyKey[]): number | null;
}

export const emptyDraft: Draft = { file: 'simulate', values: {}, lineOf: () => null };

/** Reads the text of a configuration file. Throws ConfigurationError. */
export function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new ConfigurationError('FILE_UNREADABLE', `${path}: ${unreadable(error)}`);
  }
  const utf16 = ['\u00ff\u00fe', '\u00fe\u00ff'].includes(bytes.subarray(0, 2).toString('latin1'));
  if (utf16) throw new ConfigurationError('FILE_UNREADABLE', `${path}: is UTF-16, expected UTF-8`);
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

function unreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a directory, expected a file';
  if (code === 'EACCES') return 'cannot be read (permission denied)';
  return `cannot be read: ${message}`;
}

/** Whether a text begins as an INI file does: with a section alone on its line. */
export function isIni(text: string): boolean {
  const lines = text.split('\n').map((line) => line.trim());
  return /^\[[\w:+-]+\]$/.test(lines.find((line) => !/^([#;]|$)/.test(line)) ?? '');
}

/** Whether a configuration is in Haizea's form: native files are recognized by their names. */
export function isHaizeaForm(path: string, text: string): boolean {
  return isIni(text) || !/\.(ya?ml|json)$/i.test(path);
}

/** Parses YAML or JSON. Throws ConfigurationError. */
export function parseYaml(file: string, text: string): Draft {
  const { isMap, LineCounter, parseDocument } = libraries.yaml;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const [error] = document.errors;
  if (error) {
    const detail = `not well-formed: ${error.message}`;
    throw new ConfigurationError('NOT_WELL_FORMED', at({ file, line: lineAt(error.pos[0]) }, detail));
  }
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: 100 });
  } catch (tooManyAliases) {
    throw new ConfigurationError('NOT_WELL_FORMED', `${file}: ${(tooManyAliases as Error).message}`);
  }
  return {
    file,
    values: (values ?? {}) as Record<string, unknown>,
    lineOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const parent = document.getIn(path.slice(0, length - 1), true);
        const last = path[length - 1];
        const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(last)) : undefined;
        const node = pair?.key ?? document.getIn(path.slice(0, length), true);
        const range = (node as { range?: readonly number[] | null } | undefined)?.range;
        if (range?.[0] !== undefined) return lineAt(range[0]);
      }
      return null;
    },
  };
}

/** Checks what a file holds, with settings that win over it. Throws ConfigurationError. */
export function checked(draft: Draft, settings: readonly Setting[]): Configuration {
  const { values, originOf } = combined(draft, settings);
  const { adapter, adapters, site, scheduler, simulation, http, ...config } = parsed(fileSchema(), values, originOf);
  if (adapter && adapters) {
    const detail = 'adapters: stands beside adapter, expected one of them';
    throw new ConfigurationError('INVALID_VALUE', at(originOf(['adapters']), detail));
  }
  const folder = dirname(draft.file);
  const { manifest } = http.persistedDocuments;
  return {
    ...config,
    ...checkedRun({ site, scheduler, simulation }, draft.file, originOf),
    adapters: (adapters ?? [adapter ?? { kind: 'simulated' as const }]).map((each) => resolvedAdapter(each, folder)),
    http: {
      ...http,
      persistedDocuments: { ...http.persistedDocuments, manifest: fromFolder(folder, manifest) },
    },
  };
}

const runSections = ['site', 'scheduler', 'simulation'] as const;
type RunSections = Pick<Configuration, (typeof runSections)[number]>;

/** As `checked`, for what a simulation needs. What the file says for a server is checked too, if it says anything. */
export function checkedForRun(draft: Draft, settings: readonly Setting[]): RunSections {
  const { values, originOf } = combined(draft, settings);
  const isForRun = (key: string) => (runSections as readonly string[]).includes(key);
  if (!isPlainObject(values) || !Object.keys(values).every(isForRun)) return checked(draft, settings);
  return checkedRun(parsed(fileSchema(runSections), values, originOf), draft.file, originOf);
}

type OriginOf = (path: readonly PropertyKey[]) => Origin;

/** The values of a draft and of the settings, and where each comes from. */
function combined(draft: Draft, settings: readonly Setting[]): { values: unknown; originOf: OriginOf } {
  const values = isPlainObject(draft.values) ? structuredClone(draft.values) : draft.values;
  const origins = new Map<string, Origin>();
  for (const { path, value, origin } of settings) {
    assign(values, path, value);
    origins.set(path.join('\0'), origin);
  }
  const originOf = (path: readonly PropertyKey[]): Origin => {
    for (let length = path.length; length > 0; length -= 1) {
      const origin = origins.get(path.slice(0, length).map(String).join('\0'));
      if (origin !== undefined) return origin;
    }
    return { file: draft.file, line: draft.lineOf(path), name: null };
  };
  return { values, originOf };
}

function parsed<T extends z.ZodType>(schema: T, values: unknown, originOf: OriginOf): z.output<T> {
  const result = schema.safeParse(values, parsing);
  if (!result.success) throw configurationError(result.error, (path) => keysAt(values, path), originOf);
  return result.data;
}

function checkedRun(
  { site, scheduler, simulation }: Pick<FileConfig, (typeof runSections)[number]>,
  file: string,
  originOf: OriginOf,
): RunSections {
  const folder = dirname(file);
  return {
    site: site ? configuredSite(file, site) : null,
    scheduler: checkedScheduler(scheduler, folder, originOf),
    simulation: {
      ...simulation,
      siteFile: fromFolder(folder, simulation.siteFile),
      trace: fromFolder(folder, simulation.trace),
      inject: fromFolder(folder, simulation.inject),
      images: fromFolder(folder, simulation.images),
      output: fromFolder(folder, simulation.output),
    },
  };
}

function fromFolder(folder: string, path: string | null): string | null {
  return path === null ? null : resolve(folder, path);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assign(target: unknown, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path as [string, ...string[]];
  // The schema refuses what stands in the way.
  if (!isPlainObject(target)) return;
  if (rest.length > 0) {
    if (!Object.hasOwn(target, key)) target[key] = {};
    assign(target[key], rest, value);
  } else if (value === undefined) delete target[key];
  else target[key] = value;
}

function checkedScheduler(scheduler: SchedulerConfig, folder: string, originOf: OriginOf): SchedulerConfig {
  const policy = (kind: keyof Policies): string => {
    const name = scheduler[kind];
    const known = Object.keys(builtInPolicies[kind]);
    if (known.includes(name)) return name;
    if (isModulePath(name)) return resolve(folder, name);
    const origin = originOf(['scheduler', kind]);
    const detail = `${found(name)} was found, expected ${known.join(', ')}, or a module such as ./policy.js`;
    throw new ConfigurationError('INVALID_VALUE', at(origin, `${origin.name ?? `scheduler.${kind}`}: ${detail}`));
  };
  const config = {
    ...scheduler,
    admission: policy('admission'),
    hostSelection: policy('hostSelection'),
    preemption: policy('preemption'),
  };
  try {
    validateConfig(config);
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    throw new ConfigurationError('INVALID_VALUE', at(originOf(['scheduler']), `scheduler.${error.message}`));
  }
  return config;
}

/** Whether a policy is named by the path of its module. */
export function isModulePath(name: string): boolean {
  return /[/\\].*\.[cm]?[jt]s$/.test(name);
}

/** The keys that the file may have at a path; of alternatives, those of the one that its values choose. */
function keysAt(values: unknown, path: readonly PropertyKey[]): readonly string[] {
  let nodes = variants(z.toJSONSchema(fileSchema(), { io: 'input', unrepresentable: 'any' }), values);
  let value: unknown = values;
  for (const part of path) {
    value = (value as Record<PropertyKey, unknown> | null | undefined)?.[part];
    nodes = nodes.flatMap(({ items, properties }) =>
      variants(typeof part === 'number' ? items : properties?.[String(part)], value),
    );
  }
  return [...new Set(nodes.flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** A schema, or its alternatives that are not about another kind of value. */
function variants(schema: JsonSchema['items'], value: unknown): readonly JsonSchema[] {
  if (typeof schema !== 'object' || Array.isArray(schema)) return [];
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...alternatives.flatMap((each) => variants(each, value)).filter((each) => isChosen(each, value))];
}

function isChosen({ properties = {}, required = [] }: JsonSchema, value: unknown): boolean {
  if (!isPlainObject(value)) return true;
  return Object.entries(properties).every(([key, property]) => {
    if (typeof property !== 'object' || property.const === undefined) return true;
    return value[key] === undefined ? !required.includes(key) : value[key] === property.const;
  });
}
