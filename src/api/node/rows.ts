import type { Amounts, Instant } from '../../core/index.ts';
import type { ComputeNode, PrismaClient } from '../../store/prisma/client.ts';
import { largestInt, type Order, type Window } from '../connection.ts';
import { type Batch, grouped } from '../loaders.ts';
import { timestamp } from '../sql.ts';

export const nodeOrder: Order<ComputeNode> = {
  name: 'nodes',
  largest: [largestInt],
  keyOf: ({ number }) => [number],
};

export const readNodes = (prisma: PrismaClient, window: Window): Promise<ComputeNode[]> =>
  prisma.computeNode.findMany({
    where: {
      number: {
        ...(window.after && { gt: window.after[0] ?? 0 }),
        ...(window.before && { lt: window.before[0] ?? 0 }),
      },
    },
    orderBy: { number: window.backward ? 'desc' : 'asc' },
    take: window.limit,
  });

/** A site is fixed when it is first written: `loadForGood`. */
export const nodesByNumber: Batch<number, ComputeNode, undefined> = async (prisma, numbers) => {
  const nodes = await prisma.computeNode.findMany({ where: { number: { in: [...numbers] } } });
  return new Map(nodes.map((node) => [node.number, node]));
};

/** What reservations hold on nodes at an instant, in order of the reservations. */
export const heldAt: Batch<number, Amounts[], Instant> = async (prisma, nodes, instant) => {
  const rows = await prisma.$queryRaw<{ node: number; amounts: Amounts }[]>`
    SELECT n.node_number AS node, n.amounts
    FROM reservations r JOIN reservation_nodes n ON n.reservation_number = r.number
    WHERE n.node_number = ANY (${[...nodes]}::int[])
      AND r.starts_at <= ${timestamp(instant)} AND r.ends_at > ${timestamp(instant)}
    ORDER BY r.number`;
  const held = grouped(rows, ({ node }) => node);
  return new Map([...held].map(([node, found]) => [node, found.map(({ amounts }) => amounts)]));
};
