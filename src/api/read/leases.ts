import { type Instant, LAST_INSTANT, type LeaseState, type LeaseType } from '../../core/index.ts';
import { type Lease, type LeaseMachine, Prisma } from '../../store/prisma/client.ts';
import { type Batch, grouped } from './batches.ts';
import type { Interval } from './interval.ts';
import { type Column, type Order, pageSql, type Window } from './pages.ts';
import { and, type Conditions, containing, overlapping, timestamp, within } from './sql.ts';
import type { Source } from './view.ts';

/** A state that only readers see: the scheduler excludes these leases. */
export type ShownState = LeaseState | 'QUARANTINED';

/** A lease in API form. */
export type LeaseRow = Omit<
  Lease,
  'originalDuration' | 'knownDuration' | 'placement' | 'reasonData' | 'isQuarantined' | 'state'
> & { readonly state: ShownState };

/** The state of `leases l`. */
export const shownState = Prisma.sql`CASE WHEN l.is_quarantined THEN 'QUARANTINED' ELSE l.state::text END`;

const columns = Prisma.sql`l.number, l.name, l.type::text, ${shownState} AS state, l.reason_code AS "reasonCode",
  l.reason_message AS "reasonMessage", l.preemptible, l.submitted_at AS "submittedAt",
  l.requested_start AS "requestedStart", l.deadline, l.duration, l.accumulated,
  l.restarts, l.lost_duration AS "lostDuration", l.image_name AS "imageName", l.image_size_mb AS "imageSizeMb",
  l.actual_start AS "actualStart", l.planned_start AS "plannedStart", l.ended_at AS "endedAt",
  l.queue_rank AS "queueRank", l.is_future AS "isFuture", l.owner, l.project_number AS "projectNumber",
  l.machine_count AS "machineCount", l.end_notice AS "endNotice",
  l.recurrence_number AS "recurrenceNumber", l.occurrence`;

export interface IntervalFilter {
  readonly start: Instant;
  readonly end: Instant;
}

/** Conditions on leases; all must match. */
export interface LeaseFilter {
  readonly numbers?: readonly number[] | null | undefined;
  /** Substring of the name, case-insensitive. */
  readonly name?: string | null | undefined;
  readonly states?: readonly ShownState[] | null | undefined;
  readonly types?: readonly LeaseType[] | null | undefined;
  /** Not ended. */
  readonly live?: boolean | null | undefined;
  readonly projects?: readonly number[] | null | undefined;
  readonly owners?: readonly string[] | null | undefined;
  /** With a reservation on one of these nodes. */
  readonly nodes?: readonly number[] | null | undefined;
  readonly submitted?: IntervalFilter | null | undefined;
  readonly overlapping?: IntervalFilter | null | undefined;
}

export type LeaseOrderField = 'NUMBER' | 'SUBMITTED_AT' | 'START' | 'ENDED_AT';

export interface LeaseOrder {
  readonly field: LeaseOrderField;
  readonly direction: 'ASC' | 'DESC';
}

const number: Column<LeaseRow> = {
  sql: Prisma.sql`l.number`,
  kind: 'number',
  value: (row) => row.number,
};

/** Nulls sort last. */
function instantColumn(sql: Prisma.Sql, value: (row: LeaseRow) => Date | null): Column<LeaseRow> {
  return {
    sql: Prisma.sql`coalesce(${sql}, ${timestamp(LAST_INSTANT)})`,
    kind: 'instant',
    value: (row) => value(row)?.getTime() ?? LAST_INSTANT,
  };
}

const submittedAt: Column<LeaseRow> = {
  sql: Prisma.sql`l.submitted_at`,
  kind: 'instant',
  value: (row) => row.submittedAt.getTime(),
};

const orderColumns: Readonly<Record<LeaseOrderField, readonly Column<LeaseRow>[]>> = {
  NUMBER: [number],
  SUBMITTED_AT: [submittedAt, number],
  START: [
    instantColumn(
      Prisma.sql`l.planned_start, l.actual_start, l.requested_start`,
      ({ plannedStart, actualStart, requestedStart }) => plannedStart ?? actualStart ?? requestedStart,
    ),
    number,
  ],
  ENDED_AT: [instantColumn(Prisma.sql`l.ended_at`, ({ endedAt }) => endedAt), number],
};

export function leaseOrder({ field, direction }: LeaseOrder): Order<LeaseRow> {
  const descending = direction === 'DESC';
  const name = field === 'NUMBER' && !descending ? 'leases' : `leases/${field}/${direction}`;
  return { name, columns: orderColumns[field], descending };
}

