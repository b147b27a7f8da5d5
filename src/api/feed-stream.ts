import type { Instant } from '../core/index.ts';
import type { Feed, LeaseEventRecord, LeaseService } from '../engine/ports.ts';
import { type ApiContext, readAgain } from './context.ts';
import { clientError } from './errors.ts';
import type { Readers } from './read/readers.ts';

/** What has a sequence number and an instant: events, notices. */
export interface FeedRecord {
  readonly sequence: number;
  readonly at: Instant;
  readonly leaseId: number | null;
}

/** Where a subscription begins, and which records it shows. */
export interface FeedSelection<R extends FeedRecord> {
  readonly name: 'events' | 'notices';
  readonly feed: Feed<R>;
  /** The last sequence number seen; null for records from now on. */
  readonly after: number | null;
  /** Only records of this lease; null for all. */
  readonly leaseNumber: number | null;
  /** Those of the records that the subscription shows to its principal. */
  readonly shown: (records: readonly R[], read: Readers) => Promise<readonly R[]>;
}

/** The events of the site as a feed. */
export function eventFeed(leases: LeaseService): Feed<LeaseEventRecord> {
  return {
    get last() {
      return leases.lastEvent();
    },
    subscribe: (options) => leases.events(options),
    page: (request, signal) => leases.eventsAfter({ ...request, signal }),
  };
}

/** Ends the streams of a token that expires or is revoked. */
export function credentialsEnded(): Error {
  return clientError('UNAUTHENTICATED', 'The token has expired or was revoked.');
}

/**
 * An element of a subscription: a record, or the error that ends it. (An error that the source throws itself does not
 * reach clients equally over all transports.)
 */
export type Delivery<R> = { readonly record: R } | { readonly failure: unknown };

type Result<R> = IteratorResult<Delivery<R>, undefined>;
const done = { done: true, value: undefined } as const;

/**
 * What a subscription to events or notices delivers. A server for many subscribers does not iterate it: it reads the
 * records that `after` and `leaseNumber` name, and shares reads and results among equal subscriptions.
 *
 * The iterator is written by hand instead of as an async generator: `return()` of a generator waits until its pending
 * `next()` has ended, which may be at the next record of the site; this one releases the engine's stream at once.
 */
export class FeedStream<R extends FeedRecord> implements AsyncGenerator<Delivery<R>, undefined, undefined> {
  private readonly abandoned = new AbortController();
  private source: AsyncIterator<R> | undefined;
  private unwatch: () => void = () => {};
  private hasCredentials = true;
  private over = false;

  constructor(
    private readonly context: ApiContext,
    readonly selection: FeedSelection<R>,
  ) {}

  /** The element for a record, as the root value of its result. */
  static delivery<R>(record: R): Delivery<R> {
    return { record };
  }

  /** The element that ends a stream with an error. */
  static failure(error: unknown): Delivery<never> {
    return { failure: error };
  }

  async next(): Promise<Result<R>> {
    if (this.over) return done;
    try {
      this.source ??= this.open();
      for (;;) {
        const { done: ended, value } = await this.source.next();
        if (!this.hasCredentials) throw credentialsEnded();
        if (ended) return await this.return();
        readAgain(this.context);
        const [record] = await this.selection.shown([value], this.context.read);
        if (record !== undefined) return { done: false, value: FeedStream.delivery(record) };
      }
    } catch (error) {
      if (this.over) return done;
      await this.return();
      return { done: false, value: FeedStream.failure(error) };
    }
  }

  private open(): AsyncIterator<R> {
    const { after, feed, leaseNumber } = this.selection;
    const { principal, services } = this.context;
    // Ends the stream when the credentials end, also while it waits for a record.
    this.unwatch = services.identity.watch.add(principal, () => {
      this.hasCredentials = false;
      this.abandoned.abort();
    });
    return feed.subscribe({ after, leaseNumber, signal: this.abandoned.signal })[Symbol.asyncIterator]();
  }

  async return(): Promise<Result<R>> {
    this.over = true;
    this.unwatch();
    this.abandoned.abort();
    await this.source?.return?.();
    return done;
  }

  async throw(error: unknown): Promise<Result<R>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
