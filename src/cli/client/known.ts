import { CliError } from '../terminal.ts';
import type { LeaseState } from './generated/operations.ts';

/** A value of an enum that the server knows. Throws CliError for UNKNOWN: a newer server wrote the value. */
export function known<T extends string>(value: T): Exclude<T, 'UNKNOWN'> {
  if (value === 'UNKNOWN') {
    throw new CliError('the server holds a value that its version does not know: a newer version wrote it');
  }
  return value as Exclude<T, 'UNKNOWN'>;
}

/** A state in which the scheduler keeps a lease. Throws CliError also for QUARANTINED. */
export function scheduledState(state: LeaseState): Exclude<LeaseState, 'UNKNOWN' | 'QUARANTINED'> {
  const value = known(state);
  if (value !== 'QUARANTINED') return value;
  throw new CliError('what is stored of a lease is not sound: the server has left it out');
}
