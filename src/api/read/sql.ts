import type { Instant } from '../../core/index.ts';
import { Prisma } from '../../store/prisma/client.ts';
import type { Interval } from './interval.ts';

/** Passed as text, so that no driver or session applies a local time zone. */
export function timestamp(instant: Instant): Prisma.Sql {
  return Prisma.sql`${new Date(instant).toISOString()}::text::timestamptz`;
}

/** Conjunction of conditions; absent ones are skipped. */
export type Conditions = readonly (Prisma.Sql | null | undefined | false)[];

/** A LIKE pattern for texts containing this one. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

export function and(conditions: Conditions): Prisma.Sql {
  const present = conditions.filter((condition) => condition instanceof Prisma.Sql);
  return present.length === 0 ? Prisma.sql`TRUE` : Prisma.join(present, ' AND ');
}

/**
 * Conditions for rows whose interval [starts_at, ends_at) overlaps another, in two parts. Each part uses an index and
 * reads only what it returns, independent of the length of history: rows that start within the other interval, in
 * order, and the few that are running at its start.
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

/** The same as one condition, for rows in any order. The index uses closed ranges. */
export function during({ from, to }: Interval, alias: 'n' | 'r'): Prisma.Sql {
  const table = Prisma.raw(alias);
  const [start, end] = [from, to].map((at) => (at === null ? Prisma.sql`NULL` : timestamp(at)));
  return Prisma.sql`tstzrange(${table}.starts_at, ${table}.ends_at, '[]') && tstzrange(${start}, ${end}, '()')`;
}

/** Condition for rows whose interval [start, end) contains an instant. The index uses closed ranges. */
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
