import type { NoticeKind, NoticeRecord } from '../../engine/ports.ts';
import { type Notice, Prisma } from '../../store/prisma/client.ts';
import type { Batch } from './batches.ts';
import { type Connection, connection, type Order, type PageArguments, pageSql, type Window } from './pages.ts';
import { and, type Conditions } from './sql.ts';
import type { Source, View } from './view.ts';

const noticeOrder: Order<Notice> = {
  name: 'notices',
  columns: [{ sql: Prisma.sql`n.sequence`, kind: 'number', value: ({ sequence }) => Number(sequence) }],
};

const columns = Prisma.sql`n.sequence, n.at, n.kind::text, n.lease_number AS "leaseNumber",
  n.project_number AS "projectNumber", n.node_number AS "nodeNumber", n.maintenance, n.message,
  n.reason_code AS "reasonCode", n.reason_message AS "reasonMessage", n.reason_data AS "reasonData", n.facts`;

/** Converts an engine notice to a row. */
export function noticeRow(notice: NoticeRecord): Notice {
  const { sequence, at, kind, leaseId, project, node, maintenance, message, reason, facts } = notice;
  return {
    sequence: BigInt(sequence),
    at: new Date(at),
    kind,
    leaseNumber: leaseId,
    projectNumber: project,
    nodeNumber: node,
    maintenance,
    message,
    reasonCode: reason?.code ?? null,
    reasonMessage: reason?.message ?? null,
    reasonData: reason?.data ? { ...reason.data } : null,
    facts: { ...facts } as Prisma.JsonObject,
  };
}

export interface NoticeFilter {
  readonly project?: number | null | undefined;
  readonly kinds?: readonly NoticeKind[] | null | undefined;
  /** Numbers of leases. */
  readonly leases?: readonly number[] | null | undefined;
}

function conditionsOf({ view }: Source, { project, kinds, leases }: NoticeFilter): Conditions {
  return [
    visible(view),
    typeof project === 'number' && Prisma.sql`n.project_number = ${project}`,
    kinds && Prisma.sql`n.kind = ANY (${[...new Set(kinds)]}::text[]::"NoticeKind"[])`,
    leases && Prisma.sql`n.lease_number = ANY (${[...leases]}::int[])`,
  ];
}

/** Condition for notices of nodes and of visible leases; null for all. */
function visible({ leases }: View): Prisma.Sql | null {
  return (
    leases &&
    Prisma.sql`(n.lease_number IS NULL
      OR EXISTS (SELECT FROM leases l WHERE l.number = n.lease_number AND ${leases}))`
  );
}

/** Whether a notice matches a filter. (Visibility of its lease is checked separately.) */
export function passesNotice(notice: NoticeRecord, { project, kinds, leases }: NoticeFilter): boolean {
  return (
    (typeof project !== 'number' || notice.project === project) &&
    (!kinds || kinds.includes(notice.kind)) &&
    (!leases || (notice.leaseId !== null && leases.includes(notice.leaseId)))
  );
}

export function pagesOfNotices(source: Source, filter: NoticeFilter, args: PageArguments): Connection<Notice> {
  const { prisma } = source;
  const conditions = conditionsOf(source, filter);
  const read = (window: Window): Promise<Notice[]> => {
    const page = pageSql(noticeOrder, window);
    return prisma.$queryRaw`
      SELECT ${columns} FROM notices n
      WHERE ${and([...conditions, ...page.conditions])} ${page.orderAndLimit}`;
  };
  return connection(noticeOrder, args, read, async () => {
    const [row] = await prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM notices n WHERE ${and(conditions)}`;
    return row?.count ?? 0;
  });
}

export const noticesBySequence: Batch<number, Notice> = async ({ prisma, view }, sequences) => {
  const rows = await prisma.$queryRaw<Notice[]>`
    SELECT ${columns} FROM notices n
    WHERE ${and([Prisma.sql`n.sequence = ANY (${[...sequences]}::bigint[])`, visible(view)])}`;
  return new Map(rows.map((row) => [Number(row.sequence), row]));
};
