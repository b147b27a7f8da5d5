import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build, program } from '../support/server-process.ts';

beforeAll(build);

/** The packages that a file of the bundle contains or loads as soon as it is loaded, itself or through others. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  const code = readFileSync(file, 'utf8');
  // A comment of the bundler names the file of each module.
  for (const [, name = ''] of code.matchAll(/^ *\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)) packages.add(name);
  for (const [, specifier = ''] of code.matchAll(/^(?:import|export)\b[^;'"]*?["']([^"']+)["'];?$/gm)) {
    if (specifier.startsWith('.'))
      for (const name of packagesOf(join(dirname(file), specifier), seen)) packages.add(name);
    else if (!specifier.startsWith('node:')) packages.add(specifier);
  }
  return packages;
}

const commandFile = (name: string): string => {
  const file = readdirSync(dirname(program)).find((each) => new RegExp(`^${name}-\\w+\\.js$`).test(each));
  if (file === undefined) throw new Error(`no file for ${name}`);
  return join(dirname(program), file);
};

describe('the bundle', () => {
  it('loads only what a command needs', () => {
    expect([...packagesOf(program)]).toEqual(['commander']);
    const heavy = /prisma|graphql|pothos|pglite|^pg$|^ws$|pino|prom-client/;
    for (const name of ['simulate', 'convert']) {
      expect(
        [...packagesOf(commandFile(name))].filter((each) => heavy.test(each)),
        name,
      ).toEqual([]);
    }
    for (const name of ['leases', 'queue', 'nodes', 'cancel', 'request']) {
      const loaded = [...packagesOf(commandFile(name))];
      // graphql itself is part of the clients of subscriptions.
      expect(
        loaded.filter((each) => /prisma|pothos|yoga|pglite|^pg$|pino|prom-client/.test(each)),
        name,
      ).toEqual([]);
    }
    expect([...packagesOf(commandFile('serve'))]).toEqual(expect.arrayContaining(['graphql-yoga', '@pothos/core']));
  });
});
