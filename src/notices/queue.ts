/** Deliveries in the database. All times are the database's. */
import { leasesNamedIn, withLeasesHidden } from '../core/index.ts';
import { type Notice, Prisma, type PrismaClient } from '../store/prisma/client.ts';
import { testTopic } from './webhooks.ts';

/** A delivery that is to be attempted now. */
export interface Delivery {
  readonly number: bigint;
  readonly id: string;
  readonly createdAt: Date;
  readonly webhook: number;
  readonly url: string;
  /** As it is stored. */
  readonly secret: string;
  /** Counts from 1; this attempt included. */
  readonly attempts: number;
  /** Null for a test. As the members of the webhook's project may read it. */
  readonly notice: Notice | null;
}

export interface ClaimLimits {
  /** Deliveries to claim at most. */
  readonly free: number;
  /** Attempts under way per webhook at most. */
  readonly perWebhook: number;
  /** Attempts under way now: webhook -> how many. */
  readonly busy: ReadonlyMap<number, number>;
  /** How long an attempt may take before it counts as lost (ms). */
  readonly lostAfter: number;
}

interface ClaimedRow {
  readonly number: bigint;
  readonly id: string;
  readonly createdAt: Date;
  readonly webhook: number;
  readonly url: string;
  readonly secret: string;
  readonly attempts: number;
  readonly sequence: bigint | null;
  /** Null for a webhook of the whole site. */
  readonly project: number | null;
}

export class DeliveryQueue {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * Takes deliveries that are due. Of one webhook and topic only the oldest that is pending may be attempted, so that
   * they arrive in order; an attempt that is lost with its server becomes due again after `lostAfter`.
   */
  async claim({ free, perWebhook, busy, lostAfter }: ClaimLimits): Promise<readonly Delivery[]> {
    const rows = await this.prisma.$queryRaw<ClaimedRow[]>`
      WITH heads AS (
        SELECT DISTINCT ON (d.webhook_number, d.topic) d.number, d.webhook_number, d.next_attempt_at
        FROM webhook_deliveries d JOIN webhooks w ON w.number = d.webhook_number
        WHERE d.state = 'PENDING' AND (w.state = 'ACTIVE' OR d.topic = ${testTopic})
        ORDER BY d.webhook_number, d.topic, d.number
      ), due AS (
        SELECT number, webhook_number,
          row_number() OVER (PARTITION BY webhook_number ORDER BY number) AS place
        FROM heads WHERE next_attempt_at <= now()
      ), chosen AS (
        SELECT due.number FROM due
          LEFT JOIN unnest(${[...busy.keys()]}::int[], ${[...busy.values()]}::int[]) AS b(webhook, used)
            ON b.webhook = due.webhook_number
        WHERE place <= ${perWebhook}::int - coalesce(used, 0)
        ORDER BY place, due.number LIMIT ${free}::int
      ), claimed AS (
        UPDATE webhook_deliveries d SET attempts = attempts + 1, last_attempt_at = now(),
          next_attempt_at = now() + ${lostAfter}::int * interval '1 millisecond'
        FROM chosen WHERE d.number = chosen.number
        RETURNING d.*
      )
      SELECT c.number, c.id::text, c.created_at AS "createdAt", w.number AS webhook, w.url, w.secret, c.attempts,
        c.notice_sequence AS sequence, w.project_number AS project
      FROM claimed c JOIN webhooks w ON w.number = c.webhook_number ORDER BY c.number`;
    const sequences = rows.flatMap(({ sequence }) => sequence ?? []);
    const notices =
      sequences.length === 0 ? [] : await this.prisma.notice.findMany({ where: { sequence: { in: sequences } } });
    const bySequence = new Map(notices.map((notice) => [notice.sequence, notice]));
    const projects = await this.projectsOfLeasesNamed(rows, bySequence);
    return rows.flatMap(({ sequence, project, ...row }) => {
      const notice = sequence === null ? null : bySequence.get(sequence);
      // Deleted meanwhile, and its delivery with it.
      if (notice === undefined) return [];
      if (notice === null || project === null) return [{ ...row, notice }];
      return [{ ...row, notice: withOthersHidden(notice, project, projects) }];
    });
  }

  /** Of the leases that notices for webhooks of projects name: lease -> its project. */
  private async projectsOfLeasesNamed(
    rows: readonly ClaimedRow[],
    notices: ReadonlyMap<bigint, Notice>,
  ): Promise<ReadonlyMap<number, number | null>> {
    const numbers = rows.flatMap(({ sequence, project }) => {
      const notice = sequence === null || project === null ? undefined : notices.get(sequence);
      return notice ? leasesNamedIn(`${notice.message} ${notice.reasonMessage ?? ''}`) : [];
    });
    if (numbers.length === 0) return new Map();
    const leases = await this.prisma.lease.findMany({
      where: { number: { in: [...new Set(numbers)] } },
      select: { number: true, projectNumber: true },
    });
    return new Map(leases.map(({ number, projectNumber }) => [number, projectNumber]));
  }

  async succeeded({ number, attempts }: Delivery, status: number): Promise<void> {
    await this.prisma.webhookDelivery.updateMany({
      where: { number, attempts, state: 'PENDING' },
      data: { state: 'SUCCEEDED', deliveredAt: new Date(), status, error: null },
    });
  }

  /** Null as `retryIn`: it is not attempted again, since it is a test. */
  async failed(
    { number, attempts }: Delivery,
    status: number | null,
    error: string,
    retryIn: number | null,
  ): Promise<void> {
    const state = retryIn === null ? Prisma.sql`'FAILED'::"DeliveryState"` : Prisma.sql`state`;
    await this.prisma.$executeRaw`
      UPDATE webhook_deliveries SET state = ${state}, status = ${status}::int, error = ${error},
        next_attempt_at = now() + ${Math.round(retryIn ?? 0)}::bigint * interval '1 millisecond'
      WHERE number = ${number} AND attempts = ${attempts} AND state = 'PENDING'`;
  }

  /** An attempt that the server did not finish: it may be made again at once. */
  async released({ number, attempts }: Delivery): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE webhook_deliveries SET attempts = attempts - 1, next_attempt_at = now()
      WHERE number = ${number} AND attempts = ${attempts} AND state = 'PENDING'`;
  }

  async pause(webhook: number, reason: string): Promise<boolean> {
    const { count } = await this.prisma.webhook.updateMany({
      where: { number: webhook, state: 'ACTIVE' },
      data: { state: 'PAUSED', pauseReason: reason, pausedAt: new Date() },
    });
    return count > 0;
  }

  /** For metrics. */
  async counts(): Promise<{ readonly pending: number; readonly paused: number }> {
    const [pending, paused] = await Promise.all([
      this.prisma.webhookDelivery.count({ where: { state: 'PENDING' } }),
      this.prisma.webhook.count({ where: { state: 'PAUSED' } }),
    ]);
    return { pending, paused };
  }

  /** Tests are kept for a day. */
  async deleteOldTests(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM webhook_deliveries
      WHERE notice_sequence IS NULL AND created_at < now() - interval '1 day'`;
  }
}

/** Without the numbers of leases of other projects. */
function withOthersHidden(notice: Notice, project: number, projects: ReadonlyMap<number, number | null>): Notice {
  const { message, reasonMessage } = notice;
  const isHidden = (lease: number): boolean => lease !== notice.leaseNumber && projects.get(lease) !== project;
  return {
    ...notice,
    message: withLeasesHidden(message, isHidden),
    reasonMessage: reasonMessage && withLeasesHidden(reasonMessage, isHidden),
  };
}
