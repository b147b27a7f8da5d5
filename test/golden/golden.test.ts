import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { casesIn, report, runCase } from '../support/golden-cases.ts';

const own = join(import.meta.dirname, 'cases');
const shared = join(import.meta.dirname, '../../../shared/golden');
const copied = new Set(casesIn(own));
const others = casesIn(shared).filter((name) => !copied.has(name));

describe('expected schedules of generated workloads', () => {
  it('are 142', () => expect(copied.size).toBe(142));

  it.each([...copied])('%s comes out exactly as expected', async (name) => {
    expect(report(await runCase(own, name))).toBe('');
  });
});

describe('a file without commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasegraph-golden-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const some = [...copied].filter((_name, index) => index % 9 === 0);
  it('is tried with 16', () => expect(some.length).toBe(16));

  it.each(some)('changes nothing in %s', async (name) => {
    const commands = join(folder, 'commands.jsonl');
    writeFileSync(commands, '');
    expect(report(await runCase(own, name, commands))).toBe('');
  });
});

const missing = others.length === 0;

describe.skipIf(missing)('the rest of the expected schedules, in ../shared/golden', () => {
  it.each(missing ? ['(skipped: the folder is not there)'] : others)(
    '%s comes out exactly as expected',
    async (name) => {
      expect(report(await runCase(shared, name))).toBe('');
    },
  );
});
