import type { LeaseEventRecord } from '../../core/index.ts';
import { type LeaseEvent, Prisma } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and } from './sql.ts';

export const eventOrder: Order<LeaseEvent> = {
  name: 'events',
  columns: [{ sql: Prisma.sql`e.sequence`, kind: 'number', value: ({ sequence }) => Number(sequence) }],
};

const columns = Prisma.sql`e.sequence, e.at, e.lease_number AS "leaseNumber", e.from_state::text AS "from",
  e.to_state::text AS "to", e.reason_code AS "reasonCode", e.reason_message AS "reasonMessage",
  e.reason_data AS "reasonData"`;

/** An event of the engine as its row. */
export function eventRow({ sequence, at, leaseId, from, to, reason }: LeaseEventRecord): LeaseEvent {
  return {
    sequence: BigInt(sequence),
    at: new Date(at),
    leaseNumber: leaseId,
    from,
    to,
    reasonCode: reason?.code ?? null,
    reasonMessage: reason?.message ?? null,
    reasonData: reason?.data ? { ...reason.data } : null,
  };
}

export const eventsBySequence: Batch<number, LeaseEvent> = async ({ prisma, view }, sequences) => {
  const rows = await prisma.$queryRaw<LeaseEvent[]>`
    SELECT ${columns} FROM lease_events e JOIN leases l ON l.number = e.lease_number
    WHERE ${and([Prisma.sql`e.sequence = ANY (${[...sequences]}::bigint[])`, view.leases])}`;
  return new Map(rows.map((row) => [Number(row.sequence), row]));
};

/** Of leases that have been read, and so may be seen. */
export const eventsOfLeases: Batch<number, LeaseEvent[], Window> = async ({ prisma }, leases, window) => {
  const page = pageSql(eventOrder, window);
  const rows = await prisma.$queryRaw<LeaseEvent[]>`
    SELECT page.* FROM unnest(${[...leases]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM lease_events e
      WHERE e.lease_number = parent AND ${and(page.conditions)} ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ leaseNumber }) => leaseNumber);
};

/** Of leases that have been read, and so may be seen. */
export const countEventsOfLeases: Batch<number, number> = async ({ prisma }, leases) => {
  const counts = await prisma.leaseEvent.groupBy({
    by: ['leaseNumber'],
    where: { leaseNumber: { in: [...leases] } },
    _count: true,
  });
  return new Map(counts.map(({ leaseNumber, _count }) => [leaseNumber, _count]));
};
