import type { z } from 'zod';

/** The configuration says something that cannot be meant. Its message names where. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Everything that a schema finds wrong, in one line each: where, what, and what is known there. */
export function problems(
  error: z.ZodError,
  knownKeys: (path: readonly PropertyKey[]) => readonly string[],
): string[] {
  return error.issues.flatMap((issue) => {
    const at = dotted(issue.path);
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(issue.path);
      return issue.keys.map((key) => {
        const meant = closest(key, known);
        const hint = meant === null ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`;
        return `${dotted([...issue.path, key])}: unknown key; ${hint}`;
      });
    }
    return [`${at === '' ? 'the file' : at}: ${issue.message}`];
  });
}

const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys and values',
  record: 'keys and values',
};

/** What was found and what was expected; the library's own words name only half of it, in the terms of its language. */
export const wording: z.core.$ZodErrorMap = (issue) => {
  const expected = expectation(issue);
  if (expected === null) return undefined;
  if (issue.input === undefined) return `is missing, expected ${expected}`;
  const found = typeof issue.input === 'number' ? String(issue.input) : JSON.stringify(issue.input);
  return `${found.length > 60 ? `${found.slice(0, 60)}…` : found} was found, expected ${expected}`;
};

function expectation(issue: z.core.$ZodRawIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map(String).join(', ');
    case 'too_small':
      return limit(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum);
    case 'too_big':
      return limit(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum);
    default:
      return null;
  }
}

const limit = (of: string, bound: string, value: number | bigint): string =>
  `${bound} ${value}${of === 'string' ? ' characters' : of === 'array' ? ' of them' : ''}`;

const dotted = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );

/** The name that was probably meant: at most two letters away. */
export function closest(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= 2 ? best.candidate : null;
}

function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}
