import type { Instant } from '../core/index.ts';
import type { Feed, LeaseEventRecord, LeaseService } from '../engine/ports.ts';
import type { CredentialsChange } from '../identity/index.ts';
import { type ApiContext, readAgain } from './context.ts';
import { clientError } from './errors.ts';
import type { Readers } from './read/readers.ts';

/** A record with a sequence number and an instant: an event or a notice. */
export interface FeedRecord {
  readonly sequence: number;
  readonly at: Instant;
  readonly leaseId: number | null;
}

/** The start and the filter of a subscription. */
export interface FeedSelection<R extends FeedRecord> {
  readonly name: 'events' | 'notices';
  readonly feed: Feed<R>;
  /** The last sequence number seen; null for records from now on. */
  readonly after: number | null;
  /** Only records of this lease; null for all. */
  readonly leaseNumber: number | null;
  /** The records that the principal may see and that match the filter. */
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

/** Ends the stream of a token whose holder has other rights now. It is no error for the client, which reconnects. */
export class RightsChanged extends Error {
  override readonly name = 'RightsChanged';
}

/** Ends the streams of a token that expires or is revoked. */
export function credentialsEnded(): Error {
  return clientError('UNAUTHENTICATED', 'The token has expired or was revoked.');
}

/**
 * An element of a subscription: a record, or the error that ends it. (Errors thrown by the source reach clients
 * differently over different transports.)
 */
export type Delivery<R> = { readonly record: R } | { readonly failure: unknown };

type Result<R> = IteratorResult<Delivery<R>, undefined>;
const done = { done: true, value: undefined } as const;

/**
 * The stream of a subscription to events or notices. A server for many subscribers does not iterate it: it uses `after`
 * and `leaseNumber`, and shares reads and results among equal subscriptions. It is not an async generator, because
 * `return()` of a generator waits for a pending `next()`, possibly until the next record of the site; this iterator
 * releases the engine's stream at once.
 */
export class FeedStream<R extends FeedRecord> implements AsyncGenerator<Delivery<R>, undefined, undefined> {
  private readonly abandoned = new AbortController();
  private source: AsyncIterator<R> | undefined;
  private unwatch: () => void = () => {};
  private credentials: CredentialsChange | null = null;
  private over = false;

  constructor(
    private readonly context: ApiContext,
    readonly selection: FeedSelection<R>,
  ) {}

  /** The element of a record, used as root value of its result. */
  static delivery<R>(record: R): Delivery<R> {
    return { record };
  }

  /** An element that ends a stream with an error. */
  static failure(error: unknown): Delivery<never> {
    return { failure: error };
  }

  async next(): Promise<Result<R>> {
    if (this.over) return done;
    try {
      this.source ??= this.open();
      for (;;) {
        const { done: ended, value } = await this.source.next();
        if (this.credentials === 'ended') throw credentialsEnded();
        if (this.credentials === 'changed') throw new RightsChanged();
        if (ended) return await this.return();
        readAgain(this.context);
        const [record] = await this.selection.shown([value], this.context.read);
        if (record !== undefined) return { done: false, value: FeedStream.delivery(record) };
      }
    } catch (error) {
      if (this.over) return done;
      await this.return();
      if (error instanceof RightsChanged) throw error;
      return { done: false, value: FeedStream.failure(error) };
    }
  }

  private open(): AsyncIterator<R> {
    const { after, feed, leaseNumber } = this.selection;
    const { principal, services } = this.context;
    // Ends the stream when the credentials end, also during a wait.
    this.unwatch = services.identity.watch.add(principal, (change) => {
      this.credentials = change;
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
