import type { Instant, Millis } from '../../core/index.ts';
import type { ReservationKind } from '../../store/prisma/client.ts';
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

/** What changes within one sample. */
interface Change {
  readonly kind: ReservationKind;
  readonly sample: number;
  /** How much more is held at its end than at its start. */
  readonly rise: number;
  /** Amount times milliseconds that the changes add within it. */
  readonly area: number;
}

/**
 * Shares of the site's capacity of one resource, over all leases. Reservations are summed up per sample in the database,
 * so that the result does not grow with their number.
 */
export async function readUtilization(
  { prisma }: Source,
  type: string,
  steps: Steps,
  signal: AbortSignal | null,
): Promise<Sample[]> {
  const { from, to, step } = steps;
  const rows = await prisma.$queryRaw<
    ({ readonly capacity: number | null } & (Change | { readonly kind: null }))[]
  >`
    WITH capacity AS (
      SELECT sum(instance::float8) AS total
      FROM nodes CROSS JOIN LATERAL jsonb_path_query(nodes.capacity -> ${type}::text, '$[*]') AS instance
    ), held AS (
      SELECT r.kind, sum(instance::float8) AS amount,
        extract(epoch FROM greatest(r.starts_at, ${timestamp(from)}) - ${timestamp(from)})::float8 * 1000 AS starts,
        extract(epoch FROM least(r.ends_at, ${timestamp(to)}) - ${timestamp(from)})::float8 * 1000 AS ends
      FROM reservations r
      JOIN reservation_nodes n ON n.reservation_number = r.number
      CROSS JOIN LATERAL jsonb_path_query(n.amounts -> ${type}::text, '$[*]') AS instance
      WHERE r.starts_at < ${timestamp(to)} AND r.ends_at > ${timestamp(from)}
      GROUP BY r.number
    ), changes AS (
      SELECT kind, starts AS at, amount FROM held UNION ALL SELECT kind, ends, -amount FROM held
    ), samples AS (
      SELECT kind, floor(at / ${step}::float8) AS sample, sum(amount) AS rise,
        sum(amount * ((floor(at / ${step}::float8) + 1) * ${step}::float8 - at)) AS area
      FROM changes GROUP BY 1, 2
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
    // What is held at its start counts for the whole step; changes within it correct that. A shorter last sample is corrected by
    // what ends at `to`.
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
