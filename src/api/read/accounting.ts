import type { Instant } from '../../core/index.ts';
import { Prisma } from '../../store/prisma/client.ts';
import { and, timestamp } from './sql.ts';
import type { Steps } from './utilization.ts';
import type { Source } from './view.ts';

export const accountingGroups = ['PROJECT', 'OWNER', 'LEASE'] as const;
export type AccountingGroup = (typeof accountingGroups)[number];

/** Maximum number of groups of one period, of periods, and of groups over several periods. */
export const maxAccountingGroups = 1_000;
export const maxAccountingPeriods = 1_000;
export const maxAccountingRows = 2_000;

export interface ResourceTime {
  readonly type: string;
  /** Amount-hours. */
  readonly hours: number;
}

/** What the leases of a group asked for and used in a period [start, end). */
export interface AccountingRow {
  readonly start: Instant;
  readonly end: Instant;
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

interface RawRow extends Omit<AccountingRow, 'start' | 'end' | 'requested' | 'used' | 'lost'> {
  /** Counts from 0. */
  readonly period: number;
  readonly requested: Readonly<Record<string, number>> | null;
  readonly used: Readonly<Record<string, number>> | null;
  readonly lost: Readonly<Record<string, number>> | null;
}

/**
 * Requested and used amounts of leases, per period of `step` milliseconds and group; periods without leases are left
 * out. `requested`, `waiting`, `lost` and `preemptions` count the leases requested within the period. `used` counts the
 * running time of all machines within it. At most one row more than `limit`.
 */
export async function readAccounting(
  { prisma, view }: Source,
  { from, to, step }: Steps,
  by: AccountingGroup,
  now: Instant,
  limit: number,
): Promise<AccountingRow[]> {
  // 0 and the empty text stand for none, so that groups can be compared.
  const key = {
    PROJECT: Prisma.sql`coalesce(l.project_number, 0) AS project, ''::text AS owner, 0 AS lease`,
    OWNER: Prisma.sql`0 AS project, coalesce(l.owner, '') AS owner, 0 AS lease`,
    LEASE: Prisma.sql`0 AS project, ''::text AS owner, l.number AS lease`,
  }[by];
  const until = Math.min(to, now);
  const group = Prisma.sql`period, project, owner, lease`;
  const length = Prisma.sql`${step}::bigint`;
  const sinceStart = (at: Prisma.Sql) => Prisma.sql`(extract(epoch FROM ${at} - ${timestamp(from)}) * 1000)::bigint`;
  const rows = await prisma.$queryRaw<RawRow[]>`
    WITH requests AS (
      SELECT ${key}, ${sinceStart(Prisma.sql`l.submitted_at`)} / ${length} AS period, l.number, l.duration, l.lost_duration,
        greatest(0, extract(epoch FROM coalesce(l.actual_start, l.ended_at, ${timestamp(now)}) - l.submitted_at)) * 1000 AS waiting,
        (SELECT count(*) FROM lease_events e WHERE e.lease_number = l.number AND e.reason_code = 'PREEMPTED') AS preemptions
      FROM leases l
      WHERE ${and([
        Prisma.sql`l.submitted_at >= ${timestamp(from)} AND l.submitted_at < ${timestamp(to)}`,
        view.leases,
      ])}
    ), counts AS (
      SELECT ${group}, count(*)::int AS leases, sum(waiting)::float8 AS waiting, sum(preemptions)::int AS preemptions
      FROM requests GROUP BY ${group}
    ), machine_amounts AS (
      SELECT r.number, type, sum(instance::float8) AS amount
      FROM requests r JOIN lease_machines m ON m.lease_number = r.number
      CROSS JOIN LATERAL jsonb_each(m.amounts) AS held(type, quantity)
      CROSS JOIN LATERAL jsonb_path_query(held.quantity, '$[*]') AS instance
      GROUP BY 1, 2
    ), totals AS (
      SELECT ${group}, jsonb_object_agg(type, requested) AS requested, jsonb_object_agg(type, lost) AS lost FROM (
        SELECT ${group}, type, sum(amount * duration) / 3600000 AS requested, sum(amount * lost_duration) / 3600000 AS lost
        FROM requests JOIN machine_amounts USING (number) GROUP BY ${group}, type
      ) AS by_type GROUP BY ${group}
    ), runs AS (
      SELECT ${key}, held.type, sum(instance::float8) AS amount,
        ${sinceStart(Prisma.sql`greatest(v.starts_at, ${timestamp(from)})`)} AS starts,
        ${sinceStart(Prisma.sql`least(v.ends_at, ${timestamp(until)})`)} AS ends
      FROM reservations v JOIN leases l ON l.number = v.lease_number
      JOIN reservation_nodes n ON n.reservation_number = v.number
      CROSS JOIN LATERAL jsonb_each(n.amounts) AS held(type, quantity)
      CROSS JOIN LATERAL jsonb_path_query(held.quantity, '$[*]') AS instance
      WHERE ${and([
        Prisma.sql`v.kind = 'VM' AND v.state <> 'SCHEDULED'
          AND v.starts_at < ${timestamp(until)} AND v.ends_at > ${timestamp(from)}`,
        view.leases,
      ])}
      GROUP BY v.number, l.number, held.type
    ), uses AS (
      SELECT ${group}, jsonb_object_agg(type, used) AS used FROM (
        SELECT ${group}, type,
          sum(amount * (least(ends, (period + 1) * ${length}) - greatest(starts, period * ${length}))) / 3600000 AS used
        FROM runs CROSS JOIN LATERAL generate_series(starts / ${length}, (ends - 1) / ${length}) AS period
        WHERE starts < ends GROUP BY ${group}, type
      ) AS by_type GROUP BY ${group}
    )
    SELECT period::int, nullif(project, 0) AS project, nullif(owner, '') AS owner, nullif(lease, 0) AS lease,
      coalesce(leases, 0) AS leases, coalesce(waiting, 0) AS waiting, coalesce(preemptions, 0) AS preemptions,
      requested, lost, used
    FROM counts FULL JOIN uses USING (${group}) LEFT JOIN totals USING (${group})
    ORDER BY 1, 2, 3, 4 LIMIT ${limit + 1}`;
  return rows.map(({ period, ...row }) => ({
    ...row,
    start: from + period * step,
    end: Math.min(from + (period + 1) * step, to),
    waiting: Math.round(row.waiting),
    requested: listOf(row.requested),
    used: listOf(row.used),
    lost: listOf(row.lost),
  }));
}

function listOf(hours: Readonly<Record<string, number>> | null): ResourceTime[] {
  return Object.entries(hours ?? {}).map(([type, value]) => ({ type, hours: Number(value) }));
}
