import { type Command, InvalidArgumentError } from 'commander';
import type { ConfigEntry } from '../../config/index.ts';

/** Keys of the configuration with an option of their own. */
export const shortcuts = [
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
  ['--stop-when <when>', 'simulation', 'stop-when', 'all-leases-done, besteffort-submitted or besteffort-done'],
  ['--probes <names>', 'accounting', 'probes', 'accounting probes, with blanks between their names'],
] as const;

/** Adds the options that win over the configuration file. */
export function addOverrides(command: Command): Command {
  for (const [flags, section, key, values] of shortcuts) {
    command.option(flags, `${section}.${key}: ${values}`);
  }
  return command.option(
    '--set <option=value>',
    'any option of the configuration, as SECTION.KEY=VALUE; may be repeated',
    collect,
  );
}

function collect(text: string, before: readonly ConfigEntry[] = []): ConfigEntry[] {
  const match = /^([^.=]+)\.([^=]+)=(.*)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Expected SECTION.KEY=VALUE.');
  const [, section, key, value] = match as unknown as [string, string, string, string];
  return [...before, { file: '--set', line: null, section, key, value }];
}
