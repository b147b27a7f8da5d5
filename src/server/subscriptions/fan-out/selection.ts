import type { FeedRecord } from '../../../api/index.ts';
import type { Feed } from '../../../engine/ports.ts';
import { Batch, type Frame } from './batch.ts';
import type { Beat } from './beat.ts';
import type { FanOutMetrics } from './metrics.ts';

/** A subscription as its selection sees it. */
export interface Subscriber {
  /** The last sequence number that it has received or that did not concern it. */
  readonly cursor: number;
  /** Gives it what it lacks of a batch. False when it cannot take more at present. */
  deliver(batch: Batch): boolean;
  /** Ends it with the error in the batch. */
  fail(batch: Batch): void;
}

export interface SelectionOptions<R extends FeedRecord> {
  readonly feed: Pick<Feed<R>, 'page'>;
  readonly metrics: FanOutMetrics;
  /** Null: events of all leases. */
  readonly leaseNumber: number | null;
  /** The results of those of the events that the subscription shows, in their order. */
  readonly execute: (events: readonly R[]) => Promise<readonly Frame[]>;
  /** The result that ends a subscription with an error. */
  readonly executeFailure: (error: unknown) => Promise<string>;
  /** When events that have come meanwhile are delivered together. */
  readonly beat: Beat;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  /** Runs reads for those that are behind, a few at a time and in the order in which they ask. */
  readonly takeTurn: <T>(read: () => Promise<T>) => Promise<T>;
}

/** How long writing to subscribers may go on before other work has its turn (ms). */
const sliceLength = 5;
/** How many events are executed at once for those that are behind. */
const pageSize = 100;
/** How long the results of a page may be given to others (ms). What they show is no older than this. */
const pageLifetime = 1_000;

/** Subscriptions that select the same: each event is executed and serialized once for all of them. */
export class Selection<R extends FeedRecord = FeedRecord> {
  /** All of them, also those that are behind. */
  readonly subscribers = new Set<Subscriber>();
  /** Those that have received everything up to `position`. */
  private readonly live = new Set<Subscriber>();
  private pending: R[] = [];
  private pendingSince = 0;
  private readonly pages = new Map<number, Promise<Batch>>();
  private scheduled = false;
  private flushing = false;

  constructor(
    private readonly options: SelectionOptions<R>,
    /** Everything up to here has been given, or is just being given, to those in `live`. */
    private position: number,
  ) {}

  /** Events that wait to be delivered. */
  get waiting(): number {
    return this.pending.length;
  }

  /** False when the subscriber is behind and has to read first. */
  join(subscriber: Subscriber): boolean {
    if (subscriber.cursor < this.position) return false;
    this.live.add(subscriber);
    return true;
  }

  leave(subscriber: Subscriber): void {
    this.live.delete(subscriber);
    this.subscribers.delete(subscriber);
    if (this.subscribers.size === 0) this.pending = [];
  }

  /** An event that has just been committed. */
  push(event: R): void {
    if (this.live.size === 0) {
      this.position = event.sequence;
      return;
    }
    if (this.pending.length === 0) this.pendingSince = performance.now();
    this.pending.push(event);
    this.schedule();
  }

  /** Ends all subscriptions with an error. */
  async fail(error: unknown): Promise<void> {
    const subscribers = [...this.subscribers];
    const batch = await this.failure(error);
    for (const subscriber of subscribers) subscriber.fail(batch);
  }

  async failure(error: unknown): Promise<Batch> {
    return new Batch([{ sequence: null, payload: await this.options.executeFailure(error) }], 0);
  }

  /** The results after a sequence number, shared by those who ask at the same time. */
  page(after: number): Promise<Batch> {
    const known = this.pages.get(after);
    this.options.metrics.page(known ? 'shared' : 'read');
    if (known) return known;
    const page = this.options.takeTurn(() => this.readPage(after));
    this.pages.set(after, page);
    const forget = (): unknown => this.pages.delete(after);
    page.then(() => setTimeout(forget, pageLifetime).unref(), forget);
    return page;
  }

  private async readPage(after: number): Promise<Batch> {
    const { feed, leaseNumber, signal } = this.options;
    // Pages end at round numbers, so that subscribers that began in different places come to share them.
    const limit = pageSize - (after % pageSize);
    const { events, upTo } = await feed.page({ after, leaseNumber, limit }, signal);
    return this.execute(events, upTo);
  }

  private schedule(): void {
    if (this.flushing || this.scheduled) return;
    this.scheduled = true;
    this.options.beat.next(() => {
      this.scheduled = false;
      void this.flush();
    });
  }

  private async flush(): Promise<void> {
    if (this.pending.length === 0) return;
    this.flushing = true;
    const events = this.pending;
    const since = this.pendingSince;
    this.pending = [];
    // A subscriber that joins from now on needs nothing of what is flushed.
    this.position = events.at(-1)?.sequence ?? this.position;
    const { leaseNumber } = this.options;
    const selected = leaseNumber === null ? events : events.filter(({ leaseId }) => leaseId === leaseNumber);
    try {
      const batch = await this.execute(selected, this.position);
      await this.deliver(batch);
      this.options.metrics.fannedOut((performance.now() - since) / 1_000);
    } catch (error) {
      await this.fail(error);
    } finally {
      this.flushing = false;
      if (this.pending.length > 0) this.schedule();
    }
  }

  private async execute(events: readonly R[], upTo: number): Promise<Batch> {
    const frames = events.length === 0 ? [] : await this.options.execute(events);
    this.options.metrics.executed(frames.length);
    return new Batch(frames, upTo);
  }

  private async deliver(batch: Batch): Promise<void> {
    let started = performance.now();
    for (const subscriber of this.live) {
      // One that cannot take more goes back to reading, when it can.
      if (!subscriber.deliver(batch)) this.live.delete(subscriber);
      if (performance.now() - started < sliceLength) continue;
      await new Promise((resolve) => setImmediate(resolve));
      started = performance.now();
    }
  }
}
