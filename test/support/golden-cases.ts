import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulate } from '../../src/simulation/run.ts';
import { differences, type ExpectedSchedule } from './compare-golden.ts';
import { loadRun } from './load-run.ts';

/** The names of the cases in a folder: each is a folder of its own with an expected schedule. */
export const casesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'expected.json'))) : [];

/**
 * Runs a case as `simulate` would, on request with a file of commands, and tells in what it differs from its expected
 * schedule.
 */
export const runCase = async (folder: string, name: string, commands: string | null = null): Promise<string[]> => {
  const file = (base: string) => join(folder, name, base);
  const optional = (base: string) => (existsSync(file(base)) ? file(base) : null);
  const loaded = loadRun({
    trace: file('trace.lwf'),
    config: file('config.conf'),
    inject: optional('inject.lwf'),
    images: optional('images.txt'),
    cancel: optional('cancel.txt'),
    commands,
  });
  const expected = JSON.parse(readFileSync(file('expected.json'), 'utf8')) as ExpectedSchedule;
  return differences(expected, simulate(loaded));
};

/** A failure's message: the first differences, and how many there are. */
export const report = (found: readonly string[]): string =>
  found.length <= 12 ? found.join('\n') : `${found.slice(0, 12).join('\n')}\n… ${found.length} differences in all`;
