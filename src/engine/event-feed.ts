import type { Store } from './ports.ts';

/** What has a place in a sequence without gaps: events, notices. */
export interface Sequenced {
  readonly sequence: number;
  /** The lease that it is about. */
  readonly leaseId: number | null;
}

/** Where what is no longer in memory is read. */
export interface SequenceSource<R extends Sequenced> {
  /** Ascending, after a sequence number, at most `limit`. */
  events(after: number, limit: number, leaseNumber?: number | null): Promise<readonly R[]>;
  /** What is kept; null for nothing. */
  eventRange: Store['eventRange'];
}

export interface PublisherOptions<R extends Sequenced> {
  readonly store: SequenceSource<R>;
  /** What it publishes, for messages. */
  readonly noun: 'events' | 'notices';
  /** How many events the ring keeps. */
  readonly ringSize: number;
  /** Events per read of the store. */
  readonly pageSize: number;
  /** How many subscribers read from the store at the same time. */
  readonly concurrentReads: number;
  readonly onReplayed: (count: number) => void;
  /** Called with new committed events before subscribers see them; with null when the feed passed events over. */
  onCommitted?(events: readonly R[] | null): void;
  /** Real time, for the waits after a failed read. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Subscriber {
  /** The last sequence number that was delivered or passed over. */
  readonly cursor: number;
  close(): void;
}

/** The publisher as its subscriptions see it. */
export interface EventFeed<R extends Sequenced> {
  readonly options: PublisherOptions<R>;
  /** The newest committed sequence number that is known here. */
  readonly last: number;
  readonly closed: boolean;
  enter(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
  /** The event, if it is in memory. */
  fromRing(sequence: number): R | undefined;
  /** Calls back once, at the next event or when the feed closes. Returns how to take that back. */
  onNext(callback: () => void): () => void;
  /** Runs a read of the store; the number of concurrent reads is limited. */
  reading<T>(read: () => Promise<T>): Promise<T>;
  /** Refuses a sequence number that is older than what is kept. Throws CommandError, StoreError. */
  assertKept(after: number): Promise<void>;
}
