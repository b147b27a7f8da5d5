import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type ConfigEntry, isModulePath } from '../../config/index.ts';
import { shortcuts } from './override-options.ts';

/** The options that were given, as entries of a configuration. */
export function readOverrides(command: Command): ConfigEntry[] {
  const values = command.opts<Record<string, string | ConfigEntry[] | undefined>>();
  const entries: ConfigEntry[] = [];
  for (const [flags, section, key] of shortcuts) {
    const flag = flags.split(' ')[0] as string;
    const value = values[flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value === 'string') entries.push({ file: flag, line: null, section, key, value });
  }
  return [...entries, ...((values.set as ConfigEntry[] | undefined) ?? [])].map(fromWorkingDirectory);
}

/** One combination of options that were given several values. */
export interface Combination {
  /** The values that differ between combinations; empty where no option has several. */
  readonly name: string;
  readonly entries: readonly ConfigEntry[];
}

/** Sections and keys whose values may hold commas of their own. */
const lists = /^(accounting\.|site\.|simulation\.(resources|probes|attributes))/;

/** `--backfilling aggressive,conservative`: every combination of the values, each with its name. */
export function combinations(entries: readonly ConfigEntry[]): Combination[] {
  let all: Combination[] = [{ name: '', entries: [] }];
  for (const entry of entries) {
    const isList = lists.test(`${entry.section}.${entry.key}`);
    const values = isList ? [entry.value] : entry.value.split(',').map((value) => value.trim());
    all = all.flatMap(({ name, entries: before }) =>
      values.map((value) => ({
        name: values.length === 1 ? name : [name, value].filter((part) => part !== '').join('-'),
        entries: [...before, { ...entry, value }],
      })),
    );
  }
  // The name becomes part of file names.
  return all.map(({ name, entries }) => ({ name: name.replace(/[/\\]/g, '_'), entries }));
}

const files: ReadonlySet<string> = new Set([
  'tracefile.tracefile',
  'tracefile.injectionfile',
  'tracefile.imagefile',
  'accounting.datafile',
  'simulation.trace',
  'simulation.inject',
  'simulation.images',
  'simulation.output',
  'simulation.siteFile',
]);
const policies = /^(scheduling\.policy-|scheduler\.(admission|hostSelection|preemption)$)/;

/** Paths on the command line are relative to the working directory, not to the folder of the configuration. */
function fromWorkingDirectory(entry: ConfigEntry): ConfigEntry {
  const { section, key, value } = entry;
  const name = `${section}.${key}`;
  if (files.has(name) && value !== '' && !/^(none|null)$/i.test(value)) {
    return { ...entry, value: resolve(value) };
  }
  if (policies.test(name)) {
    const paths = value.split(',').map((each) => (isModulePath(each) ? resolve(each) : each));
    return { ...entry, value: paths.join(',') };
  }
  if (name === 'simulation.resources' && value.startsWith('file:')) {
    return { ...entry, value: `file:${resolve(value.slice('file:'.length).trim())}` };
  }
  return entry;
}
