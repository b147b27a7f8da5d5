import { Prisma, type Recurrence } from '../../store/prisma/client.ts';
import type { Batch } from './batches.ts';
import { isLive } from './leases.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and } from './sql.ts';
import type { Source } from './view.ts';

/** A recurrence, and whether it has upcoming or running occurrences. */
export type RecurrenceRow = Omit<Recurrence, 'nextDay'> & { readonly isOpen: boolean };

export interface RecurrenceFilter {
  /** Whether there are upcoming or running occurrences. */
  readonly live?: boolean | null | undefined;
}

export const recurrenceOrder: Order<RecurrenceRow> = {
  name: 'recurrences',
  columns: [{ sql: Prisma.sql`c.number`, kind: 'number', value: ({ number }) => number }],
};

const isOpen = Prisma.sql`(c.next_index IS NOT NULL OR EXISTS (
  SELECT FROM leases l WHERE l.recurrence_number = c.number AND ${isLive}))`;

const columns = Prisma.sql`c.number, c.name, c.machines, c.preemptible, c.image, c.owner,
  c.project_number AS "projectNumber", c.collisions::text, c.rule, c.time_zone AS "timeZone",
  c.first_start AS "firstStart", c.created_at AS "createdAt", c.terms, c.next_index AS "nextIndex",
  c.next_start AS "nextStart", c.last_index AS "lastIndex", c.skipped, c.cancelled_at AS "cancelledAt",
  ${isOpen} AS "isOpen"`;

function conditionsOf({ view }: Source, { live }: RecurrenceFilter) {
  return [view.recurrences, typeof live === 'boolean' && (live ? isOpen : Prisma.sql`NOT ${isOpen}`)];
}

export function readRecurrences(source: Source, filter: RecurrenceFilter, window: Window): Promise<RecurrenceRow[]> {
  const page = pageSql(recurrenceOrder, window);
  return source.prisma.$queryRaw`
    SELECT ${columns} FROM recurrences c
    WHERE ${and([...conditionsOf(source, filter), ...page.conditions])} ${page.orderAndLimit}`;
}

export async function countRecurrences(source: Source, filter: RecurrenceFilter): Promise<number> {
  const [row] = await source.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM recurrences c WHERE ${and(conditionsOf(source, filter))}`;
  return row?.count ?? 0;
}

export const recurrencesByNumber: Batch<number, RecurrenceRow> = async ({ prisma, view }, numbers) => {
  const rows = await prisma.$queryRaw<RecurrenceRow[]>`
    SELECT ${columns} FROM recurrences c
    WHERE ${and([Prisma.sql`c.number = ANY (${[...numbers]}::int[])`, view.recurrences])}`;
  return new Map(rows.map((row) => [row.number, row]));
};
