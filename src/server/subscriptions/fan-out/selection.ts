import type { FeedRecord } from '../../../api/index.ts';
import type { Feed } from '../../../engine/ports.ts';
import { Batch, type Frame } from './batch.ts';
import type { Beat } from './beat.ts';
import type { FanOutMetrics } from './metrics.ts';

/** A subscription as its selection sees it. */
export interface Subscriber {
  /** The last sequence number that it has received or that did not match. */
  readonly cursor: number;
  /** Delivers the missing part of a batch. Returns false if it cannot accept more now. */
  deliver(batch: Batch): boolean;
  /** Ends it with the error in the batch. */
  fail(batch: Batch): void;
}

export interface SelectionOptions<R extends FeedRecord> {
  readonly feed: Pick<Feed<R>, 'page'>;
  readonly metrics: FanOutMetrics;
  /** Null: events of all leases. */
  readonly leaseNumber: number | null;
  /** Results of the matching events, in order. */
  readonly execute: (events: readonly R[]) => Promise<readonly Frame[]>;
  /** The result that ends a subscription with an error. */
  readonly executeFailure: (error: unknown) => Promise<string>;
  /** Schedules the joint delivery of pending events. */
  readonly beat: Beat;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  /** Runs reads for subscribers that are behind, with limited concurrency and in order. */
  readonly takeTurn: <T>(read: () => Promise<T>) => Promise<T>;
}

/** Maximum time of writing to subscribers before yielding (ms). */
const sliceLength = 5;
/** Page size for subscribers that are behind. */
const pageSize = 100;
/** How long the results of a page may be shared (ms); they are never older than this. */
const pageLifetime = 1_000;

/** Subscriptions with equal selections: each event is executed and serialized once for all of them. */
export class Selection<R extends FeedRecord = FeedRecord> {
  /** All subscribers, including those that are behind. */
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
    /** Everything up to here has been or is being delivered to those in `live`. */
    private position: number,
  ) {}

  /** Events waiting for delivery. */
  get waiting(): number {
    return this.pending.length;
  }

  get isStopping(): boolean {
    return this.options.signal.aborted;
  }

  /** Whether an event with this number is known here. (Another process may know of later ones.) */
  hasReached(cursor: number): boolean {
    return cursor <= (this.pending.at(-1)?.sequence ?? this.position);
  }

  /** Returns false if the subscriber is behind and must read first. */
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

  /** Results after a sequence number, shared by concurrent readers. */
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
    // Pages end at multiples of the page size, so that subscribers with different starts come to share them.
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
    // A subscriber that joins from now on does not need the flushed events.
    this.position = events.at(-1)?.sequence ?? this.position;
    const { leaseNumber } = this.options;
    const selected = leaseNumber === null ? events : events.filter(({ leaseId }) => leaseId === leaseNumber);
    try {
      const batch = await this.execute(selected, this.position);
      await this.deliver(batch);
      this.options.metrics.fannedOut((performance.now() - since) / 1_000);
    } catch (error) {
      if (!this.isStopping) await this.fail(error);
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
      // A subscriber that cannot accept more returns to reading when it can.
      if (!subscriber.deliver(batch)) this.live.delete(subscriber);
      if (performance.now() - started < sliceLength) continue;
      await new Promise((resolve) => setImmediate(resolve));
      started = performance.now();
    }
  }
}
