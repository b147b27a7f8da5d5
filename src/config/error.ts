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
