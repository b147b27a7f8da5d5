import { type Instant, LAST_INSTANT, type LeaseState, type LeaseType } from '../../core/index.ts';
import { type Lease, type LeaseMachine, Prisma, type PrismaClient } from '../../store/prisma/client.ts';
import { largestInt, largestLong, type Order, type Window } from '../connection.ts';
import type { Batch } from '../loaders.ts';
import { grouped } from '../loaders.ts';
import { and, byTimeAndNumber } from '../sql.ts';

export const leaseOrder: Order<Lease> = {
  name: 'leases',
  largest: [largestInt],
  keyOf: ({ number }) => [number],
};

export interface LeaseFilter {
  readonly states?: readonly LeaseState[] | null | undefined;
  readonly types?: readonly LeaseType[] | null | undefined;
  readonly overlapping?: { readonly start: Instant; readonly end: Instant } | null | undefined;
}

const whereOf = ({ states, types, overlapping }: LeaseFilter): Prisma.LeaseWhereInput => ({
  ...(states && { state: { in: [...new Set(states)] } }),
  ...(types && { type: { in: [...new Set(types)] } }),
  ...(overlapping && {
    reservations: {
      some: { start: { lt: new Date(overlapping.end) }, end: { gt: new Date(overlapping.start) } },
    },
  }),
});

export const readLeases = (prisma: PrismaClient, filter: LeaseFilter, window: Window): Promise<Lease[]> =>
  prisma.lease.findMany({
    where: {
      ...whereOf(filter),
      number: {
        ...(window.after && { gt: window.after[0] ?? 0 }),
        ...(window.before && { lt: window.before[0] ?? 0 }),
      },
    },
    orderBy: { number: window.backward ? 'desc' : 'asc' },
    take: window.limit,
  });

export const countLeases = (prisma: PrismaClient, filter: LeaseFilter): Promise<number> =>
  prisma.lease.count({ where: whereOf(filter) });

export const leasesByNumber: Batch<number, Lease, undefined> = async (prisma, numbers) => {
  const leases = await prisma.lease.findMany({ where: { number: { in: [...numbers] } } });
  return new Map(leases.map((lease) => [lease.number, lease]));
};

export const machinesByLease: Batch<number, LeaseMachine[], undefined> = async (prisma, numbers) =>
  grouped(
    await prisma.leaseMachine.findMany({
      where: { leaseNumber: { in: [...numbers] } },
      orderBy: [{ leaseNumber: 'asc' }, { index: 'asc' }],
    }),
    ({ leaseNumber }) => leaseNumber,
  );

/** The VM reservation that is running, of leases that have one. */
export const runningSince: Batch<number, { start: Date; end: Date }, undefined> = async (prisma, numbers) => {
  const running = await prisma.reservation.findMany({
    where: { leaseNumber: { in: [...numbers] }, kind: 'VM', state: 'ACTIVE' },
    select: { leaseNumber: true, start: true, end: true },
  });
  return new Map(running.map(({ leaseNumber, start, end }) => [leaseNumber, { start, end }]));
};

/** Ranks the whole queue once, however many leases ask. */
export const queuePositions: Batch<number, number, undefined> = async (prisma, numbers) => {
  const rows = await prisma.$queryRaw<{ number: number; position: number }[]>`
    SELECT number, position FROM (
      SELECT number, (row_number() OVER (ORDER BY submitted_at, queue_rank))::int AS position
      FROM leases WHERE queue_rank IS NOT NULL
    ) AS queue WHERE number = ANY (${[...numbers]}::int[])`;
  return new Map(rows.map(({ number, position }) => [number, position]));
};

export const queueOrder: Order<Lease> = {
  name: 'queue',
  largest: [LAST_INSTANT, largestLong],
  keyOf: ({ submittedAt, queueRank }) => [submittedAt.getTime(), Number(queueRank)],
};

/** Queued leases, next one first. */
export async function readQueue(prisma: PrismaClient, window: Window): Promise<Lease[]> {
  const { conditions, orderAndLimit } = byTimeAndNumber(
    window,
    Prisma.sql`submitted_at`,
    Prisma.sql`queue_rank`,
  );
  const rows = await prisma.$queryRaw<{ number: number }[]>`
    SELECT number FROM leases WHERE queue_rank IS NOT NULL AND ${and(conditions)} ${orderAndLimit}`;
  const leases = await leasesByNumber(
    prisma,
    rows.map(({ number }) => number),
    undefined,
  );
  return rows.flatMap(({ number }) => leases.get(number) ?? []);
}

export const countQueue = (prisma: PrismaClient): Promise<number> =>
  prisma.lease.count({ where: { queueRank: { not: null } } });
