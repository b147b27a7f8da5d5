import type { Instant, Millis } from '../../core/index.ts';
import { Prisma, type ReservationKind } from '../../store/prisma/client.ts';
import { mapInSlices } from './budget.ts';
import { timestamp } from './sql.ts';
import type { Source } from './view.ts';

type Share = 'used' | 'suspending' | 'resuming' | 'shuttingDown';

const shareOf: Partial<Record<ReservationKind, Share>> = {
  VM: 'used',
  SUSPENSION: 'suspending',
  RESUMPTION: 'resuming',
  SHUTDOWN: 'shuttingDown',
};

const shares = ['used', 'suspending', 'resuming', 'shuttingDown'] as const satisfies readonly Share[];

export type Sample = { readonly start: Instant; readonly end: Instant; readonly free: number } & Readonly<
  Record<Share, number>
>;

export interface Steps {
  readonly from: Instant;
  readonly to: Instant;
  readonly step: Millis;
}

export function sampleCount({ from, to, step }: Steps): number {
  return Math.ceil((to - from) / step);
}

/** Changes within one sample. */
interface Change {
  readonly kind: ReservationKind;
  readonly sample: number;
  /** Net change of the held amount. */
  readonly rise: number;
  /** Amount-milliseconds added by the changes within it. */
  readonly area: number;
}

const hour = 3_600_000;

/** Whole hours with stored sums of finished reservations, and the remaining intervals. */
interface Parts {
  /** Hours that lie within one sample each: from, to. */
  readonly whole: readonly (readonly [Instant, Instant])[];
  /** Intervals whose reservations are read one by one. */
  readonly rest: readonly (readonly [Instant, Instant])[];
}

/** Splits [from, to) so that only hours that contain a boundary between samples are read reservation by reservation. */
export function partsOf({ from, to, step }: Steps): Parts {
  const [whole, rest]: [[Instant, Instant][], [Instant, Instant][]] = [[], []];
  const add = (list: [Instant, Instant][], start: Instant, end: Instant) => {
    if (start >= end) return;
    const last = list.at(-1);
    if (last?.[1] === start) last[1] = end;
    else list.push([start, end]);
  };
  for (let start = from; start < to; start += step) {
    const end = Math.min(start + step, to);
    const first = Math.min(Math.ceil(start / hour) * hour, end);
    const last = Math.max(Math.floor(end / hour) * hour, first);
    add(rest, start, first);
    add(whole, first, last);
    add(rest, last, end);
  }
  return { whole, rest };
}

/**
 * Utilization of one resource by all leases, as shares of the site's capacity. Sums of finished reservations are stored
 * per hour and the rest is summed per sample in the database, so that neither work nor result grows with their number.
 */
export async function readUtilization(
  { prisma }: Source,
  type: string,
  steps: Steps,
  signal: AbortSignal | null,
): Promise<Sample[]> {
  const { from, to, step } = steps;
  const { whole, rest } = partsOf(steps);
  const intervals = (list: Parts['whole']) => Prisma.sql`
    unnest(${list.map(([start]) => new Date(start).toISOString())}::text[]::timestamptz[],
      ${list.map(([, end]) => new Date(end).toISOString())}::text[]::timestamptz[])`;
  const sinceStart = (at: Prisma.Sql) => Prisma.sql`extract(epoch FROM ${at} - ${timestamp(from)})::float8 * 1000`;
  const rows = await prisma.$queryRaw<({ readonly capacity: number | null } & (Change | { readonly kind: null }))[]>`
    WITH capacity AS (
      SELECT sum(instance::float8) AS total
      FROM nodes CROSS JOIN LATERAL jsonb_path_query(nodes.capacity -> ${type}::text, '$[*]') AS instance
    ), present AS (
      SELECT r.number, r.kind, greatest(r.starts_at, ${timestamp(from)}) AS starts, least(r.ends_at, ${timestamp(to)}) AS ends
      FROM reservations r
      WHERE r.state IN ('SCHEDULED', 'ACTIVE') AND r.starts_at < ${timestamp(to)} AND r.ends_at > ${timestamp(from)}
      UNION ALL
      SELECT r.number, r.kind, greatest(r.starts_at, part.starts), least(r.ends_at, part.ends)
      FROM ${intervals(rest)} AS part(starts, ends) JOIN reservations r
        ON tstzrange(r.starts_at, r.ends_at, '[]') && tstzrange(part.starts, part.ends, '()')
      WHERE r.state IN ('DONE', 'CANCELLED')
    ), held AS (
      SELECT p.kind, sum(instance::float8) AS amount, ${sinceStart(Prisma.sql`p.starts`)} AS starts,
        ${sinceStart(Prisma.sql`p.ends`)} AS ends
      FROM present p JOIN reservation_nodes n ON n.reservation_number = p.number
      CROSS JOIN LATERAL jsonb_path_query(n.amounts -> ${type}::text, '$[*]') AS instance
      GROUP BY p.number, p.kind, p.starts, p.ends
    ), changes AS (
      SELECT kind, starts AS at, amount FROM held UNION ALL SELECT kind, ends, -amount FROM held
    ), samples AS (
      SELECT kind, floor(at / ${step}::float8) AS sample, sum(amount) AS rise,
        sum(amount * ((floor(at / ${step}::float8) + 1) * ${step}::float8 - at)) AS area
      FROM changes GROUP BY 1, 2
      UNION ALL
      SELECT kind, floor(${sinceStart(Prisma.sql`u.hour`)} / ${step}::float8), 0, sum(u.area)::float8
      FROM ${intervals(whole)} AS part(starts, ends) JOIN utilization_hours u
        ON u.hour >= part.starts AND u.hour < part.ends
      WHERE u.resource = ${type}
      GROUP BY 1, 2
    )
    SELECT total AS capacity, kind::text, sample, rise, area FROM capacity LEFT JOIN samples ON TRUE`;

  const capacity = rows[0]?.capacity ?? 0;
  const changes = new Map<number, Change[]>();
  for (const row of rows) {
    if (row.kind === null) continue;
    const others = changes.get(row.sample);
    if (others) others.push(row);
    else changes.set(row.sample, [row]);
  }
  const level = { used: 0, suspending: 0, resuming: 0, shuttingDown: 0 };
  const sampleAt = (index: number): Sample => {
    const start = from + index * step;
    const end = Math.min(start + step, to);
    // The amount held at the start counts for the whole step and is corrected by changes within it. A shorter last
    // sample is corrected by what ends at `to`.
    const area = { ...level };
    for (const share of shares) area[share] *= step;
    for (const change of changes.get(index) ?? []) {
      const share = shareOf[change.kind];
      if (share === undefined) continue;
      area[share] += change.area;
      level[share] += change.rise;
    }
    const whole = capacity * (end - start);
    for (const share of shares) area[share] = whole === 0 ? 0 : Math.max(0, area[share] / whole);
    const held = shares.reduce((sum, share) => sum + area[share], 0);
    return { start, end, ...area, free: whole === 0 ? 0 : Math.max(0, 1 - held) };
  };
  const indices = Array.from({ length: sampleCount(steps) }, (_, index) => index);
  return mapInSlices(indices, sampleAt, signal);
}
