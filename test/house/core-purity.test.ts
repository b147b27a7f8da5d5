/** The core is a function of its calls: no clock, no randomness, no input or output, nothing that waits. */
import { expect, test } from 'vitest';
import { sources } from './sources.ts';

const impure = [
  /\bDate\b/,
  /\bMath\.random\b/,
  /\bcrypto\b/,
  /\bperformance\b/,
  /\bset(Timeout|Interval|Immediate)\b/,
  /\bqueueMicrotask\b/,
  /\b(process|globalThis|console)\b/,
  /\b(require|fetch)\(/,
  /\b(async|await|Promise)\b/,
  /\bIntl\b|\.toLocale\w+\(/,
];

const core = sources.filter((source) => source.room === 'core');

test.each(impure.map((pattern) => [pattern.source, pattern] as const))('no /%s/ in src/core', (_, pattern) => {
  expect(core.length).toBeGreaterThan(0);
  const found = core.flatMap(({ path, code }) =>
    code.split('\n').flatMap((line) => (pattern.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
