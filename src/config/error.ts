import type * as z from 'zod';

export type ConfigurationErrorCode =
  | 'FILE_UNREADABLE'
  | 'NOT_WELL_FORMED'
  | 'UNKNOWN_SECTION'
  | 'UNKNOWN_KEY'
  | 'DUPLICATE_KEY'
  | 'INVALID_VALUE'
  | 'MISSING_KEY';

/**
 * A configuration cannot be used. The message has one line per problem: `file:line: key: what was found, expected
 * what`.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(
    /** Of the first problem. Stable. */
    readonly code: ConfigurationErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Where a value of a configuration comes from. */
export interface Origin {
  readonly file: string;
  /** Counts from 1; null where no line can be named. */
  readonly line: number | null;
  /** The key as its author wrote it, where that is not the native one. */
  readonly name: string | null;
}

/** A problem with its place in front: `file:line: `. */
export function at({ file, line }: Pick<Origin, 'file' | 'line'>, detail: string): string {
  return line === null ? `${file}: ${detail}` : `${file}:${line}: ${detail}`;
}

/**
 * Everything that the schema refuses, as one error. `originOf` gives the origin of the nearest value at or above a
 * path.
 */
export function configurationError(
  error: z.ZodError,
  knownKeys: (path: readonly PropertyKey[]) => readonly string[],
  originOf: (path: readonly PropertyKey[]) => Origin,
): ConfigurationError {
  const lines = error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(issue.path);
      return issue.keys.map((key) => {
        const path = [...issue.path, key];
        return at(originOf(path), `${dotted(path)}: unknown key; ${hint(key, known)}`);
      });
    }
    const origin = originOf(issue.path);
    const name = origin.name ?? (dotted(issue.path) || 'the file');
    return [at(origin, `${name}: ${issue.message}`)];
  });
  const [first] = error.issues;
  const missing = first?.code === 'invalid_type' && first.message.startsWith('is missing');
  const code = first?.code === 'unrecognized_keys' ? 'UNKNOWN_KEY' : missing ? 'MISSING_KEY' : 'INVALID_VALUE';
  return new ConfigurationError(code, lines.join('\n'));
}

/** The key that was probably meant, or all known keys. */
export function hint(key: string, known: readonly string[]): string {
  const meant = closest(key, known);
  return meant === null ? `known keys are ${known.join(', ')}` : `did you mean "${meant}"?`;
}

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys and values',
  record: 'keys and values',
};

/** What was found and what was expected: zod's own messages name only half of it, in the terms of its language. */
const wording: z.core.$ZodErrorMap = (issue) => {
  const expected = expectation(issue);
  if (expected === null) return undefined;
  if (issue.input === undefined) return `is missing, expected ${expected}`;
  return `${found(issue.input)} was found, expected ${expected}`;
};

/** A value as an error message shows it. */
export function found(value: unknown): string {
  return shorten(typeof value === 'number' ? String(value) : JSON.stringify(value));
}

/** Text as it may stand in an error message. */
export function shorten(text: string): string {
  const start = text.length <= 60 ? text : `${text.slice(0, 57)}...`;
  return start.replace(/\p{Cc}/gu, '\uFFFD');
}

function expectation(issue: z.core.$ZodRawIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected;
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

function limit(of: string, bound: string, value: number | bigint): string {
  return `${bound} ${value}${of === 'string' ? ' characters' : of === 'array' ? ' elements' : ''}`;
}

function dotted(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** The name at most two letters away, if there is one. */
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

/** How values are checked. It happens once, so that a schema is not worth compiling (which takes zod 20 ms). */
export const parsing: z.core.ParseContext<z.core.$ZodIssue> = { error: wording, jitless: true };
