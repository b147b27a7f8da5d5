import type { Amounts, Instant } from '../../core/index.ts';
import { type ComputeNode, Prisma } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and, timestamp } from './sql.ts';
import type { Source } from './view.ts';

export const nodeOrder: Order<ComputeNode> = {
  name: 'nodes',
  columns: [{ sql: Prisma.sql`n.number`, kind: 'number', value: ({ number }) => number }],
};

const columns = Prisma.sql`n.number, n.hostname, n.capacity`;

export function readNodes({ prisma }: Source, window: Window): Promise<ComputeNode[]> {
  const page = pageSql(nodeOrder, window);
  return prisma.$queryRaw`
    SELECT ${columns} FROM nodes n WHERE ${and(page.conditions)} ${page.orderAndLimit}`;
}

export function countNodes({ prisma }: Source): Promise<number> {
  return prisma.computeNode.count();
}

export const nodesByNumber: Batch<number, ComputeNode> = async ({ prisma }, numbers) => {
  const rows = await prisma.$queryRaw<ComputeNode[]>`
    SELECT ${columns} FROM nodes n WHERE n.number = ANY (${[...numbers]}::int[])`;
  return new Map(rows.map((row) => [row.number, row]));
};

/** What reservations of all leases hold on nodes at an instant. */
export const heldAt: Batch<number, Amounts[], Instant> = async ({ prisma }, nodes, instant) => {
  const rows = await prisma.$queryRaw<{ node: number; amounts: Amounts }[]>`
    SELECT n.node_number AS node, n.amounts
    FROM reservations r JOIN reservation_nodes n ON n.reservation_number = r.number
    WHERE n.node_number = ANY (${[...nodes]}::int[])
      AND r.starts_at <= ${timestamp(instant)} AND r.ends_at > ${timestamp(instant)}
    ORDER BY r.number`;
  const held = grouped(rows, ({ node }) => node);
  return new Map([...held].map(([node, found]) => [node, found.map(({ amounts }) => amounts)]));
};
