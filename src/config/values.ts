/** Values that several parts of the configuration have in common. */
import * as z from 'zod';
import type { Instant, Millis } from '../core/index.ts';
import { durationForm, parseDuration } from './duration.ts';
import { found } from './error.ts';
import { libraries } from './libraries.ts';

/** A duration of fixed length; becomes milliseconds. */
export const duration = z
  .union([z.number(), z.string()], { error: `expected a duration: ${durationForm}` })
  .transform((value, context): Millis => {
    const millis = parseDuration(value);
    if (millis !== null) return millis;
    context.addIssue({
      code: 'custom',
      message: `${found(value)} was found, expected a duration: ${durationForm}`,
    });
    return z.NEVER;
  });

/** ISO 8601, UTC where it names no offset; becomes milliseconds since the epoch. */
export const instant = z.string().transform((value, context): Instant => {
  const { DateTime } = libraries.luxon;
  const parsed = DateTime.fromISO(value, { zone: 'utc' });
  const sql = parsed.isValid ? parsed : DateTime.fromSQL(value, { zone: 'utc' });
  if (sql.isValid) return sql.toMillis();
  context.addIssue({
    code: 'custom',
    message: `${found(value)} was found, expected an instant such as 2006-11-25T13:00:00Z`,
  });
  return z.NEVER;
});

/** The maximum of a timer in Node.js, in milliseconds: about 24 days. */
const maxTimer: Millis = 2 ** 31 - 1;
export const timer = duration.refine((millis) => millis <= maxTimer, 'expected at most 24 days');

/** Text that a database stores unchanged. */
export const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Surrogate}]*$/u, 'expected no control characters and no unpaired surrogates');

export const amount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
export const count = z.number().int().min(1);
export const share = z.number().min(0).max(1);

/** Without the keys that were not given. */
export const defined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
