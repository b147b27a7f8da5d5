import type { EventFeed, Sequenced } from './event-feed.ts';
import { isKnownToBeKept, readPage } from './event-pages.ts';

type Result<R> = IteratorResult<R, undefined>;
const done = { done: true, value: undefined } as const;

/**
 * One subscriber: a cursor over the committed events. It is not an async generator because `return()` must immediately
 * end a pending `next()`. It uses nothing of the feed before its first `next()`.
 */
export class Subscription<R extends Sequenced> implements AsyncIterableIterator<R, undefined> {
  /** The last sequence number that was delivered or skipped. */
  cursor: number;
  private page: readonly R[] = [];
  private pageIndex = 0;
  private started = false;
  private checked: boolean;
  private readonly stop = new AbortController();
  private pulling: Promise<unknown> = Promise.resolve();
  private readonly leaseNumber: number | null;
  private readonly signal: AbortSignal | null;

  constructor(
    private readonly feed: EventFeed<R>,
    request: {
      readonly after?: number | null;
      readonly leaseNumber?: number | null;
      readonly signal?: AbortSignal;
    },
  ) {
    this.cursor = request.after ?? feed.last;
    this.checked = isKnownToBeKept(feed, this.cursor);
    this.leaseNumber = request.leaseNumber ?? null;
    this.signal = request.signal ?? null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<R>> {
    const result = this.pulling.then(() => this.pull());
    this.pulling = result.catch(() => {});
    return result;
  }

  return(): Promise<Result<R>> {
    this.close();
    return Promise.resolve(done);
  }

  throw(error: unknown): Promise<Result<R>> {
    this.close();
    return Promise.reject(error);
  }

  /** Ends the subscription and any pending `next()`. */
  readonly close = (): void => {
    if (this.stop.signal.aborted) return;
    this.stop.abort();
    this.page = [];
    this.signal?.removeEventListener('abort', this.close);
    this.feed.leave(this);
  };

  private async pull(): Promise<Result<R>> {
    try {
      if (!this.start()) return done;
      while (!this.stop.signal.aborted) {
        const event = this.fromPage() ?? this.fromRing();
        if (event) return { done: false, value: event };
        if (this.cursor >= this.feed.last && this.checked) await this.news();
        else await this.read();
      }
      return done;
    } catch (error) {
      if (this.stop.signal.aborted) return done;
      this.close();
      throw error;
    }
  }

  private start(): boolean {
    if (this.feed.closed || this.signal?.aborted) this.close();
    if (this.stop.signal.aborted) return false;
    if (!this.started) {
      this.started = true;
      this.signal?.addEventListener('abort', this.close, { once: true });
      this.feed.enter(this);
    }
    return true;
  }

  private fromPage(): R | null {
    const event = this.page[this.pageIndex];
    if (!event) return null;
    this.pageIndex += 1;
    this.cursor = event.sequence;
    if (this.pageIndex === this.page.length) this.page = [];
    return event;
  }

  private fromRing(): R | null {
    if (!this.checked) return null;
    for (let event = this.feed.fromRing(this.cursor + 1); event; event = this.feed.fromRing(this.cursor + 1)) {
      this.cursor = event.sequence;
      if (this.leaseNumber === null || event.leaseId === this.leaseNumber) return event;
    }
    return null;
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.stop;
      const finish = (): void => {
        forget();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const forget = this.feed.onNext(finish);
      signal.addEventListener('abort', finish, { once: true });
    });
  }

  private async read(): Promise<void> {
    const { cursor: after, leaseNumber, checked } = this;
    const limit = this.feed.options.pageSize;
    const { events, upTo } = await readPage(this.feed, { after, leaseNumber, limit }, !checked, this.stop.signal);
    this.checked = true;
    this.page = events;
    this.pageIndex = 0;
    if (events.length === 0) this.cursor = upTo;
  }
}
