import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { ConfigEntry } from '../../simulation/config/option-values.ts';
import { isModulePath } from '../../simulation/config/options.ts';

/** Options of the configuration that have one of their own on the command line. */
const SHORTCUTS = [
  ['--backfilling <mode>', 'scheduling', 'backfilling', 'off, aggressive, intermediate or conservative'],
  [
    '--backfilling-reservations <n>',
    'scheduling',
    'backfilling-reservations',
    'future leases that intermediate allows',
  ],
  ['--suspension <mode>', 'scheduling', 'suspension', 'none, serial-only or all'],
  ['--migration <mode>', 'scheduling', 'migration', 'no, yes or yes-notransfer'],
  ['--preemption <policy>', 'scheduling', 'policy-preemption', 'no-preemption or ar-preempts-everything'],
  ['--preparation <kind>', 'general', 'lease-preparation', 'unmanaged or imagetransfer'],
  [
    '--stop-when <when>',
    'simulation',
    'stop-when',
    'all-leases-done, besteffort-submitted or besteffort-done',
  ],
  ['--probes <names>', 'accounting', 'probes', 'accounting probes, with blanks between their names'],
] as const;

/** Adds the options that win over the configuration file. */
export function addOverrides(command: Command): Command {
  for (const [flags, section, key, values] of SHORTCUTS) {
    command.option(flags, `${section}.${key}: ${values}`);
  }
  return command.option(
    '--set <option=value>',
    'any option of the configuration, as SECTION.KEY=VALUE',
    collect,
    [],
  );
}

/** The options that were given, as entries of a configuration. */
export function readOverrides(command: Command): ConfigEntry[] {
  const values = command.opts<Record<string, string | ConfigEntry[] | undefined>>();
  const entries: ConfigEntry[] = [];
  for (const [flags, section, key] of SHORTCUTS) {
    const flag = flags.split(' ')[0] as string;
    const value = values[flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value === 'string') entries.push({ file: flag, line: null, section, key, value });
  }
  return [...entries, ...((values.set as ConfigEntry[] | undefined) ?? [])].map(fromHere);
}

const FILES: ReadonlySet<string> = new Set([
  'tracefile.tracefile',
  'tracefile.injectionfile',
  'tracefile.imagefile',
  'accounting.datafile',
]);

/** A path on the command line counts from where it is typed, and not from the folder of the configuration that it wins over. */
function fromHere(entry: ConfigEntry): ConfigEntry {
  const { section, key, value } = entry;
  const name = `${section}.${key}`;
  if (FILES.has(name) && value !== '' && value.toLowerCase() !== 'none')
    return { ...entry, value: resolve(value) };
  if (name.startsWith('scheduling.policy-') && isModulePath(value))
    return { ...entry, value: resolve(value) };
  if (name === 'simulation.resources' && value.startsWith('file:')) {
    return { ...entry, value: `file:${resolve(value.slice('file:'.length).trim())}` };
  }
  return entry;
}

function collect(text: string, before: readonly ConfigEntry[] = []): ConfigEntry[] {
  const match = /^([^.=]+)\.([^=]+)=(.*)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Expected SECTION.KEY=VALUE.');
  const [, section, key, value] = match as unknown as [string, string, string, string];
  return [...before, { file: '--set', line: null, section, key, value }];
}
