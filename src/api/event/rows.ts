import type { LeaseEventRecord } from '../../core/index.ts';
import { type LeaseEvent, Prisma } from '../../store/prisma/client.ts';
import { largestLong, type Order, type Window } from '../connection.ts';
import { type Batch, grouped } from '../loaders.ts';
import { and, byNumber } from '../sql.ts';

export const eventOrder: Order<LeaseEvent> = {
  name: 'events',
  largest: [largestLong],
  keyOf: ({ sequence }) => [Number(sequence)],
};

/** An event of the engine as its row. */
export const rowOf = ({ sequence, at, leaseId, from, to, reason }: LeaseEventRecord): LeaseEvent => ({
  sequence: BigInt(sequence),
  at: new Date(at),
  leaseNumber: leaseId,
  from,
  to,
  reasonCode: reason?.code ?? null,
  reasonMessage: reason?.message ?? null,
});

export const readEvents: Batch<number, LeaseEvent[], Window> = async (prisma, leases, window) => {
  const { conditions, orderAndLimit } = byNumber(window, Prisma.sql`e.sequence`);
  const rows = await prisma.$queryRaw<LeaseEvent[]>`
    SELECT page.* FROM unnest(${[...leases]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT e.sequence, e.at, e.lease_number AS "leaseNumber", e.from_state::text AS "from", e.to_state::text AS "to",
        e.reason_code AS "reasonCode", e.reason_message AS "reasonMessage"
      FROM lease_events e WHERE e.lease_number = parent AND ${and(conditions)} ${orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ leaseNumber }) => leaseNumber);
};

export const countEvents: Batch<number, number, undefined> = async (prisma, leases) => {
  const counts = await prisma.leaseEvent.groupBy({
    by: ['leaseNumber'],
    where: { leaseNumber: { in: [...leases] } },
    _count: true,
  });
  return new Map(counts.map(({ leaseNumber, _count }) => [leaseNumber, _count]));
};
