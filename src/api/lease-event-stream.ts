import type { LeaseEventRecord } from '../core/index.ts';
import type { LeaseEvent as LeaseEventRow } from '../store/prisma/client.ts';
import { type ApiContext, readAgain } from './context.ts';
import { clientError } from './errors.ts';
import { type EventFilter, eventRow, passes } from './read/events.ts';
import type { Readers } from './read/readers.ts';

/** Which events a subscription shows. */
export interface EventSelection {
  readonly after: number | null;
  readonly leaseNumber: number | null;
  readonly filter: EventFilter;
}

/** Ends the streams of a token that expires or is revoked. */
export function credentialsEnded(): Error {
  return clientError('UNAUTHENTICATED', 'The token has expired or was revoked.');
}

/**
 * An element of a subscription: an event, or the error that ends it. (An error that the source throws itself does not
 * reach clients equally over all transports.)
 */
export type Delivery = { readonly event: LeaseEventRow } | { readonly failure: unknown };

type Result = IteratorResult<Delivery, undefined>;
const done: Result = { done: true, value: undefined };

/**
 * What a subscription to events delivers. A server for many subscribers does not iterate it: it reads the events that
 * `after` and `leaseNumber` name, and shares reads and results among equal subscriptions.
 *
 * The iterator is written by hand instead of as an async generator: `return()` of a generator waits until its pending
 * `next()` has ended, which may be at the next event of the site; this one releases the engine's stream at once.
 */
export class LeaseEventStream implements AsyncGenerator<Delivery, undefined, undefined> {
  private readonly abandoned = new AbortController();
  private source: AsyncIterator<LeaseEventRecord> | undefined;
  private readonly filter: EventFilter;
  private unwatch: () => void = () => {};
  private hasCredentials = true;
  private over = false;

  /** The last sequence number seen; null for events from now on. */
  readonly after: number | null;
  /** Only events of this lease; null for all. */
  readonly leaseNumber: number | null;

  constructor(
    private readonly context: ApiContext,
    { after, leaseNumber, filter }: EventSelection,
  ) {
    this.after = after;
    this.leaseNumber = leaseNumber;
    this.filter = filter;
  }

  /** Those of the events that pass the filter and whose lease may be seen. */
  async shown(events: readonly LeaseEventRecord[], read: Readers): Promise<readonly LeaseEventRecord[]> {
    const passing = events.filter((event) => passes(event, this.filter));
    const visible = await Promise.all(passing.map(({ leaseId }) => read.mayReadLease(leaseId)));
    return passing.filter((_event, index) => visible[index]);
  }

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
      this.source ??= this.open();
      for (;;) {
        const { done: ended, value } = await this.source.next();
        if (!this.hasCredentials) throw credentialsEnded();
        if (ended) return await this.return();
        readAgain(this.context);
        const [event] = await this.shown([value], this.context.read);
        if (event !== undefined) return { done: false, value: LeaseEventStream.delivery(event) };
      }
    } catch (error) {
      if (this.over) return done;
      await this.return();
      return { done: false, value: LeaseEventStream.failure(error) };
    }
  }

  private open(): AsyncIterator<LeaseEventRecord> {
    const { after, leaseNumber } = this;
    const { principal, services } = this.context;
    // Ends the stream when the credentials end, also while it waits for an event.
    this.unwatch = services.identity.watch.add(principal, () => {
      this.hasCredentials = false;
      this.abandoned.abort();
    });
    return services.leases
      .events({ after, leaseNumber, signal: this.abandoned.signal })
      [Symbol.asyncIterator]();
  }

  async return(): Promise<Result> {
    this.over = true;
    this.unwatch();
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
