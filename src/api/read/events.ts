import type { Instant, LeaseEventRecord, LeaseState } from '../../core/index.ts';
import { type LeaseEvent, Prisma } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and, type Conditions, within } from './sql.ts';
import type { Source, View } from './view.ts';

export const eventOrder: Order<LeaseEvent> = {
  name: 'events',
  columns: [{ sql: Prisma.sql`e.sequence`, kind: 'number', value: ({ sequence }) => Number(sequence) }],
};

const columns = Prisma.sql`e.sequence, e.at, e.lease_number AS "leaseNumber", e.from_state::text AS "from",
  e.to_state::text AS "to", e.reason_code AS "reasonCode", e.reason_message AS "reasonMessage",
  e.reason_data AS "reasonData"`;

/** Converts an engine event to a row. */
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

export interface EventFilter {
  /** Numbers of leases. */
  readonly leases?: readonly number[] | null | undefined;
  readonly to?: readonly LeaseState[] | null | undefined;
  readonly at?: { readonly start: Instant; readonly end: Instant } | null | undefined;
}

function conditionsOf({ view }: Source, { leases, to, at }: EventFilter): Conditions {
  return [
    visible(view),
    leases && Prisma.sql`e.lease_number = ANY (${[...leases]}::int[])`,
    to && Prisma.sql`e.to_state = ANY (${[...new Set(to)]}::text[]::"LeaseState"[])`,
    ...(at ? within({ from: at.start, to: at.end }, Prisma.sql`e.at`) : []),
  ];
}

/** Condition for events of visible leases; null for all. */
function visible({ leases }: View): Prisma.Sql | null {
  return leases && Prisma.sql`EXISTS (SELECT FROM leases l WHERE l.number = e.lease_number AND ${leases})`;
}

/** Whether an event matches a filter. (Visibility of its lease is checked separately.) */
export function passes(event: LeaseEventRecord, { leases, to, at }: EventFilter): boolean {
  return (
    (!leases || leases.includes(event.leaseId)) &&
    (!to || to.includes(event.to)) &&
    (!at || (at.start <= event.at && event.at < at.end))
  );
}

export function readEvents(source: Source, filter: EventFilter, window: Window): Promise<LeaseEvent[]> {
  const page = pageSql(eventOrder, window);
  return source.prisma.$queryRaw`
    SELECT ${columns} FROM lease_events e
    WHERE ${and([...conditionsOf(source, filter), ...page.conditions])} ${page.orderAndLimit}`;
}

export async function countEvents(source: Source, filter: EventFilter): Promise<number> {
  const [row] = await source.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM lease_events e WHERE ${and(conditionsOf(source, filter))}`;
  return row?.count ?? 0;
}

export const eventsBySequence: Batch<number, LeaseEvent> = async ({ prisma, view }, sequences) => {
  const rows = await prisma.$queryRaw<LeaseEvent[]>`
    SELECT ${columns} FROM lease_events e
    WHERE ${and([Prisma.sql`e.sequence = ANY (${[...sequences]}::bigint[])`, visible(view)])}`;
  return new Map(rows.map((row) => [Number(row.sequence), row]));
};

/** For leases already read, which are visible. */
export const eventsOfLeases: Batch<number, LeaseEvent[], Window> = async ({ prisma }, leases, window) => {
  const page = pageSql(eventOrder, window);
  const rows = await prisma.$queryRaw<LeaseEvent[]>`
    SELECT page.* FROM unnest(${[...leases]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM lease_events e
      WHERE e.lease_number = parent AND ${and(page.conditions)} ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ leaseNumber }) => leaseNumber);
};

/** For leases already read, which are visible. */
export const countEventsOfLeases: Batch<number, number> = async ({ prisma }, leases) => {
  const counts = await prisma.leaseEvent.groupBy({
    by: ['leaseNumber'],
    where: { leaseNumber: { in: [...leases] } },
    _count: true,
  });
  return new Map(counts.map(({ leaseNumber, _count }) => [leaseNumber, _count]));
};
