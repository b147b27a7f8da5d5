import type { Instant } from '../../core/index.ts';
import { Prisma } from '../../store/prisma/client.ts';
import type { Interval } from './interval.ts';

/** Passed as text, so that no driver or session applies a local time zone. */
export function timestamp(instant: Instant): Prisma.Sql {
  return Prisma.sql`${new Date(instant).toISOString()}::text::timestamptz`;
}

/** Conditions that must all hold; those that are not given are left out. */
export type Conditions = readonly (Prisma.Sql | null | undefined | false)[];

/** A pattern for texts that contain this one. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

export function and(conditions: Conditions): Prisma.Sql {
  const present = conditions.filter((condition) => condition instanceof Prisma.Sql);
  return present.length === 0 ? Prisma.sql`TRUE` : Prisma.join(present, ' AND ');
}

/**
 * Conditions for rows of a table with `starts_at` and `ends_at` whose interval [start, end) overlaps another, in two
 * parts of which each uses an index and reads no more than it returns, however long the history is: those that start
 * within the other, in order, and the few that it finds running.
 */
export function overlapping({ from, to }: Interval, alias: 'n' | 'r') {
  const table = Prisma.raw(alias);
  const beforeEnd = to !== null && Prisma.sql`${table}.starts_at < ${timestamp(to)}`;
  if (from === null) return { starting: [beforeEnd], running: null };
  const start = timestamp(from);
  const afterStart = Prisma.sql`${table}.ends_at > ${start}`;
  return {
    starting: [beforeEnd, Prisma.sql`${table}.starts_at >= ${start}`, afterStart],
    running: [runningAt(from, alias), Prisma.sql`${table}.starts_at < ${start}`],
  };
}

/** The same as one condition, where the rows need no order. The index is on closed ranges. */
export function during({ from, to }: Interval, alias: 'n' | 'r'): Prisma.Sql {
  const table = Prisma.raw(alias);
  const [start, end] = [from, to].map((at) => (at === null ? Prisma.sql`NULL` : timestamp(at)));
  return Prisma.sql`tstzrange(${table}.starts_at, ${table}.ends_at, '[]') && tstzrange(${start}, ${end}, '()')`;
}

/** A condition for rows whose interval [start, end) holds an instant. The index is on closed ranges. */
export function runningAt(instant: Instant, alias: 'n' | 'r'): Prisma.Sql {
  const table = Prisma.raw(alias);
  return Prisma.sql`tstzrange(${table}.starts_at, ${table}.ends_at, '[]') @> ${timestamp(instant)}
    AND ${table}.ends_at > ${timestamp(instant)}`;
}

/** Conditions for an instant within an interval. */
export function within({ from, to }: Interval, at: Prisma.Sql) {
  return [
    from !== null && Prisma.sql`${at} >= ${timestamp(from)}`,
    to !== null && Prisma.sql`${at} < ${timestamp(to)}`,
  ];
}
