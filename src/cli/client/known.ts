import { CliError } from '../terminal.ts';

/** A value of an enum that the server knows. Throws CliError for UNKNOWN: a newer server wrote the value. */
export function known<T extends string>(value: T): Exclude<T, 'UNKNOWN'> {
  if (value === 'UNKNOWN') {
    throw new CliError('the server holds a value that its version does not know: a newer version wrote it');
  }
  return value as Exclude<T, 'UNKNOWN'>;
}
