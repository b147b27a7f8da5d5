import type { Instant, LeaseState, LeaseType } from '../../core/index.ts';
import { type Lease, type LeaseMachine, Prisma } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and, overlapping } from './sql.ts';
import type { Source } from './view.ts';

/** A lease as the API shows it. */
export type LeaseRow = Omit<Lease, 'duration' | 'knownDuration' | 'isFuture' | 'placement'>;

const columns = Prisma.sql`l.number, l.name, l.type::text, l.state::text, l.reason_code AS "reasonCode",
  l.reason_message AS "reasonMessage", l.preemptible, l.submitted_at AS "submittedAt",
  l.requested_start AS "requestedStart", l.deadline, l.original_duration AS "originalDuration", l.accumulated,
  l.image_name AS "imageName", l.image_size_mb AS "imageSizeMb", l.actual_start AS "actualStart",
  l.planned_start AS "plannedStart", l.ended_at AS "endedAt", l.queue_rank AS "queueRank",
  l.machine_count AS "machineCount"`;

export interface LeaseFilter {
  readonly states?: readonly LeaseState[] | null | undefined;
  readonly types?: readonly LeaseType[] | null | undefined;
  readonly overlapping?: { readonly start: Instant; readonly end: Instant } | null | undefined;
}

export const leaseOrder: Order<LeaseRow> = {
  name: 'leases',
  columns: [{ sql: Prisma.sql`l.number`, kind: 'number', value: ({ number }) => number }],
};

export const queueOrder: Order<LeaseRow> = {
  name: 'queue',
  columns: [
    { sql: Prisma.sql`l.submitted_at`, kind: 'instant', value: ({ submittedAt }) => submittedAt.getTime() },
    { sql: Prisma.sql`l.queue_rank`, kind: 'number', value: ({ queueRank }) => Number(queueRank) },
  ],
};

function conditionsOf({ states, types, overlapping: interval }: LeaseFilter) {
  return [
    states && Prisma.sql`l.state = ANY (${[...new Set(states)]}::text[]::"LeaseState"[])`,
    types && Prisma.sql`l.type = ANY (${[...new Set(types)]}::text[]::"LeaseType"[])`,
    interval &&
      Prisma.sql`EXISTS (SELECT FROM reservations r WHERE r.lease_number = l.number AND ${and(
        overlapping(
          { from: interval.start, to: interval.end },
          Prisma.sql`r.starts_at`,
          Prisma.sql`r.ends_at`,
        ),
      )})`,
  ];
}

const inQueue = Prisma.sql`l.queue_rank IS NOT NULL`;

function readPage(
  { prisma, view }: Source,
  conditions: Parameters<typeof and>[0],
  order: Order<LeaseRow>,
  window: Window,
): Promise<LeaseRow[]> {
  const page = pageSql(order, window);
  return prisma.$queryRaw`
    SELECT ${columns} FROM leases l
    WHERE ${and([view.leases, ...conditions, ...page.conditions])} ${page.orderAndLimit}`;
}

async function count({ prisma, view }: Source, conditions: Parameters<typeof and>[0]): Promise<number> {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM leases l WHERE ${and([view.leases, ...conditions])}`;
  return row?.count ?? 0;
}

export function readLeases(source: Source, filter: LeaseFilter, window: Window): Promise<LeaseRow[]> {
  return readPage(source, conditionsOf(filter), leaseOrder, window);
}

export function countLeases(source: Source, filter: LeaseFilter): Promise<number> {
  return count(source, conditionsOf(filter));
}

export function readQueue(source: Source, window: Window): Promise<LeaseRow[]> {
  return readPage(source, [inQueue], queueOrder, window);
}

export function countQueue(source: Source): Promise<number> {
  return count(source, [inQueue]);
}

export const leasesByNumber: Batch<number, LeaseRow> = async ({ prisma, view }, numbers) => {
  const rows = await prisma.$queryRaw<LeaseRow[]>`
    SELECT ${columns} FROM leases l WHERE ${and([Prisma.sql`l.number = ANY (${[...numbers]}::int[])`, view.leases])}`;
  return new Map(rows.map((row) => [row.number, row]));
};

/** Of leases that have been read, and so may be seen. */
export const machinesByLease: Batch<number, LeaseMachine[]> = async ({ prisma }, leases) =>
  grouped(
    await prisma.leaseMachine.findMany({
      where: { leaseNumber: { in: [...leases] } },
      orderBy: [{ leaseNumber: 'asc' }, { index: 'asc' }],
    }),
    ({ leaseNumber }) => leaseNumber,
  );

/** The VM reservation that is running, of leases that have one. */
export const runningSince: Batch<number, { start: Date; end: Date }> = async ({ prisma }, leases) => {
  const running = await prisma.reservation.findMany({
    where: { leaseNumber: { in: [...leases] }, kind: 'VM', state: 'ACTIVE' },
    select: { leaseNumber: true, start: true, end: true },
  });
  return new Map(running.map(({ leaseNumber, start, end }) => [leaseNumber, { start, end }]));
};

/** Positions count the whole queue, whatever the principal sees of it. It is ranked once, however many leases are asked for. */
export const queuePositions: Batch<number, number> = async ({ prisma }, leases) => {
  const rows = await prisma.$queryRaw<{ number: number; position: number }[]>`
    SELECT number, position FROM (
      SELECT number, (row_number() OVER (ORDER BY submitted_at, queue_rank))::int AS position
      FROM leases WHERE queue_rank IS NOT NULL
    ) AS queue WHERE number = ANY (${[...leases]}::int[])`;
  return new Map(rows.map(({ number, position }) => [number, position]));
};
