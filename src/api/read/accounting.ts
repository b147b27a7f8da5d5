import type { Instant } from '../../core/index.ts';
import { Prisma } from '../../store/prisma/client.ts';
import { and, timestamp } from './sql.ts';
import type { Source } from './view.ts';

export const accountingGroups = ['PROJECT', 'OWNER', 'LEASE'] as const;
export type AccountingGroup = (typeof accountingGroups)[number];

/** Maximum number of groups. */
export const maxAccountingGroups = 1_000;

export interface ResourceTime {
  readonly type: string;
  /** Amount-hours. */
  readonly hours: number;
}

export interface AccountingRow {
  readonly project: number | null;
  readonly owner: string | null;
  readonly lease: number | null;
  readonly leases: number;
  readonly requested: readonly ResourceTime[];
  readonly used: readonly ResourceTime[];
  readonly lost: readonly ResourceTime[];
  /** Milliseconds. */
  readonly waiting: number;
  readonly preemptions: number;
}

interface RawRow extends Omit<AccountingRow, 'requested' | 'used' | 'lost'> {
  readonly requested: Readonly<Record<string, number>> | null;
  readonly used: Readonly<Record<string, number>> | null;
  readonly lost: Readonly<Record<string, number>> | null;
}

/**
 * Requested and used amounts of leases. `requested`, `waiting`, `lost` and `preemptions` count the leases requested
 * within [from, to). `used` counts the running time of all machines within the interval.
 */
export async function readAccounting(
  { prisma, view }: Source,
  from: Instant,
  to: Instant,
  by: AccountingGroup,
  now: Instant,
): Promise<AccountingRow[]> {
  const key = {
    PROJECT: Prisma.sql`l.project_number AS project, NULL::text AS owner, NULL::int AS lease`,
    OWNER: Prisma.sql`NULL::int AS project, l.owner, NULL::int AS lease`,
    LEASE: Prisma.sql`NULL::int AS project, NULL::text AS owner, l.number AS lease`,
  }[by];
  const until = Math.min(to, now);
  const rows = await prisma.$queryRaw<RawRow[]>`
    WITH requests AS (
      SELECT ${key}, l.number, l.duration, l.lost_duration,
        greatest(0, extract(epoch FROM coalesce(l.actual_start, l.ended_at, ${timestamp(now)}) - l.submitted_at)) * 1000 AS waiting,
        (SELECT count(*) FROM lease_events e WHERE e.lease_number = l.number AND e.reason_code = 'PREEMPTED') AS preemptions
      FROM leases l
      WHERE ${and([
        Prisma.sql`l.submitted_at >= ${timestamp(from)} AND l.submitted_at < ${timestamp(to)}`,
        view.leases,
      ])}
    ), machine_amounts AS (
      SELECT r.number, type, sum(instance::float8) AS amount
      FROM requests r JOIN lease_machines m ON m.lease_number = r.number
      CROSS JOIN LATERAL jsonb_each(m.amounts) AS held(type, quantity)
      CROSS JOIN LATERAL jsonb_path_query(held.quantity, '$[*]') AS instance
      GROUP BY 1, 2
    ), request_totals AS (
      SELECT project, owner, lease, type, sum(amount * duration) / 3600000 AS requested,
        sum(amount * lost_duration) / 3600000 AS lost
      FROM requests JOIN machine_amounts USING (number) GROUP BY 1, 2, 3, 4
    ), runs AS (
      SELECT ${key}, held.type, sum(instance::float8 * extract(epoch FROM
        least(v.ends_at, ${timestamp(until)}) - greatest(v.starts_at, ${timestamp(from)}))) / 3600 AS used
      FROM reservations v JOIN leases l ON l.number = v.lease_number
      JOIN reservation_nodes n ON n.reservation_number = v.number
      CROSS JOIN LATERAL jsonb_each(n.amounts) AS held(type, quantity)
      CROSS JOIN LATERAL jsonb_path_query(held.quantity, '$[*]') AS instance
      WHERE ${and([
        Prisma.sql`v.kind = 'VM' AND v.state <> 'SCHEDULED'
          AND v.starts_at < ${timestamp(until)} AND v.ends_at > ${timestamp(from)}`,
        view.leases,
      ])}
      GROUP BY 1, 2, 3, 4
    ), groups AS (
      SELECT project, owner, lease FROM requests UNION SELECT project, owner, lease FROM runs
    )
    SELECT g.project, g.owner, g.lease, count(r.number)::int AS leases,
      coalesce(sum(r.waiting), 0)::float8 AS waiting, coalesce(sum(r.preemptions), 0)::int AS preemptions,
      (SELECT jsonb_object_agg(type, requested) FROM request_totals t
        WHERE (t.project, t.owner, t.lease) IS NOT DISTINCT FROM (g.project, g.owner, g.lease)) AS requested,
      (SELECT jsonb_object_agg(type, lost) FROM request_totals t
        WHERE (t.project, t.owner, t.lease) IS NOT DISTINCT FROM (g.project, g.owner, g.lease)) AS lost,
      (SELECT jsonb_object_agg(type, used) FROM runs u
        WHERE (u.project, u.owner, u.lease) IS NOT DISTINCT FROM (g.project, g.owner, g.lease)) AS used
    FROM groups g LEFT JOIN requests r
      ON (r.project, r.owner, r.lease) IS NOT DISTINCT FROM (g.project, g.owner, g.lease)
    GROUP BY 1, 2, 3 ORDER BY g.project, g.owner, g.lease LIMIT ${maxAccountingGroups + 1}`;
  return rows.map((row) => ({
    ...row,
    waiting: Math.round(row.waiting),
    requested: listOf(row.requested),
    used: listOf(row.used),
    lost: listOf(row.lost),
  }));
}

function listOf(hours: Readonly<Record<string, number>> | null): ResourceTime[] {
  return Object.entries(hours ?? {}).map(([type, value]) => ({ type, hours: Number(value) }));
}
