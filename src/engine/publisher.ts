/**
 * Publishes committed events or notices to subscribers. All subscribers share one bounded ring of the newest events,
 * and each holds a cursor into it. A subscriber that falls behind the ring reads from the store until it has caught up:
 * no subscriber is dropped or blocks another, and memory does not grow with their number. Sequence numbers have no
 * gaps, so the transition is exact.
 */
import { Semaphore } from './async.ts';
import type { EventFeed, PublisherOptions, Sequenced, SequenceSource, Subscriber } from './event-feed.ts';
import { eventPage, type PageRequest } from './event-pages.ts';
import { CommandError, type Feed, type NoticeRecord, type Page, type Store } from './ports.ts';
import { Subscription } from './subscription.ts';

export class Publisher<R extends Sequenced> implements EventFeed<R>, Feed<R> {
  /** The newest known committed sequence number. */
  private newest = 0;
  /** Events `newest - ring.length + 1` to `newest`; up to twice the ring's size, to trim rarely. */
  private ring: R[] = [];
  private readonly waiters = new Set<() => void>();
  private readonly active = new Set<Subscriber>();
  private readonly readers: Semaphore;
  closed = false;

  constructor(readonly options: PublisherOptions<R>) {
    this.readers = new Semaphore(options.concurrentReads);
  }

  get last(): number {
    return this.newest;
  }

  get subscribers(): number {
    return this.active.size;
  }

  /** Events between the slowest subscriber and the newest event. */
  get lag(): number {
    let lag = 0;
    for (const subscription of this.active) lag = Math.max(lag, this.newest - subscription.cursor);
    return lag;
  }

  /** Adds committed events, ascending. Known events are ignored; after a gap the ring is reset. */
  append(events: readonly R[]): void {
    const fresh = events.filter((event) => event.sequence > this.newest);
    const first = fresh[0];
    const last = fresh.at(-1);
    if (!first || !last) return;
    if (first.sequence !== this.newest + 1) this.ring = [];
    for (const event of fresh) this.ring.push(event);
    this.newest = last.sequence;
    this.options.onCommitted?.(fresh);
    const { ringSize } = this.options;
    if (this.ring.length > 2 * ringSize) this.ring.splice(0, this.ring.length - ringSize);
    this.wake();
  }

  /** Whether the ring holds such an event after a sequence number. */
  hasSince(after: number, isMeant: (event: R) => boolean): boolean {
    for (let sequence = Math.max(after, this.newest - this.ring.length) + 1; ; sequence += 1) {
      const event = this.fromRing(sequence);
      if (!event) return false;
      if (isMeant(event)) return true;
    }
  }

  /** The store holds events up to this one; subscribers read events missing from the ring there. */
  skipTo(sequence: number): void {
    if (sequence <= this.newest) return;
    this.ring = [];
    this.newest = sequence;
    this.options.onCommitted?.(null);
    this.wake();
  }

  /** Reads what another process has committed. Throws StoreError. */
  async catchUp(): Promise<void> {
    const { store, pageSize } = this.options;
    for (;;) {
      const events = await store.events(this.newest, pageSize);
      this.append(events);
      if (events.length < pageSize) return;
    }
  }

  subscribe(request: {
    readonly after?: number | null;
    readonly leaseNumber?: number | null;
    readonly signal?: AbortSignal;
  }): Subscription<R> {
    return new Subscription(this, request);
  }

  page(request: PageRequest, signal: AbortSignal): Promise<Page<R>> {
    return eventPage(this, request, signal);
  }

  /** Ends all subscriptions. */
  close(): void {
    this.closed = true;
    for (const subscription of [...this.active]) subscription.close();
    this.wake();
  }

  // ------------------------------------------------------------ EventFeed

  enter(subscription: Subscriber): void {
    this.active.add(subscription);
  }

  leave(subscription: Subscriber): void {
    this.active.delete(subscription);
  }

  /** The event, if it is in the ring. */
  fromRing(sequence: number): R | undefined {
    return this.ring[sequence - (this.newest - this.ring.length + 1)];
  }

  /** Calls back once, at the next event or when the publisher closes. Returns a function that cancels the callback. */
  onNext(callback: () => void): () => void {
    this.waiters.add(callback);
    return () => this.waiters.delete(callback);
  }

  /** Reads from the store, with limited concurrency. */
  reading<T>(read: () => Promise<T>): Promise<T> {
    return this.readers.run(read);
  }

  /** Rejects a sequence number older than the stored range. Throws CommandError, StoreError. */
  async assertKept(after: number): Promise<void> {
    const range = await this.options.store.eventRange();
    const oldest = range?.oldest ?? this.newest + 1;
    if (after + 1 >= oldest) return;
    throw new CommandError(
      'EVENTS_EXPIRED',
      `The ${this.options.noun} after ${after} are requested, but the oldest that is kept is ${oldest}. Read the present state, then subscribe after ${oldest - 1} or later.`,
      ['after'],
    );
  }

  private wake(): void {
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const waiter of waiters) waiter();
  }
}

/** The notice store as a publisher reads it. */
export function noticesOf(store: Pick<Store, 'notices' | 'noticeRange'>): SequenceSource<NoticeRecord> {
  return {
    events: (after, limit) => store.notices(after, limit),
    eventRange: () => store.noticeRange(),
  };
}
