import { type Action, Prisma } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and } from './sql.ts';

export type ActionRow = Action;

export const actionOrder: Order<ActionRow> = {
  name: 'actions',
  columns: [{ sql: Prisma.sql`a.number`, kind: 'number', value: ({ number }) => Number(number) }],
};

const columns = Prisma.sql`a.number, a.kind::text, a.state::text, a.lease_number AS "leaseNumber",
  a.reservation_number AS "reservationNumber", a.at, a.deadline, a.targets, a.attempts, a.error,
  a.started_at AS "startedAt", a.finished_at AS "finishedAt", a.output`;

export const actionsByNumber: Batch<number, ActionRow> = async ({ prisma, view }, numbers) => {
  const visible =
    view.leases &&
    Prisma.sql`EXISTS (SELECT FROM leases l WHERE l.number = a.lease_number AND ${view.leases})`;
  const rows = await prisma.$queryRaw<ActionRow[]>`
    SELECT ${columns} FROM actions a
    WHERE ${and([Prisma.sql`a.number = ANY (${[...numbers]}::bigint[])`, visible])}`;
  return new Map(rows.map((row) => [Number(row.number), row]));
};

/** Of leases that have been read, and so may be seen. */
export const actionsOfLeases: Batch<number, ActionRow[], Window> = async ({ prisma }, leases, window) => {
  const page = pageSql(actionOrder, window);
  const rows = await prisma.$queryRaw<ActionRow[]>`
    SELECT page.* FROM unnest(${[...leases]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM actions a
      WHERE a.lease_number = parent AND ${and(page.conditions)} ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ leaseNumber }) => leaseNumber);
};

/** Of leases that have been read, and so may be seen. */
export const countActionsOfLeases: Batch<number, number> = async ({ prisma }, leases) => {
  const counts = await prisma.action.groupBy({
    by: ['leaseNumber'],
    where: { leaseNumber: { in: [...leases] } },
    _count: true,
  });
  return new Map(counts.map(({ leaseNumber, _count }) => [leaseNumber, _count]));
};
