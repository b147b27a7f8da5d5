/** Webhooks and their deliveries, without secrets. */
import { Prisma, type Webhook, type WebhookDelivery } from '../../store/prisma/client.ts';
import type { Batch } from './batches.ts';
import { type Connection, connection, type Order, type PageArguments, pageSql, type Window } from './pages.ts';
import { and } from './sql.ts';
import type { Source } from './view.ts';

export type WebhookRow = Omit<Webhook, 'secret'>;
export type DeliveryRow = Omit<WebhookDelivery, 'topic'>;
export type DeliveryStateName = WebhookDelivery['state'];

const webhookOrder: Order<WebhookRow> = {
  name: 'webhooks',
  columns: [{ sql: Prisma.sql`h.number`, kind: 'number', value: ({ number }) => number }],
};

const webhookColumns = Prisma.sql`h.number, h.url, coalesce(h.kinds, '{}')::text[] AS kinds, h.project_number AS "projectNumber", h.owner,
  h.state::text, h.pause_reason AS "pauseReason", h.paused_at AS "pausedAt", h.created_at AS "createdAt"`;

export function pagesOfWebhooks({ prisma, view }: Source, args: PageArguments): Connection<WebhookRow> {
  const read = (window: Window): Promise<WebhookRow[]> => {
    const page = pageSql(webhookOrder, window);
    return prisma.$queryRaw`
      SELECT ${webhookColumns} FROM webhooks h
      WHERE ${and([view.webhooks, ...page.conditions])} ${page.orderAndLimit}`;
  };
  return connection(webhookOrder, args, read, async () => {
    const [row] = await prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM webhooks h WHERE ${and([view.webhooks])}`;
    return row?.count ?? 0;
  });
}

export const webhooksByNumber: Batch<number, WebhookRow> = async ({ prisma, view }, numbers) => {
  const rows = await prisma.$queryRaw<WebhookRow[]>`
    SELECT ${webhookColumns} FROM webhooks h
    WHERE ${and([Prisma.sql`h.number = ANY (${[...numbers]}::int[])`, view.webhooks])}`;
  return new Map(rows.map((row) => [row.number, row]));
};

const deliveryOrder: Order<DeliveryRow> = {
  name: 'deliveries',
  columns: [{ sql: Prisma.sql`d.number`, kind: 'number', value: ({ number }) => Number(number) }],
};

const deliveryColumns = Prisma.sql`d.number, d.id::text, d.webhook_number AS "webhookNumber",
  d.notice_sequence AS "noticeSequence", d.state::text, d.attempts, d.created_at AS "createdAt",
  d.next_attempt_at AS "nextAttemptAt", d.last_attempt_at AS "lastAttemptAt", d.delivered_at AS "deliveredAt",
  d.status, d.error`;

/** For a webhook already read, which is visible. */
export function pagesOfDeliveries(
  { prisma }: Source,
  webhook: number,
  states: readonly DeliveryStateName[] | null,
  args: PageArguments,
): Connection<DeliveryRow> {
  const conditions = [
    Prisma.sql`d.webhook_number = ${webhook}`,
    states && Prisma.sql`d.state = ANY (${[...new Set(states)]}::text[]::"DeliveryState"[])`,
  ];
  const read = (window: Window): Promise<DeliveryRow[]> => {
    const page = pageSql(deliveryOrder, window);
    return prisma.$queryRaw`
      SELECT ${deliveryColumns} FROM webhook_deliveries d
      WHERE ${and([...conditions, ...page.conditions])} ${page.orderAndLimit}`;
  };
  return connection(deliveryOrder, args, read, async () => {
    const [row] = await prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM webhook_deliveries d WHERE ${and(conditions)}`;
    return row?.count ?? 0;
  });
}

export const deliveriesByNumber: Batch<number, DeliveryRow> = async ({ prisma, view }, numbers) => {
  const rows = await prisma.$queryRaw<DeliveryRow[]>`
    SELECT ${deliveryColumns} FROM webhook_deliveries d JOIN webhooks h ON h.number = d.webhook_number
    WHERE ${and([Prisma.sql`d.number = ANY (${[...numbers]}::bigint[])`, view.webhooks])}`;
  return new Map(rows.map((row) => [Number(row.number), row]));
};
