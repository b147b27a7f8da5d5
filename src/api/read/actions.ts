import { type Action, Prisma } from '../../store/prisma/client.ts';
import { measuredKinds } from '../rates.ts';
import { type Batch, grouped } from './batches.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and } from './sql.ts';
import type { View } from './view.ts';

export type ActionRow = Action;

export const actionOrder: Order<ActionRow> = {
  name: 'actions',
  columns: [{ sql: Prisma.sql`a.number`, kind: 'number', value: ({ number }) => Number(number) }],
};

/** The same order, by the index on nodes. */
const nodeActionOrder: Order<ActionRow> = {
  name: actionOrder.name,
  columns: [{ sql: Prisma.sql`n.action_number`, kind: 'number', value: ({ number }) => Number(number) }],
};

const columns = Prisma.sql`a.number, a.kind::text, a.state::text, a.lease_number AS "leaseNumber",
  a.reservation_number AS "reservationNumber", a.at, a.deadline, a.targets, a.attempts, a.error,
  a.started_at AS "startedAt", a.finished_at AS "finishedAt", a.output`;

/** Condition for actions of visible leases; null for all. */
function visible({ leases }: View): Prisma.Sql | null {
  return leases && Prisma.sql`EXISTS (SELECT FROM leases l WHERE l.number = a.lease_number AND ${leases})`;
}

export const actionsByNumber: Batch<number, ActionRow> = async ({ prisma, view }, numbers) => {
  const rows = await prisma.$queryRaw<ActionRow[]>`
    SELECT ${columns} FROM actions a
    WHERE ${and([Prisma.sql`a.number = ANY (${[...numbers]}::bigint[])`, visible(view)])}`;
  return new Map(rows.map((row) => [Number(row.number), row]));
};

/** For leases already read, which are visible. */
export const actionsOfLeases: Batch<number, ActionRow[], Window> = async ({ prisma }, leases, window) => {
  const page = pageSql(actionOrder, window);
  const rows = await prisma.$queryRaw<ActionRow[]>`
    SELECT page.* FROM unnest(${[...leases]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM actions a
      WHERE a.lease_number = parent AND ${and(page.conditions)} ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ leaseNumber }) => leaseNumber);
};

type OfNode = ActionRow & { readonly parent: number };

/** For nodes, restricted to visible leases. */
export const actionsOfNodes: Batch<number, ActionRow[], Window> = async ({ prisma, view }, nodes, window) => {
  const page = pageSql(nodeActionOrder, window);
  const rows = await prisma.$queryRaw<OfNode[]>`
    SELECT parent, page.* FROM unnest(${[...nodes]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM action_nodes n JOIN actions a ON a.number = n.action_number
      WHERE n.node_number = parent AND ${and([visible(view), ...page.conditions])} ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ parent }) => parent);
};

/** For nodes, restricted to visible leases. */
export const countActionsOfNodes: Batch<number, number> = async ({ prisma, view }, nodes) => {
  const seen = visible(view);
  const joined = seen && Prisma.sql`JOIN actions a ON a.number = n.action_number`;
  const counts = await prisma.$queryRaw<{ node: number; count: number }[]>`
    SELECT n.node_number AS node, count(*)::int AS count FROM action_nodes n ${joined ?? Prisma.empty}
    WHERE n.node_number = ANY (${[...nodes]}::int[]) AND ${and([seen])} GROUP BY n.node_number`;
  return new Map(counts.map(({ node, count }) => [node, count]));
};

export type MeasuredRow = Pick<Action, 'kind' | 'targets'> & {
  readonly startedAt: Date;
  readonly finishedAt: Date;
};

/** Maximum number of a node's newest actions to examine for its rates, and to read. */
const [maxLookedAt, maxMeasured] = [10_000, 1_000];

/** The newest actions on nodes whose duration indicates the speed of their hosts. */
export const measuredActionsOfNodes: Batch<number, MeasuredRow[]> = async ({ prisma }, nodes) => {
  const rows = await prisma.$queryRaw<(MeasuredRow & { readonly parent: number })[]>`
    SELECT parent, page.* FROM unnest(${[...nodes]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT a.kind::text, a.targets, a.started_at AS "startedAt", a.finished_at AS "finishedAt" FROM (
        SELECT action_number FROM action_nodes WHERE node_number = parent
        ORDER BY action_number DESC LIMIT ${maxLookedAt}
      ) newest JOIN actions a ON a.number = newest.action_number
      WHERE a.kind = ANY (${[...measuredKinds]}::text[]::"ActionKind"[]) AND a.state = 'SUCCEEDED'
        AND a.started_at IS NOT NULL AND a.finished_at IS NOT NULL
      ORDER BY a.number DESC LIMIT ${maxMeasured}
    ) AS page`;
  return grouped(rows, ({ parent }) => parent);
};

/** For leases already read, which are visible. */
export const countActionsOfLeases: Batch<number, number> = async ({ prisma }, leases) => {
  const counts = await prisma.action.groupBy({
    by: ['leaseNumber'],
    where: { leaseNumber: { in: [...leases] } },
    _count: true,
  });
  return new Map(counts.map(({ leaseNumber, _count }) => [leaseNumber, _count]));
};
