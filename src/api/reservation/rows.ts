import { LAST_INSTANT } from '../../core/index.ts';
import { Prisma, type PrismaClient, type Reservation } from '../../store/prisma/client.ts';
import { largestLong, type Order, type Window } from '../connection.ts';
import type { Interval } from '../interval.ts';
import { type Batch, grouped } from '../loaders.ts';
import { and, byTimeAndNumber, timestamp } from '../sql.ts';

export const reservationOrder: Order<Reservation> = {
  name: 'reservations',
  largest: [LAST_INSTANT, largestLong],
  keyOf: ({ start, number }) => [start.getTime(), Number(number)],
};

const columns = Prisma.sql`r.number, r.lease_number AS "leaseNumber", r.kind::text, r.state::text,
  r.starts_at AS start, r.ends_at AS "end", r.plan`;

const pageOf = (window: Window) => byTimeAndNumber(window, Prisma.sql`r.starts_at`, Prisma.sql`r.number`);

const overlapping = ({ from, to }: Interval) => [
  from === null ? null : Prisma.sql`r.ends_at > ${timestamp(from)}`,
  to === null ? null : Prisma.sql`r.starts_at < ${timestamp(to)}`,
];

export function readReservations(
  prisma: PrismaClient,
  interval: Interval,
  window: Window,
): Promise<Reservation[]> {
  const { conditions, orderAndLimit } = pageOf(window);
  return prisma.$queryRaw`
    SELECT ${columns} FROM reservations r
    WHERE ${and([...overlapping(interval), ...conditions])} ${orderAndLimit}`;
}

export async function countReservations(prisma: PrismaClient, interval: Interval): Promise<number> {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM reservations r WHERE ${and(overlapping(interval))}`;
  return row?.count ?? 0;
}

// Pages of many parents at once: a lateral join reads no more of each list than its page. (Prisma's nested `take` would read
// whole lists and cut them in memory.)

type OfParent<K> = Reservation & { readonly parent: K };

export const reservationsOfLeases: Batch<number, Reservation[], Window> = async (prisma, leases, window) => {
  const { conditions, orderAndLimit } = pageOf(window);
  const rows = await prisma.$queryRaw<OfParent<number>[]>`
    SELECT parent, page.* FROM unnest(${[...leases]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM reservations r
      WHERE r.lease_number = parent AND ${and(conditions)} ${orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ parent }) => parent);
};

export const countReservationsOfLeases: Batch<number, number, undefined> = async (prisma, leases) => {
  const counts = await prisma.reservation.groupBy({
    by: ['leaseNumber'],
    where: { leaseNumber: { in: [...leases] } },
    _count: true,
  });
  return new Map(counts.map(({ leaseNumber, _count }) => [leaseNumber, _count]));
};

export const reservationsOfNodes: Batch<
  number,
  Reservation[],
  Interval & { readonly window: Window }
> = async (prisma, nodes, { window, ...interval }) => {
  const { conditions, orderAndLimit } = pageOf(window);
  const rows = await prisma.$queryRaw<OfParent<number>[]>`
    SELECT parent, page.* FROM unnest(${[...nodes]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM reservations r JOIN reservation_nodes n ON n.reservation_number = r.number
      WHERE n.node_number = parent AND ${and([...overlapping(interval), ...conditions])} ${orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ parent }) => parent);
};

export const countReservationsOfNodes: Batch<number, number, Interval> = async (prisma, nodes, interval) => {
  const counts = await prisma.$queryRaw<{ node: number; count: number }[]>`
    SELECT n.node_number AS node, count(*)::int AS count
    FROM reservations r JOIN reservation_nodes n ON n.reservation_number = r.number
    WHERE n.node_number = ANY (${[...nodes]}::int[]) AND ${and(overlapping(interval))} GROUP BY n.node_number`;
  return new Map(counts.map(({ node, count }) => [node, count]));
};

/** The numbers of the nodes on which reservations hold something, ascending. */
export const nodesOfReservations: Batch<bigint, number[], undefined> = async (prisma, reservations) => {
  const rows = await prisma.$queryRaw<{ reservation: bigint; node: number }[]>`
    SELECT reservation_number AS reservation, node_number AS node FROM reservation_nodes
    WHERE reservation_number = ANY (${reservations.map(Number)}::bigint[]) ORDER BY node_number`;
  const nodes = grouped(rows, ({ reservation }) => reservation);
  return new Map([...nodes].map(([reservation, found]) => [reservation, found.map(({ node }) => node)]));
};
