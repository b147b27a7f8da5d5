/**
 * Delivers notices to webhooks: on the writer only, beside the scheduler, from what is in the database. Each delivery
 * is repeated until it succeeds, so that it arrives at least once; those of one lease follow each other.
 */
import type { Logger } from 'pino';
import { backoff, linkedController, sharedController, Wake } from '../engine/async.ts';
import type { AddressRules } from './addresses.ts';
import { bodyOf } from './body.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { Delivery, DeliveryQueue } from './queue.ts';
import type { SecretBox } from './secret-box.ts';
import { send } from './send.ts';

export interface DeliverySettings {
  readonly allowHttp: boolean;
  /** For one attempt (ms). */
  readonly timeout: number;
  /** Before the second attempt (ms); doubled before each further one, up to `maxRetryDelay`. */
  readonly retryDelay: number;
  readonly maxRetryDelay: number;
  /** Attempts of one delivery after which its webhook is paused. */
  readonly maxAttempts: number;
  /** Attempts at the same time. */
  readonly concurrency: number;
  /** The same for one webhook. */
  readonly concurrencyPerWebhook: number;
}

export interface DelivererOptions {
  readonly queue: DeliveryQueue;
  readonly addresses: AddressRules;
  readonly secrets: SecretBox;
  readonly settings: DeliverySettings;
  /** The name of the site. */
  readonly site: string;
  readonly isWriter: () => boolean;
  readonly log: Logger;
  readonly metrics: DeliveryMetrics;
}

/** How often the database is asked for what is due (ms). */
const pollInterval = 1_000;
/** How often the metrics are read, and old tests deleted (ms). */
const housekeepingInterval = 15_000;
/** How long attempts that are under way have to end when the server stops (ms). */
const stopTimeout = 1_000;
/** An attempt counts as lost so long after its time limit (ms). */
const lostMargin = 10_000;
/** A receiver that wants no more deliveries. */
const gone = 410;

export class Deliverer {
  private readonly stopping = sharedController();
  private readonly cutting = sharedController();
  private readonly wakeUp = new Wake();
  private readonly underWay = new Map<bigint, Promise<void>>();
  private readonly busy = new Map<number, number>();
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: DelivererOptions) {}

  start(): void {
    this.running = Promise.all([this.run(), this.keepHouse()]);
  }

  /** There may be something to deliver. */
  wake(): void {
    this.wakeUp.notify();
  }

  /** Attempts that do not end soon are cut off, and made again by the next writer. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    const cut = setTimeout(() => this.cutting.abort(), stopTimeout);
    await Promise.all(this.underWay.values());
    clearTimeout(cut);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const started = this.options.isWriter() ? await this.startDue() : 0;
      if (started === 0) await this.pause(pollInterval);
    }
  }

  /** How many deliveries were taken. Never rejects. */
  private async startDue(): Promise<number> {
    const { log, queue, settings } = this.options;
    const free = settings.concurrency - this.underWay.size;
    if (free <= 0) return 0;
    try {
      const deliveries = await queue.claim({
        free,
        perWebhook: settings.concurrencyPerWebhook,
        busy: this.busy,
        lostAfter: settings.timeout + lostMargin,
      });
      for (const delivery of deliveries) this.begin(delivery);
      return deliveries.length;
    } catch (error) {
      log.warn({ err: error }, 'deliveries to webhooks could not be read');
      return 0;
    }
  }

  private begin(delivery: Delivery): void {
    const { number, webhook } = delivery;
    this.busy.set(webhook, (this.busy.get(webhook) ?? 0) + 1);
    const attempt = this.attempt(delivery)
      .catch((error: unknown) =>
        this.options.log.warn({ err: error, webhook }, 'the outcome of a delivery could not be recorded'),
      )
      .finally(() => {
        this.underWay.delete(number);
        const left = (this.busy.get(webhook) ?? 1) - 1;
        if (left > 0) this.busy.set(webhook, left);
        else this.busy.delete(webhook);
        this.wake();
      });
    this.underWay.set(number, attempt);
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const { addresses, metrics, queue, secrets, settings, site } = this.options;
    const { id, notice, url } = delivery;
    const secret = secrets.open(delivery.secret);
    const begun = performance.now();
    const answer = await send(
      { id, secret, url, kind: notice?.kind ?? 'TEST', body: bodyOf(delivery, site) },
      { addresses, allowHttp: settings.allowHttp, timeout: settings.timeout, signal: this.cutting.signal },
    );
    if (this.cutting.signal.aborted && 'error' in answer) return queue.released(delivery);
    const status = 'status' in answer ? answer.status : null;
    const isDelivered = status !== null && status >= 200 && status < 300;
    metrics.attempt(isDelivered ? 'succeeded' : 'failed', (performance.now() - begun) / 1_000);
    if (isDelivered) return queue.succeeded(delivery, status);
    return this.failed(delivery, status, 'error' in answer ? answer.error : errorOf(answer.status));
  }

  private async failed(delivery: Delivery, status: number | null, error: string): Promise<void> {
    const { log, metrics, queue, settings } = this.options;
    const { attempts, id, notice, webhook } = delivery;
    // Further attempts of the same delivery fail for the same reason mostly.
    const level = attempts === 1 ? 'warn' : 'info';
    log[level]({ webhook, delivery: id, attempts, status, error }, 'a delivery to a webhook failed');
    if (notice === null) return queue.failed(delivery, status, error, null);
    if (attempts >= settings.maxAttempts || status === gone) {
      // First, so that the delivery is not tried once more.
      const what = attempts === 1 ? 'once' : `${attempts} times`;
      const reason = `The delivery of notice ${notice.sequence} failed ${what}. ${error}`;
      if (await queue.pause(webhook, reason)) {
        metrics.paused();
        log.warn({ webhook, reason }, 'a webhook is paused');
      }
    }
    const retryIn = backoff(attempts, settings.retryDelay, settings.maxRetryDelay);
    await queue.failed(delivery, status, error, retryIn);
  }

  private async keepHouse(): Promise<void> {
    const { isWriter, log, metrics, queue } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if (isWriter()) {
          metrics.counts(await queue.counts());
          await queue.deleteOldTests();
        } else metrics.counts({ pending: 0, paused: 0 });
      } catch (error) {
        log.debug({ err: error }, 'deliveries to webhooks could not be counted');
      }
      using over = linkedController(signal);
      const timer = setTimeout(() => over.abort(), housekeepingInterval);
      await aborted(over.signal);
      clearTimeout(timer);
    }
  }

  /** Until it is woken, for so long at most. */
  private async pause(duration: number): Promise<void> {
    using over = linkedController(this.stopping.signal);
    const timer = setTimeout(() => over.abort(), duration);
    await this.wakeUp.wait(over.signal);
    clearTimeout(timer);
  }
}

function errorOf(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `The answer was ${status}${isRedirect ? '; redirects are not followed' : ''}.`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
