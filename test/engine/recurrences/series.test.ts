import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { seriesOf, startsFrom } from '../../../src/engine/recurrences/series.ts';

interface Case {
  readonly zone: string;
  readonly rule: string;
  readonly first: string;
  /** Of python-dateutil (occurrences.py). */
  readonly starts: readonly string[];
  readonly what?: string;
}

const cases = JSON.parse(readFileSync(new URL('occurrences.json', import.meta.url), 'utf8')) as readonly Case[];

function startsOf({ first, rule, starts, zone }: Case): string[] {
  const series = seriesOf({ rule, timeZone: zone, firstStart: first });
  const found: string[] = [];
  for (const { start } of startsFrom(series, { index: 1, day: series.firstDay }, [])) {
    found.push(`${new Date(start).toISOString().slice(0, 19)}Z`);
    if (found.length === starts.length) break;
  }
  return found;
}

describe('starts equal those of python-dateutil', () => {
  test.each(cases.filter(({ what }) => what !== undefined))('$zone, $first: $what', (each) => {
    expect(startsOf(each)).toEqual(each.starts);
  });

  test('for rules of every form', () => {
    const rules = cases.filter(({ what }) => what === undefined);
    expect(rules.length).toBeGreaterThanOrEqual(400);
    for (const each of rules) expect({ ...each, starts: startsOf(each) }).toEqual(each);
  });
});
