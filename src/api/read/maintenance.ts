import { type Maintenance, Prisma } from '../../store/prisma/client.ts';
import type { Batch } from './batches.ts';
import type { Interval } from './interval.ts';
import { type Connection, connection, type Order, type PageArguments, pageSql, type Window } from './pages.ts';
import { and, timestamp } from './sql.ts';
import type { Source } from './view.ts';

/** With a number that orders maintenance with equal starts. */
export type MaintenanceRow = Maintenance & { readonly rank: bigint };

const rank = Prisma.sql`('x' || left(md5(m.name), 13))::bit(52)::bigint`;

const maintenanceOrder: Order<MaintenanceRow> = {
  name: 'maintenance',
  columns: [
    { sql: Prisma.sql`m.starts_at`, kind: 'instant', value: ({ start }) => start.getTime() },
    { sql: rank, kind: 'number', value: (row) => Number(row.rank) },
  ],
};

const columns = Prisma.sql`m.name, m.nodes, m.starts_at AS start, m.ends_at AS "end", ${rank} AS rank`;

/** Excludes maintenance that ended before it began. */
function conditionsOf(interval: Interval) {
  return [
    Prisma.sql`m.starts_at < m.ends_at`,
    interval.from !== null && Prisma.sql`m.ends_at > ${timestamp(interval.from)}`,
    interval.to !== null && Prisma.sql`m.starts_at < ${timestamp(interval.to)}`,
  ];
}

export function pagesOfMaintenance(
  { prisma }: Source,
  interval: Interval,
  args: PageArguments,
): Connection<MaintenanceRow> {
  const conditions = conditionsOf(interval);
  const read = (window: Window): Promise<MaintenanceRow[]> => {
    const page = pageSql(maintenanceOrder, window);
    return prisma.$queryRaw`
      SELECT ${columns} FROM maintenance m
      WHERE ${and([...conditions, ...page.conditions])} ${page.orderAndLimit}`;
  };
  return connection(maintenanceOrder, args, read, async () => {
    const [row] = await prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM maintenance m WHERE ${and(conditions)}`;
    return row?.count ?? 0;
  });
}

export const maintenanceByName: Batch<string, MaintenanceRow> = async ({ prisma }, names) => {
  const rows = await prisma.$queryRaw<MaintenanceRow[]>`
    SELECT ${columns} FROM maintenance m WHERE m.name = ANY (${[...names]}::text[])`;
  return new Map(rows.map((row) => [row.name, row]));
};
