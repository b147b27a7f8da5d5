import type { Instant } from '../../core/index.ts';
import { Prisma } from '../../store/prisma/client.ts';
import type { Interval } from './interval.ts';

/** Passed as text, so that no driver or session applies a local time zone. */
export function timestamp(instant: Instant): Prisma.Sql {
  return Prisma.sql`${new Date(instant).toISOString()}::text::timestamptz`;
}

/** Conditions that must all hold; those that are not given are left out. */
export type Conditions = readonly (Prisma.Sql | null | undefined | false)[];

export function and(conditions: Conditions): Prisma.Sql {
  const present = conditions.filter((condition) => condition instanceof Prisma.Sql);
  return present.length === 0 ? Prisma.sql`TRUE` : Prisma.join(present, ' AND ');
}

/** Conditions for rows whose interval [start, end) overlaps another. */
export function overlapping({ from, to }: Interval, start: Prisma.Sql, end: Prisma.Sql) {
  return [
    from !== null && Prisma.sql`${end} > ${timestamp(from)}`,
    to !== null && Prisma.sql`${start} < ${timestamp(to)}`,
  ];
}

/** Conditions for an instant within an interval. */
export function within({ from, to }: Interval, at: Prisma.Sql) {
  return [
    from !== null && Prisma.sql`${at} >= ${timestamp(from)}`,
    to !== null && Prisma.sql`${at} < ${timestamp(to)}`,
  ];
}
