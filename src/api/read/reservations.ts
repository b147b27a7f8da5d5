import type { ReservationKind, ReservationState } from '../../core/index.ts';
import { Prisma, type Reservation } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import type { Interval } from './interval.ts';
import { type Column, type Order, pageSql, type Window } from './pages.ts';
import { and, type Conditions, overlapping } from './sql.ts';
import type { Source } from './view.ts';

export const reservationOrder: Order<Reservation> = {
  name: 'reservations',
  columns: [
    { sql: Prisma.sql`r.starts_at`, kind: 'instant', value: ({ start }) => start.getTime() },
    { sql: Prisma.sql`r.number`, kind: 'number', value: ({ number }) => Number(number) },
  ],
};

const columns = Prisma.sql`r.number, r.lease_number AS "leaseNumber", r.kind::text, r.state::text,
  r.starts_at AS start, r.ends_at AS "end", r.plan`;

/** Condition for reservations of visible leases; null for all. */
function visible({ view }: Source): Prisma.Sql | null {
  return view.leases && Prisma.sql`EXISTS (SELECT FROM leases l WHERE l.number = r.lease_number AND ${view.leases})`;
}

export interface ReservationFilter extends Interval {
  /** Numbers of nodes. */
  readonly nodes?: readonly number[] | null | undefined;
  /** Numbers of leases. */
  readonly leases?: readonly number[] | null | undefined;
  readonly kinds?: readonly ReservationKind[] | null | undefined;
  readonly states?: readonly ReservationState[] | null | undefined;
}

function conditionsOf({ nodes, leases, kinds, states }: ReservationFilter): Conditions {
  return [
    nodes &&
      Prisma.sql`EXISTS (SELECT FROM reservation_nodes n
        WHERE n.reservation_number = r.number AND n.node_number = ANY (${[...nodes]}::int[]))`,
    leases && Prisma.sql`r.lease_number = ANY (${[...leases]}::int[])`,
    kinds && Prisma.sql`r.kind = ANY (${[...new Set(kinds)]}::text[]::"ReservationKind"[])`,
    states && Prisma.sql`r.state = ANY (${[...new Set(states)]}::text[]::"ReservationState"[])`,
  ];
}

/** Rows for each part of an interval; `rows` builds the statement of a part. */
function overBoth(interval: Interval, alias: 'n' | 'r', rows: (part: Conditions) => Prisma.Sql): Prisma.Sql {
  const { starting, running } = overlapping(interval, alias);
  if (running === null) return rows(starting);
  return Prisma.sql`(${rows(starting)}) UNION ALL (${rows(running)})`;
}

export function readReservations(source: Source, filter: ReservationFilter, window: Window): Promise<Reservation[]> {
  const page = pageSql(reservationOrder, window);
  const rows = (part: Conditions) => Prisma.sql`
    SELECT * FROM reservations r
    WHERE ${and([visible(source), ...conditionsOf(filter), ...part, ...page.conditions])} ${page.orderAndLimit}`;
  return source.prisma.$queryRaw`
    SELECT ${columns} FROM (${overBoth(filter, 'r', rows)}) r ${page.orderAndLimit}`;
}

export async function countReservations(source: Source, filter: ReservationFilter): Promise<number> {
  const rows = (part: Conditions) => Prisma.sql`
    SELECT count(*) AS count FROM reservations r WHERE ${and([visible(source), ...conditionsOf(filter), ...part])}`;
  const [row] = await source.prisma.$queryRaw<{ count: number }[]>`
    SELECT sum(count)::int AS count FROM (${overBoth(filter, 'r', rows)}) AS parts`;
  return row?.count ?? 0;
}

export const reservationsByNumber: Batch<number, Reservation> = async (source, numbers) => {
  const rows = await source.prisma.$queryRaw<Reservation[]>`
    SELECT ${columns} FROM reservations r
    WHERE ${and([Prisma.sql`r.number = ANY (${[...numbers]}::bigint[])`, visible(source)])}`;
  return new Map(rows.map((row) => [Number(row.number), row]));
};

