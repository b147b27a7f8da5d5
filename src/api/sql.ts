import type { Instant } from '../core/index.ts';
import { Prisma } from '../store/prisma/client.ts';
import type { Key, Window } from './connection.ts';

/** Passed as text, so that no driver or session brings in a local time zone. */
export const timestamp = (instant: Instant): Prisma.Sql =>
  Prisma.sql`${new Date(instant).toISOString()}::text::timestamptz`;

export const and = (conditions: readonly (Prisma.Sql | null)[]): Prisma.Sql => {
  const present = conditions.filter((condition) => condition !== null);
  return present.length === 0 ? Prisma.sql`TRUE` : Prisma.join(present, ' AND ');
};

/** The part of a list that a window shows, for rows ordered by (time, number). */
export function byTimeAndNumber(window: Window, time: Prisma.Sql, number: Prisma.Sql) {
  const direction = window.backward ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  const row = ([at = 0, which = 0]: Key) => Prisma.sql`(${timestamp(at)}, ${which}::bigint)`;
  return {
    conditions: [
      window.after && Prisma.sql`(${time}, ${number}) > ${row(window.after)}`,
      window.before && Prisma.sql`(${time}, ${number}) < ${row(window.before)}`,
    ],
    orderAndLimit: Prisma.sql`ORDER BY ${time} ${direction}, ${number} ${direction} LIMIT ${window.limit}`,
  };
}

/** The same for rows ordered by a number alone. */
export function byNumber(window: Window, number: Prisma.Sql) {
  const direction = window.backward ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  return {
    conditions: [
      window.after && Prisma.sql`${number} > ${window.after[0]}::bigint`,
      window.before && Prisma.sql`${number} < ${window.before[0]}::bigint`,
    ],
    orderAndLimit: Prisma.sql`ORDER BY ${number} ${direction} LIMIT ${window.limit}`,
  };
}