/** The leases of a project or of a recurrence are ordered as all leases are. */
export const groupOrder = leaseOrder({ field: 'NUMBER', direction: 'ASC' });

/** The order in which leases leave the queue. */
export const queueOrder: Order<LeaseRow> = {
  name: 'queue',
  columns: [
    submittedAt,
    {
      sql: Prisma.sql`coalesce(l.queue_rank, 0)`,
      kind: 'number',
      value: ({ queueRank }) => Number(queueRank ?? 0),
    },
    number,
  ],
};

/** As in the index `leases_live`. */
export const isLive = Prisma.sql`l.state <> ALL (ARRAY['REJECTED'::"LeaseState", 'CANCELLED'::"LeaseState",
  'DONE'::"LeaseState", 'FAILED'::"LeaseState", 'REJECTED_BY_USER'::"LeaseState"])`;

/** Waiting leases: in the queue, or with a start planned by backfilling. */
const waits = Prisma.sql`(l.queue_rank IS NOT NULL OR l.is_future) AND NOT l.is_quarantined`;

function inStates(states: readonly ShownState[]): Prisma.Sql {
  const stored = [...new Set(states)].filter((state) => state !== 'QUARANTINED');
  const known = Prisma.sql`(l.state = ANY (${stored}::text[]::"LeaseState"[]) AND NOT l.is_quarantined)`;
  if (stored.length === states.length) return known;
  return stored.length === 0 ? Prisma.sql`l.is_quarantined` : Prisma.sql`(${known} OR l.is_quarantined)`;
}

function conditionsOf(filter: LeaseFilter): Conditions {
  const { numbers, name, states, types, live, projects, owners, nodes, submitted } = filter;
  return [
    numbers && Prisma.sql`l.number = ANY (${[...numbers]}::int[])`,
    typeof name === 'string' && Prisma.sql`l.name ILIKE ${containing(name)}`,
    states && inStates(states),
    types && Prisma.sql`l.type = ANY (${[...new Set(types)]}::text[]::"LeaseType"[])`,
    typeof live === 'boolean' && (live ? isLive : Prisma.sql`NOT (${isLive})`),
    projects && Prisma.sql`l.project_number = ANY (${[...projects]}::int[])`,
    owners && Prisma.sql`l.owner = ANY (${[...owners]}::text[])`,
    nodes &&
      Prisma.sql`EXISTS (SELECT FROM reservations r JOIN reservation_nodes n ON n.reservation_number = r.number
        WHERE r.lease_number = l.number AND n.node_number = ANY (${[...nodes]}::int[]))`,
    ...(submitted ? within({ from: submitted.start, to: submitted.end }, Prisma.sql`l.submitted_at`) : []),
    filter.overlapping && overlaps({ from: filter.overlapping.start, to: filter.overlapping.end }),
  ];
}

/** Leases with a reservation in an interval, found through the reservations, since most intervals contain few. */
function overlaps(interval: Interval): Prisma.Sql {
  const { starting, running } = overlapping(interval, 'r');
  const rows = (part: Conditions) => Prisma.sql`SELECT r.lease_number FROM reservations r WHERE ${and(part)}`;
  return running === null
    ? Prisma.sql`l.number IN (${rows(starting)})`
    : Prisma.sql`l.number IN (${rows(starting)} UNION ALL ${rows(running)})`;
}

function readPage(
  { prisma, view }: Source,
  conditions: Conditions,
  order: Order<LeaseRow>,
  window: Window,
): Promise<LeaseRow[]> {
  const page = pageSql(order, window);
  return prisma.$queryRaw`
    SELECT ${columns} FROM leases l
    WHERE ${and([view.leases, ...conditions, ...page.conditions])} ${page.orderAndLimit}`;
}

