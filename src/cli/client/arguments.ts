import { InvalidArgumentError } from 'commander';
import { DateTime, Duration } from 'luxon';
import { durationForm, parseDuration } from '../../config/duration.ts';
import { leaseTransitions } from '../../core/index.ts';
import { choice } from './choice.ts';
import type { LeaseState, LeaseType, MachineSetInput, NoticeKind, Role } from './generated/operations.ts';

export const leaseType = choice<LeaseType>(['BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE']);

export const leaseState = choice<LeaseState>(
  [...(Object.keys(leaseTransitions) as LeaseState[]), 'QUARANTINED'],
  (state) => state,
);

/** `2 CPU:100 Memory:1024`, `1 CPU:100+100` for two instances; may be repeated. */
export function machineSet(text: string, before: readonly MachineSetInput[] = []): MachineSetInput[] {
  const form = 'Expected COUNT TYPE:AMOUNT TYPE:AMOUNT ..., such as "2 CPU:100 Memory:1024".';
  const [count = '', ...amounts] = text.trim().split(/[\s,]+/);
  if (!/^\d{1,9}$/.test(count) || amounts.length === 0) throw new InvalidArgumentError(form);
  return [...before, { count: Number(count), capacity: amountsOf(amounts, form) }];
}

/** `CPU:400 Memory:8192`, `CPU:100+100` for two instances. */
export function capacityOption(text: string): MachineSetInput['capacity'] {
  return amountsOf(text.trim().split(/[\s,]+/), 'Expected TYPE:AMOUNT ..., such as "CPU:400 Memory:8192".');
}

function amountsOf(words: readonly string[], form: string): MachineSetInput['capacity'] {
  return words.flatMap((word) => {
    const [, type, instances] = /^([^:]+):(\d{1,15}(?:\+\d{1,15})*)$/.exec(word) ?? [];
    if (type === undefined || instances === undefined) throw new InvalidArgumentError(form);
    return instances.split('+').map((amount) => ({ type, amount: Number(amount) }));
  });
}

/** `rack=b`; may be repeated. */
export function labelOption(
  text: string,
  before: readonly { readonly key: string; readonly value: string }[] = [],
): { readonly key: string; readonly value: string }[] {
  const [, key, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new InvalidArgumentError('Expected KEY=VALUE, such as rack=b.');
  }
  return [...before, { key, value }];
}

/** A duration as {@link durationForm} says; becomes ISO 8601. */
export function durationOption(text: string): string {
  const millis = parseDuration(text);
  if (millis === null) throw new InvalidArgumentError(`Expected a duration: ${durationForm}.`);
  // Months and years have no fixed length.
  return Duration.fromMillis(millis).shiftTo('days', 'hours', 'minutes', 'seconds').toISO();
}

/** An instant, or one that counts from the present instant of the server, in milliseconds. */
export type Moment = { readonly at: string } | { readonly offset: number };

/** An instant with an offset, `now`, `+1h30m` or `-2d`. */
export function momentOption(text: string): Moment {
  if (text === 'now') return { offset: 0 };
  const [, sign, length] = /^([+-])(.+)$/.exec(text) ?? [];
  if (sign !== undefined && length !== undefined) {
    const millis = parseDuration(length);
    if (millis === null) throw new InvalidArgumentError(`Expected a duration after ${sign}: ${durationForm}.`);
    return { offset: sign === '-' ? -millis : millis };
  }
  const at = DateTime.fromISO(text, { setZone: true });
  const iso = at.isValid ? at.toISO() : null;
  if (iso === null) {
    throw new InvalidArgumentError(
      'Expected an instant such as 2030-01-31T08:00:00Z, or +1h30m for one that counts from now.',
    );
  }
  if (!/T.*(Z|[+-]\d\d(:?\d\d)?)$/i.test(text)) {
    throw new InvalidArgumentError('Expected an offset at the end, such as Z or +01:00.');
  }
  const { year } = at.toUTC();
  if (year < 1970 || year > 9999) {
    throw new InvalidArgumentError('Expected an instant between the years 1970 and 9999.');
  }
  return { at: iso };
}

export function image(text: string): { name: string; sizeMb: number } {
  const [, name, size] = /^(.+):(\d{1,15})$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError('Expected NAME:SIZE with the size in MB, such as debian.img:1024.');
  return { name, sizeMb: Number(size) };
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number greater than 0.');
  return Number(text);
}

/** A sequence number of an event, or 0. */
export function eventNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a sequence number, or 0.');
  return Number(text);
}

export const noticeKind = choice<NoticeKind>([
  'LEASE_ENDS_SOON',
  'LEASE_PREEMPTED',
  'LEASE_DISPLACED',
  'LEASE_MOVED',
  'LEASE_LATE',
  'LEASE_FAILED',
  'NODE_DOWN',
  'NODE_UP',
  'MAINTENANCE_SOON',
]);

export const role = choice<Role>(['VIEWER', 'USER', 'OPERATOR', 'ADMIN']);
