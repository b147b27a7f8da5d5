import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

const missing = others.length === 0;

describe.skipIf(missing)('the rest of the expected schedules, in ../shared/golden', () => {
  it.each(missing ? ['(skipped: the folder is not there)'] : others)(
    '%s comes out exactly as expected',
    async (name) => {
      expect(report(await runCase(shared, name))).toBe('');
    },
  );
});
