import type { Store } from './ports.ts';

/** An item in a gapless sequence: an event or a notice. */
export interface Sequenced {
  readonly sequence: number;
  /** The lease it concerns. */
  readonly leaseId: number | null;
}

/** The store from which items are read that are no longer in memory. */
export interface SequenceSource<R extends Sequenced> {
  /** At most `limit` items after a sequence number, ascending. */
  events(after: number, limit: number, leaseNumber?: number | null): Promise<readonly R[]>;
  /** The stored range; null when empty. */
  eventRange: Store['eventRange'];
}

export interface PublisherOptions<R extends Sequenced> {
  readonly store: SequenceSource<R>;
  /** What it publishes, for use in messages. */
  readonly noun: 'events' | 'notices';
  /** Number of events in the ring. */
  readonly ringSize: number;
  /** Events per read of the store. */
  readonly pageSize: number;
  /** Maximum number of subscribers that read from the store at the same time. */
  readonly concurrentReads: number;
  readonly onReplayed: (count: number) => void;
  /** Called with new committed events before subscribers see them, and with null when events were skipped. */
  onCommitted?(events: readonly R[] | null): void;
  /** Real time, for the delay after a failed read. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Subscriber {
  /** The last sequence number that was delivered or skipped. */
  readonly cursor: number;
  close(): void;
}

/** The interface of the publisher for subscriptions. */
export interface EventFeed<R extends Sequenced> {
  readonly options: PublisherOptions<R>;
  /** The newest known committed sequence number. */
  readonly last: number;
  readonly closed: boolean;
  enter(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
  /** The event, if it is in memory. */
  fromRing(sequence: number): R | undefined;
  /** Calls back once, at the next event or when the feed closes. Returns a function that cancels the callback. */
  onNext(callback: () => void): () => void;
  /** Reads from the store, with limited concurrency. */
  reading<T>(read: () => Promise<T>): Promise<T>;
  /** Rejects a sequence number older than the stored range. Throws CommandError, StoreError. */
  assertKept(after: number): Promise<void>;
}