async function count({ prisma, view }: Source, conditions: Conditions): Promise<number> {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM leases l WHERE ${and([view.leases, ...conditions])}`;
  return row?.count ?? 0;
}

export function readLeases(
  source: Source,
  filter: LeaseFilter,
  order: Order<LeaseRow>,
  window: Window,
): Promise<LeaseRow[]> {
  return readPage(source, conditionsOf(filter), order, window);
}

export function countLeases(source: Source, filter: LeaseFilter): Promise<number> {
  return count(source, conditionsOf(filter));
}

export function readQueue(source: Source, window: Window): Promise<LeaseRow[]> {
  return readPage(source, [isLive, waits], queueOrder, window);
}

export function countQueue(source: Source): Promise<number> {
  return count(source, [isLive, waits]);
}

export const leasesByNumber: Batch<number, LeaseRow> = async ({ prisma, view }, numbers) => {
  const rows = await prisma.$queryRaw<LeaseRow[]>`
    SELECT ${columns} FROM leases l
    WHERE ${and([Prisma.sql`l.number = ANY (${[...numbers]}::int[])`, view.leases])}`;
  return new Map(rows.map((row) => [row.number, row]));
};

/** Parents of leases and the referencing column. */
const groupColumns = {
  projectNumber: Prisma.sql`l.project_number`,
  recurrenceNumber: Prisma.sql`l.recurrence_number`,
};

interface GroupedLeases {
  readonly by: keyof typeof groupColumns;
  readonly filter: LeaseFilter;
}

/** Visible leases of projects or recurrences already read. */
export const leasesOfGroups: Batch<number, LeaseRow[], GroupedLeases & { readonly window: Window }> = async (
  { prisma, view },
  groups,
  { by, filter, window },
) => {
  const page = pageSql(groupOrder, window);
  const rows = await prisma.$queryRaw<LeaseRow[]>`
    SELECT page.* FROM unnest(${[...groups]}::int[]) AS parent CROSS JOIN LATERAL (
      SELECT ${columns} FROM leases l
      WHERE ${groupColumns[by]} = parent AND ${and([view.leases, ...conditionsOf(filter), ...page.conditions])}
      ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, (row) => row[by] ?? 0);
};

export const countLeasesOfGroups: Batch<number, number, GroupedLeases> = async (
  { prisma, view },
  groups,
  { by, filter },
) => {
  const isWanted = Prisma.sql`${groupColumns[by]} = ANY (${[...groups]}::int[])`;
  const rows = await prisma.$queryRaw<{ group: number; count: number }[]>`
    SELECT ${groupColumns[by]} AS "group", count(*)::int AS count FROM leases l
    WHERE ${and([isWanted, view.leases, ...conditionsOf(filter)])}
    GROUP BY ${groupColumns[by]}`;
  return new Map(rows.map(({ group, count: leases }) => [group, leases]));
};

/** For leases already read, which are visible. */
export const machinesByLease: Batch<number, LeaseMachine[]> = async ({ prisma }, leases) =>
  grouped(
    await prisma.leaseMachine.findMany({
      where: { leaseNumber: { in: [...leases] } },
      orderBy: [{ leaseNumber: 'asc' }, { index: 'asc' }],
    }),
    ({ leaseNumber }) => leaseNumber,
  );

/** The running VM reservation, for leases that have one. */
export const runningSince: Batch<number, { start: Date; end: Date }> = async ({ prisma }, leases) => {
  const running = await prisma.reservation.findMany({
    where: { leaseNumber: { in: [...leases] }, kind: 'VM', state: 'ACTIVE' },
    select: { leaseNumber: true, start: true, end: true },
  });
  return new Map(running.map(({ leaseNumber, start, end }) => [leaseNumber, { start, end }]));
};

/** The end of the last current or planned reservation, for leases that have one. Image transfers hold no node. */
export const plannedEnds: Batch<number, Date> = async ({ prisma }, leases) => {
  const rows = await prisma.$queryRaw<{ lease: number; end: Date }[]>`
    SELECT r.lease_number AS lease, max(r.ends_at) AS "end" FROM reservations r
    WHERE r.lease_number = ANY (${[...leases]}::int[]) AND r.kind <> 'IMAGE_TRANSFER'
      AND r.state = ANY (ARRAY['SCHEDULED'::"ReservationState", 'ACTIVE'::"ReservationState"])
    GROUP BY r.lease_number`;
  return new Map(rows.map(({ lease, end }) => [lease, end]));
};

/** Positions count the whole queue, independent of visibility. The queue is ranked once for all requested leases. */
export const queuePositions: Batch<number, number> = async ({ prisma }, leases) => {
  const rows = await prisma.$queryRaw<{ number: number; position: number }[]>`
    SELECT number, position FROM (
      SELECT number, (row_number() OVER (ORDER BY submitted_at, queue_rank))::int AS position
      FROM leases WHERE queue_rank IS NOT NULL AND NOT is_quarantined
    ) AS queue WHERE number = ANY (${[...leases]}::int[])`;
  return new Map(rows.map(({ number: lease, position }) => [lease, position]));
};
