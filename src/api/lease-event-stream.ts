import type { LeaseEventRecord } from '../core/index.ts';
import type { LeaseEvent as LeaseEventRow } from '../store/prisma/client.ts';
import { type ApiContext, readAgain } from './context.ts';
import { eventRow } from './read/events.ts';

/**
 * An element of a subscription: an event, or the error that ends it. (An error that the source throws itself does not reach clients
 * equally over all transports.)
 */
export type Delivery = { readonly event: LeaseEventRow } | { readonly failure: unknown };

type Result = IteratorResult<Delivery, undefined>;
const done: Result = { done: true, value: undefined };

/**
 * What a subscription to events delivers. A server for many subscribers does not iterate it: it reads the events that `after` and
 * `leaseNumber` name, and shares reads and results among equal subscriptions.
 *
 * The iterator is written by hand instead of as an async generator: `return()` of a generator waits until its pending `next()` has
 * ended, which may be at the next event of the site; this one releases the engine's stream at once.
 */
export class LeaseEventStream implements AsyncGenerator<Delivery, undefined, undefined> {
  private readonly abandoned = new AbortController();
  private source: AsyncIterator<LeaseEventRecord> | undefined;
  private over = false;

  constructor(
    private readonly context: ApiContext,
    /** The last sequence number seen; null for events from now on. */
    readonly after: number | null,
    /** Only events of this lease; null for all. */
    readonly leaseNumber: number | null,
  ) {}

  /** The element for an event, as the root value of its result. */
  static delivery(event: LeaseEventRecord): Delivery {
    return { event: eventRow(event) };
  }

  /** The element that ends a stream with an error. */
  static failure(error: unknown): Delivery {
    return { failure: error };
  }

  async next(): Promise<Result> {
    if (this.over) return done;
    try {
      const { after, leaseNumber } = this;
      this.source ??= this.context.services.leases
        .events({ after, leaseNumber, signal: this.abandoned.signal })
        [Symbol.asyncIterator]();
      const { done: ended, value } = await this.source.next();
      if (ended) return await this.return();
      readAgain(this.context);
      return { done: false, value: LeaseEventStream.delivery(value) };
    } catch (error) {
      if (this.over) return done;
      this.over = true;
      return { done: false, value: LeaseEventStream.failure(error) };
    }
  }

  async return(): Promise<Result> {
    this.over = true;
    this.abandoned.abort();
    await this.source?.return?.();
    return done;
  }

  async throw(error: unknown): Promise<Result> {
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
