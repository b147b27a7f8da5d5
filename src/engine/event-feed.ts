import type { LeaseEventRecord } from '../core/index.ts';
import type { Store } from './ports.ts';

export interface PublisherOptions {
  readonly store: Pick<Store, 'events' | 'eventRange'>;
  /** How many events the ring keeps. */
  readonly ringSize: number;
  /** How many events are read from the store at a time. */
  readonly pageSize: number;
  /** How many subscribers read from the store at the same time. */
  readonly concurrentReads: number;
  readonly onReplayed: (count: number) => void;
  /** Called with new committed events before subscribers see them; with null when the feed passed events over. */
  readonly onCommitted?: (events: readonly LeaseEventRecord[] | null) => void;
  /** Real time, for the waits after a failed read. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Subscriber {
  /** The last sequence number that was delivered or passed over. */
  readonly cursor: number;
  close(): void;
}

/** The publisher as its subscriptions see it. */
export interface EventFeed {
  readonly options: PublisherOptions;
  /** The newest committed sequence number that is known here. */
  readonly last: number;
  readonly closed: boolean;
  enter(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
  /** The event, if it is in memory. */
  fromRing(sequence: number): LeaseEventRecord | undefined;
  /** Calls back once, at the next event or when the feed closes. Returns how to take that back. */
  onNext(callback: () => void): () => void;
  /** Runs a read of the store, a limited number at a time. */
  reading<T>(read: () => Promise<T>): Promise<T>;
  /** Refuses a sequence number that is older than what is kept. Throws CommandError, StoreError. */
  assertKept(after: number): Promise<void>;
}
