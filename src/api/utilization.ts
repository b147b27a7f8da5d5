import type { Instant, Millis } from '../core/index.ts';
import type { PrismaClient, ReservationKind } from '../store/prisma/client.ts';
import { builder } from './builder.ts';
import { badInput, shown } from './client-error.ts';
import { intervalOf } from './interval.ts';
import { timestamp } from './sql.ts';

/** The largest number of samples that one question may have. */
export const mostSamples = 10_000;

type Share = 'used' | 'suspending' | 'resuming' | 'shuttingDown';

const shareOf: Partial<Record<ReservationKind, Share>> = {
  VM: 'used',
  SUSPENSION: 'suspending',
  RESUMPTION: 'resuming',
  SHUTDOWN: 'shuttingDown',
};

const shares = ['used', 'suspending', 'resuming', 'shuttingDown'] as const satisfies readonly Share[];

type Sample = { readonly start: Instant; readonly end: Instant; readonly free: number } & Readonly<
  Record<Share, number>
>;

const UtilizationSample = builder.objectRef<Sample>('UtilizationSample').implement({
  description: "Shares of the site's capacity, 0 to 1, on average over [start, end).",
  fields: (t) => ({
    start: t.field({ type: 'DateTime', description: 'Its first instant.', resolve: ({ start }) => start }),
    end: t.field({ type: 'DateTime', description: 'The first instant after it.', resolve: ({ end }) => end }),
    used: t.exposeFloat('used', { description: 'Held by running machines.' }),
    suspending: t.exposeFloat('suspending', { description: 'Held by machines that are being suspended.' }),
    resuming: t.exposeFloat('resuming', { description: 'Held by machines that are being resumed.' }),
    shuttingDown: t.exposeFloat('shuttingDown', { description: 'Held by machines that shut down.' }),
    free: t.exposeFloat('free', { description: 'Not held.' }),
  }),
});

builder.queryField('utilization', (t) =>
  t.field({
    type: [UtilizationSample],
    description: `How far the site's capacity of one resource was used, and is planned to be used, over time. At most ${mostSamples} samples.`,
    args: {
      resource: t.arg.string({ defaultValue: 'CPU', description: 'The type of resource.' }),
      from: t.arg({ type: 'DateTime', required: true, description: 'Where the first sample starts.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'Where the last sample ends.' }),
      step: t.arg({
        type: 'Duration',
        required: true,
        description: 'How long a sample is (the last may be shorter).',
      }),
    },
    resolve: (_root, { resource, from, to, step }, { services: { prisma, site } }) => {
      const type = resource ?? 'CPU';
      if (!site.resourceTypes.includes(type)) {
        throw badInput(`resource: the site has no ${shown(type)}. It has ${site.resourceTypes.join(', ')}.`);
      }
      intervalOf(from, to);
      if (step === 0) throw badInput('step: a duration of more than nothing is needed.');
      const samples = Math.ceil((to - from) / step);
      if (samples > mostSamples) {
        throw badInput(
          `That would be ${samples} samples; at most ${mostSamples} are given. Use a longer step or a shorter interval.`,
        );
      }
      return utilization(prisma, type, { from, to, step });
    },
  }),
);

/** What changes within one sample. */
interface Change {
  readonly kind: ReservationKind;
  readonly sample: number;
  /** By how much more is held at its end than at its start. */
  readonly rise: number;
  /** Amount times milliseconds that the changes add within it. */
  readonly area: number;
}

/** Reservations are summed up sample by sample in the database, so that the answer does not grow with their number. */
async function utilization(
  prisma: PrismaClient,
  type: string,
  { from, to, step }: { readonly from: Instant; readonly to: Instant; readonly step: Millis },
): Promise<Sample[]> {
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
    if (row.kind !== null) changes.set(row.sample, [...(changes.get(row.sample) ?? []), row]);
  }
  const level = { used: 0, suspending: 0, resuming: 0, shuttingDown: 0 };
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => {
    const start = from + index * step;
    const end = Math.min(start + step, to);
    // Held when it begins, over the whole step; a last sample that is shorter is put right by what ends at `to`.
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
  });
}
