import type { Notice } from '../../store/prisma/client.ts';
import type { Batches } from './batches.ts';
import { type NoticeFilter, noticesBySequence, pagesOfNotices } from './notices.ts';
import type { Connection, PageArguments } from './pages.ts';
import type { Source } from './view.ts';
import {
  type DeliveryRow,
  type DeliveryStateName,
  deliveriesByNumber,
  pagesOfDeliveries,
  pagesOfWebhooks,
  type WebhookRow,
  webhooksByNumber,
} from './webhooks.ts';

/** Readers of notices and webhooks. */
export class NoticeReaders {
  constructor(
    private readonly source: Source,
    private readonly batches: Batches,
  ) {}

  pages(filter: NoticeFilter, page: PageArguments): Connection<Notice> {
    return pagesOfNotices(this.source, filter, page);
  }

  notice(sequence: number): Promise<Notice | undefined> {
    return this.batches.load(noticesBySequence, sequence);
  }

  webhooks(page: PageArguments): Connection<WebhookRow> {
    return pagesOfWebhooks(this.source, page);
  }

  webhook(number: number): Promise<WebhookRow | undefined> {
    return this.batches.load(webhooksByNumber, number);
  }

  deliveries(
    { number }: WebhookRow,
    states: readonly DeliveryStateName[] | null,
    page: PageArguments,
  ): Connection<DeliveryRow> {
    return pagesOfDeliveries(this.source, number, states, page);
  }

  delivery(number: number): Promise<DeliveryRow | undefined> {
    return this.batches.load(deliveriesByNumber, number);
  }
}