// Pages of several parents: a lateral join reads only the requested page of each list (docs/decisions/api-lists.md).

type OfParent = Reservation & { readonly parent: number };

/** For leases already read, which are visible. */
export const reservationsOfLeases: Batch<number, Reservation[], Window> = async ({ prisma }, leases, window) => {
  const page = pageSql(reservationOrder, window);
  const rows = await prisma.$queryRaw<OfParent[]>`
    SELECT parent, page.* FROM unnest(${[...leases]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM reservations r
      WHERE r.lease_number = parent AND ${and(page.conditions)} ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ parent }) => parent);
};

/** For leases already read, which are visible. */
export const countReservationsOfLeases: Batch<number, number> = async ({ prisma }, leases) => {
  const counts = await prisma.reservation.groupBy({
    by: ['leaseNumber'],
    where: { leaseNumber: { in: [...leases] } },
    _count: true,
  });
  return new Map(counts.map(({ leaseNumber, _count }) => [leaseNumber, _count]));
};

/** The same order, by the index on nodes. */
const nodeReservationOrder: Order<Reservation> = {
  name: reservationOrder.name,
  columns: [
    { ...(reservationOrder.columns[0] as Column<Reservation>), sql: Prisma.sql`n.starts_at` },
    { ...(reservationOrder.columns[1] as Column<Reservation>), sql: Prisma.sql`n.reservation_number` },
  ],
};

export const reservationsOfNodes: Batch<number, Reservation[], Interval & { readonly window: Window }> = async (
  source,
  nodes,
  { window, ...interval },
) => {
  const page = pageSql(nodeReservationOrder, window);
  const whole = pageSql(reservationOrder, window);
  const rows = (part: Conditions) => Prisma.sql`
    SELECT r.* FROM reservation_nodes n JOIN reservations r ON r.number = n.reservation_number
    WHERE n.node_number = parent AND ${and([visible(source), ...part, ...page.conditions])} ${page.orderAndLimit}`;
  const found = await source.prisma.$queryRaw<OfParent[]>`
    SELECT parent, page.* FROM unnest(${[...nodes]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM (${overBoth(interval, 'n', rows)}) r ${whole.orderAndLimit}
    ) AS page`;
  return grouped(found, ({ parent }) => parent);
};

export const countReservationsOfNodes: Batch<number, number, Interval> = async (source, nodes, interval) => {
  const seen = visible(source);
  const joined = seen && Prisma.sql`JOIN reservations r ON r.number = n.reservation_number`;
  const rows = (part: Conditions) => Prisma.sql`
    SELECT n.node_number AS node, count(*) AS count FROM reservation_nodes n ${joined ?? Prisma.empty}
    WHERE n.node_number = ANY (${[...nodes]}::int[]) AND ${and([seen, ...part])}
    GROUP BY n.node_number`;
  const counts = await source.prisma.$queryRaw<{ node: number; count: number }[]>`
    SELECT node, sum(count)::int AS count FROM (${overBoth(interval, 'n', rows)}) AS parts GROUP BY node`;
  return new Map(counts.map(({ node, count }) => [node, count]));
};

/** Node numbers of reservations already read, ascending. */
export const nodesOfReservations: Batch<bigint, number[]> = async ({ prisma }, reservations) => {
  const rows = await prisma.$queryRaw<{ reservation: bigint; node: number }[]>`
    SELECT reservation_number AS reservation, node_number AS node FROM reservation_nodes
    WHERE reservation_number = ANY (${reservations.map(Number)}::bigint[]) ORDER BY node_number`;
  const nodes = grouped(rows, ({ reservation }) => reservation);
  return new Map([...nodes].map(([reservation, found]) => [reservation, found.map(({ node }) => node)]));
};
