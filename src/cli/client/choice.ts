import { InvalidArgumentError } from 'commander';

/** A parser of an option whose value is one of some words, in any case. */
export interface Choice<T> {
  (text: string): T;
  /** The words, as help and completion show them. */
  readonly choices: readonly string[];
}

/** The same for an option that may be repeated. */
export interface Choices<T> {
  (text: string, before?: readonly T[]): T[];
  readonly choices: readonly string[];
}

/** Values are those of the API, such as BEST_EFFORT; words are like `best-effort`, or as `wordOf` writes them. */
export function choice<T extends string>(
  values: readonly T[],
  wordOf = (value: T): string => value.toLowerCase().replaceAll('_', '-'),
): Choice<T> {
  const choices = values.map(wordOf);
  const parse = (text: string): T => {
    const found = values.find((value) => value === text.toUpperCase().replaceAll('-', '_'));
    if (found === undefined) throw new InvalidArgumentError(`Expected one of ${choices.join(', ')}.`);
    return found;
  };
  return Object.assign(parse, { choices });
}

export function repeated<T>(parse: Choice<T>): Choices<T> {
  const parseAll = (text: string, before: readonly T[] = []): T[] => [...before, parse(text)];
  return Object.assign(parseAll, { choices: parse.choices });
}
