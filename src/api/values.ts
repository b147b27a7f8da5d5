/** Formats of instants and durations; the only use of Luxon in the API. */
import { DateTime, Duration } from 'luxon';
import { type Instant, LAST_INSTANT, type Millis } from '../core/index.ts';
import { badInput, shown } from './errors.ts';

const rfc3339 =
  /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Throws BAD_USER_INPUT. */
export function parseInstant(text: unknown): Instant {
  if (typeof text !== 'string' || !rfc3339.test(text)) {
    throw badInput(
      `${shown(text)} is not an RFC 3339 instant with an offset, such as "2030-01-31T08:00:00Z" or "2030-01-31T09:00:00+01:00".`,
    );
  }
  const instant = DateTime.fromISO(text.toUpperCase());
  if (!instant.isValid) throw badInput(`${shown(text)} is not an instant: ${instant.invalidExplanation}.`);
  const millis = instant.toMillis();
  if (millis < 0 || millis > LAST_INSTANT) throw badInput(`${shown(text)} is not between the years 1970 and 9999.`);
  return millis;
}

export function printInstant(value: Instant | Date): string {
  return new Date(value).toISOString();
}

/** Throws BAD_USER_INPUT. */
export function parseDuration(text: unknown): Millis {
  const example = 'such as "PT1H30M" or "P2D" (a day is 24 hours)';
  const fault = (what: string) => badInput(`${shown(text)} ${what}.`);
  // Luxon accepts "P" and "PT" as zero.
  if (typeof text !== 'string' || text.length > 100 || !/\d[A-Z]$/i.test(text)) {
    throw fault(`is not an ISO 8601 duration, ${example}`);
  }
  if (text.includes('-')) throw fault('is negative, or a part of it is');
  const duration = Duration.fromISO(text.toUpperCase());
  if (!duration.isValid) throw fault(`is not an ISO 8601 duration, ${example}`);
  if (duration.years !== 0 || duration.months !== 0) {
    throw fault(`has years or months, whose length is not fixed. Use hours or days, ${example}`);
  }
  const millis = duration.toMillis();
  if (!Number.isSafeInteger(millis) || /[.,]\d{4,}S$/i.test(text)) {
    throw fault('is not a whole number of milliseconds below 2^53');
  }
  return millis;
}

export function printDuration(value: Millis | bigint): string {
  const duration = Duration.fromMillis(Number(value)).shiftTo('days', 'hours', 'minutes', 'seconds');
  return duration.toISO() ?? 'PT0S';
}
