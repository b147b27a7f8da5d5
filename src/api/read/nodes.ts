import type { Amounts, Instant } from '../../core/index.ts';
import { Prisma, type ComputeNode as StoredNode } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import type { Interval } from './interval.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and, type Conditions, containing, during, runningAt } from './sql.ts';
import type { Source } from './view.ts';

export type NodeRow = StoredNode;

export const nodeOrder: Order<NodeRow> = {
  name: 'nodes',
  columns: [{ sql: Prisma.sql`n.number`, kind: 'number', value: ({ number }) => number }],
};

const columns = Prisma.sql`n.number, n.hostname, n.address, n.capacity, n.labels, n.state::text, n.state_cause AS "stateCause"`;

/** A removed node stays, without capacity, for leases that ran there. */
const inSite = Prisma.sql`n.capacity <> '{}'::jsonb`;

export function isRemoved({ capacity }: NodeRow): boolean {
  return Object.keys(capacity as Amounts).length === 0;
}

/** Conditions on nodes; all must match. */
export interface NodeFilter {
  readonly numbers?: readonly number[] | null | undefined;
  /** Substring of the host name, case-insensitive. */
  readonly hostname?: string | null | undefined;
  readonly states?: readonly StoredNode['state'][] | null | undefined;
  readonly labels?: readonly { readonly key: string; readonly value: string }[] | null | undefined;
}

function conditionsOf({ numbers, hostname, states, labels }: NodeFilter): Conditions {
  return [
    inSite,
    numbers && Prisma.sql`n.number = ANY (${[...numbers]}::int[])`,
    typeof hostname === 'string' && Prisma.sql`n.hostname ILIKE ${containing(hostname)}`,
    states && Prisma.sql`n.state = ANY (${[...new Set(states)]}::text[]::"NodeState"[])`,
    ...(labels ?? []).map(({ key, value }) => Prisma.sql`n.labels @> ${JSON.stringify({ [key]: value })}::jsonb`),
  ];
}

export function readNodes({ prisma }: Source, filter: NodeFilter, window: Window): Promise<NodeRow[]> {
  const page = pageSql(nodeOrder, window);
  return prisma.$queryRaw`
    SELECT ${columns} FROM nodes n
    WHERE ${and([...conditionsOf(filter), ...page.conditions])} ${page.orderAndLimit}`;
}

export function readAllNodes({ prisma }: Source): Promise<NodeRow[]> {
  return prisma.$queryRaw`SELECT ${columns} FROM nodes n ORDER BY n.number`;
}

export async function countNodes({ prisma }: Source, filter: NodeFilter): Promise<number> {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM nodes n WHERE ${and(conditionsOf(filter))}`;
  return row?.count ?? 0;
}

export const nodesByNumber: Batch<number, NodeRow> = async ({ prisma }, numbers) => {
  const rows = await prisma.$queryRaw<NodeRow[]>`
    SELECT ${columns} FROM nodes n WHERE n.number = ANY (${[...numbers]}::int[])`;
  return new Map(rows.map((row) => [row.number, row]));
};

/** Amounts held by all leases on nodes at an instant. */
export const heldAt: Batch<number, Amounts[], Instant> = async ({ prisma }, nodes, instant) => {
  const rows = await prisma.$queryRaw<{ node: number; amounts: Amounts }[]>`
    SELECT n.node_number AS node, n.amounts FROM reservation_nodes n
    WHERE n.node_number = ANY (${[...nodes]}::int[]) AND ${runningAt(instant, 'n')}
    ORDER BY n.reservation_number`;
  const held = grouped(rows, ({ node }) => node);
  return new Map([...held].map(([node, found]) => [node, found.map(({ amounts }) => amounts)]));
};

/** An amount held by a reservation on a node, with its interval. */
export interface Holding {
  readonly node: number;
  readonly start: Date;
  readonly end: Date;
  readonly amounts: Amounts;
}

/** Maximum number of holds to read per node. */
export const maxHoldings = 10_000;

/** Amounts held by all leases on nodes during an interval; at most one more than the maximum. */
export const holdingsDuring: Batch<number, Holding[], Interval> = async ({ prisma }, nodes, interval) => {
  const rows = await prisma.$queryRaw<Holding[]>`
    SELECT parent AS node, held.* FROM unnest(${[...nodes]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT n.starts_at AS start, n.ends_at AS "end", n.amounts FROM reservation_nodes n
      WHERE n.node_number = parent AND n.starts_at < n.ends_at AND ${during(interval, 'n')} LIMIT ${maxHoldings + 1}
    ) AS held`;
  return grouped(rows, ({ node }) => node);
};
