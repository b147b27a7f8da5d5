import type { LeaseEventRecord } from '../core/index.ts';
import { backoff, raceAbort } from './async.ts';
import type { EventFeed } from './event-feed.ts';
import { CommandError, StoreError } from './ports.ts';

type Result = IteratorResult<LeaseEventRecord, undefined>;
const done: Result = { done: true, value: undefined };

/**
 * One subscriber: a cursor over the committed events. Written by hand rather than as an async generator, since `return()` must end a
 * `next()` that is waiting, at once. It takes nothing of the feed before its first `next()`.
 */
export class Subscription implements AsyncIterableIterator<LeaseEventRecord, undefined> {
  /** The last sequence number that was delivered or passed over. */
  cursor: number;
  private page: readonly LeaseEventRecord[] = [];
  private pageIndex = 0;
  private started = false;
  private checked: boolean;
  private readonly stop = new AbortController();
  private pulling: Promise<unknown> = Promise.resolve();
  private readonly leaseNumber: number | null;
  private readonly signal: AbortSignal | null;

  constructor(
    private readonly feed: EventFeed,
    request: {
      readonly after?: number | null;
      readonly leaseNumber?: number | null;
      readonly signal?: AbortSignal;
    },
  ) {
    this.cursor = request.after ?? feed.last;
    // Where it begins is known to be kept when that is now, or in the ring.
    this.checked = this.cursor === feed.last || feed.fromRing(this.cursor + 1) !== undefined;
    this.leaseNumber = request.leaseNumber ?? null;
    this.signal = request.signal ?? null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const result = this.pulling.then(() => this.pull());
    this.pulling = result.catch(() => {});
    return result;
  }

  return(): Promise<Result> {
    this.close();
    return Promise.resolve(done);
  }

  throw(error: unknown): Promise<Result> {
    this.close();
    return Promise.reject(error);
  }

  /** Ends the subscription; a `next()` that waits is answered with the end. */
  readonly close = (): void => {
    if (this.stop.signal.aborted) return;
    this.stop.abort();
    this.page = [];
    this.signal?.removeEventListener('abort', this.close);
    this.feed.leave(this);
  };

  private async pull(): Promise<Result> {
    try {
      if (!this.start()) return done;
      for (let attempt = 0; !this.stop.signal.aborted; ) {
        const event = this.fromPage() ?? this.fromRing();
        if (event) return { done: false, value: event };
        if (this.cursor >= this.feed.last && this.checked) {
          await this.news();
          continue;
        }
        try {
          await this.untilStopped(this.feed.reading(() => this.readPage()));
          attempt = 0;
        } catch (error) {
          if (this.stop.signal.aborted) return done;
          if (!(error instanceof StoreError) || error.kind === 'PERMANENT') throw error;
          // The database is out of reach: the subscriber's place is known, so it simply takes longer.
          attempt += 1;
          await this.feed.options.sleep(backoff(attempt, 100, 2_000), this.stop.signal);
        }
      }
      return done;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** A read that hangs does not hold up the end of the subscription. */
  private untilStopped<T>(work: Promise<T>): Promise<T> {
    return raceAbort(work, this.stop.signal, () => new Error('the subscription has ended'));
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

  private fromPage(): LeaseEventRecord | null {
    const event = this.page[this.pageIndex];
    if (!event) return null;
    this.pageIndex += 1;
    this.cursor = event.sequence;
    if (this.pageIndex === this.page.length) this.page = [];
    return event;
  }

  private fromRing(): LeaseEventRecord | null {
    if (!this.checked) return null;
    for (
      let event = this.feed.fromRing(this.cursor + 1);
      event;
      event = this.feed.fromRing(this.cursor + 1)
    ) {
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

  private async readPage(): Promise<void> {
    if (this.stop.signal.aborted) return;
    const { store, pageSize, onReplayed } = this.feed.options;
    const after = this.cursor;
    // All events up to here are in the store: an empty page means that none of them is for this subscriber.
    const known = this.feed.last;
    const events = await store.events(after, pageSize, this.leaseNumber);
    // Read first, checked afterwards: events may be deleted at any time, but never come back.
    if (events[0]?.sequence !== after + 1) await this.feed.assertKept(after);
    if (!this.checked) await this.assertNotAhead(after, events);
    this.checked = true;
    if (this.stop.signal.aborted) return;
    onReplayed(events.length);
    this.page = events;
    this.pageIndex = 0;
    if (events.length === 0) this.cursor = Math.max(after, known);
  }

  private async assertNotAhead(after: number, events: readonly LeaseEventRecord[]): Promise<void> {
    if (events.length > 0 || after <= this.feed.last) return;
    const newest = (await this.feed.options.store.eventRange())?.newest ?? this.feed.last;
    if (after <= newest) return;
    throw new CommandError(
      'INVALID_REQUEST',
      `Events after ${after} are asked for, but the newest has sequence number ${Math.max(newest, this.feed.last)}.`,
      ['after'],
    );
  }
}
