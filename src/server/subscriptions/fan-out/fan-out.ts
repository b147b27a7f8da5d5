/**
 * Events on their way to subscribers. Subscriptions with the same document, the same variables (apart from `after`) and
 * the same rights share one execution and one serialization per event. Those that are behind read pages, which they
 * share as well, until they have caught up; those that do not read fast enough go back to that.
 */
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import {
  type ApiServices,
  apiContext,
  credentialsEnded,
  LeaseEventStream,
  viewOf,
} from '../../../api/index.ts';
import type { LeaseEventRecord } from '../../../engine/ports.ts';
import type { RequestContext } from '../../graphql/context.ts';
import { type ErrorMask, serializeResult } from '../../graphql/errors.ts';
import type { ReadTurns } from '../../read-turns.ts';
import { Beat } from './beat.ts';
import type { FanOutMetrics } from './metrics.ts';
import { Selection } from './selection.ts';
import { selectionKey } from './selection-key.ts';
import { SharedSubscription } from './subscription.ts';

export interface FanOutOptions {
  readonly services: ApiServices;
  readonly mask: ErrorMask;
  /** Where reads for those that are behind wait for their turn. */
  readonly turns: ReadTurns;
  readonly metrics: FanOutMetrics;
}

/** Events that come within this time are delivered together (ms). */
const coalescing = 50;

interface SubscriptionContext extends RequestContext {
  readonly request?: Request;
}

export class FanOut {
  private readonly selections = new Map<string, Selection>();
  private readonly byContext = new WeakMap<object, SharedSubscription>();
  private readonly stopping = new AbortController();
  private readonly beat = new Beat(coalescing);
  /** Ends the stream of new events; null while nobody subscribes. */
  private feed: AbortController | null = null;
  /** Everything up to here has been given to the selections. */
  private position = 0;
  private count = 0;

  constructor(private readonly options: FanOutOptions) {
    options.metrics.watch(() => ({
      subscribers: this.count,
      selections: this.selections.size,
      lag: this.lag(),
      pending: this.pending(),
    }));
  }

  get subscribers(): number {
    return this.count;
  }

  /** Has subscriptions to events served from here. The transport finds each with `find`. */
  plugin(): Plugin {
    return {
      onSubscribe: ({ setSubscribeFn }) => {
        setSubscribeFn((args) => this.subscribe(args as ExecutionArgs));
      },
    };
  }

  /**
   * The subscription that was made with this context (or, over HTTP, its request); undefined when it is of another
   * kind.
   */
  find(context: object): SharedSubscription | undefined {
    return this.byContext.get(context);
  }

  stop(): void {
    this.stopping.abort();
    this.feed?.abort();
  }

  private async subscribe(args: ExecutionArgs): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return source;
    if (!(source instanceof LeaseEventStream)) return results(source, args);
    const context = args.contextValue as SubscriptionContext;
    const subscription = this.share(args, source, context);
    this.byContext.set(context, subscription);
    if (context.request) this.byContext.set(context.request, subscription);
    return subscription;
  }

  private share(
    args: ExecutionArgs,
    source: LeaseEventStream,
    context: SubscriptionContext,
  ): SharedSubscription {
    const { metrics, services } = this.options;
    const cursor = source.after ?? lastEventId(context) ?? services.leases.lastEvent();
    const key = selectionKey(args, viewOf(context.principal, services.identity.visibility).key);
    let unwatch = () => {};
    const subscription = new SharedSubscription(cursor, {
      open: () => {
        this.count += 1;
        this.startFeed();
        let selection = this.selections.get(key);
        if (selection === undefined) {
          selection = this.select(args, source, context);
          this.selections.set(key, selection);
        }
        const shared = selection;
        unwatch = services.identity.watch.add(context.principal, () => {
          void shared.failure(credentialsEnded()).then((batch) => subscription.fail(batch));
        });
        return shared;
      },
      closed: (selection) => {
        unwatch();
        this.count -= 1;
        if (selection.subscribers.size === 0) this.selections.delete(key);
        if (this.count === 0) this.stopFeed();
      },
      delivered: (results) => metrics.delivered(results),
      fellBehind: () => metrics.fellBehind(),
    });
    return subscription;
  }

  private select(
    args: ExecutionArgs,
    source: LeaseEventStream,
    { principal, requestId }: RequestContext,
  ): Selection {
    const { mask, metrics, services } = this.options;
    const { schema, document, operationName, variableValues } = args;
    const run = async (contextValue: object, rootValue: unknown): Promise<string> => {
      const result = await execute({
        schema,
        document,
        operationName: operationName ?? null,
        variableValues: variableValues ?? null,
        contextValue,
        rootValue,
      });
      const { errors } = result;
      return serializeResult(
        errors ? { ...result, errors: errors.map((error: GraphQLError) => mask(error)) } : result,
      );
    };
    return new Selection(
      {
        leases: services.leases,
        metrics,
        leaseNumber: source.leaseNumber,
        beat: this.beat,
        signal: this.stopping.signal,
        // What events of one moment show is read together, and anew.
        execute: async (events) => {
          const context = apiContext(services, principal, requestId);
          const shown = await source.shown(events, context.read);
          return Promise.all(
            shown.map(async (event) => ({
              sequence: event.sequence,
              payload: await run(context, LeaseEventStream.delivery(event)),
            })),
          );
        },
        executeFailure: (error) =>
          run(apiContext(services, principal, requestId), LeaseEventStream.failure(error)),
        takeTurn: (read) =>
          this.options.turns.run({ kind: 'replay', owner: '', signal: this.stopping.signal }, read),
      },
      this.position,
    );
  }

  private startFeed(): void {
    if (this.feed !== null || this.stopping.signal.aborted) return;
    const feed = new AbortController();
    this.feed = feed;
    this.position = this.options.services.leases.lastEvent();
    void this.pump(this.options.services.leases.events({ after: this.position, signal: feed.signal })).catch(
      (error: unknown) => {
        if (feed.signal.aborted) return;
        this.stopFeed();
        for (const selection of this.selections.values()) void selection.fail(error);
      },
    );
  }

  private stopFeed(): void {
    this.feed?.abort();
    this.feed = null;
  }

  private async pump(events: AsyncIterable<LeaseEventRecord>): Promise<void> {
    const { feed } = this;
    const { metrics, services } = this.options;
    const { leases, site } = services;
    for await (const event of events) {
      if (this.feed !== feed) return;
      this.position = event.sequence;
      metrics.published((leases.now() - event.at) / site.clockSpeed / 1_000);
      for (const selection of this.selections.values()) selection.push(event);
    }
  }

  /** Events that wait to be delivered, over all selections. */
  private pending(): number {
    let sum = 0;
    for (const { waiting } of this.selections.values()) sum += waiting;
    return sum;
  }

  private lag(): number {
    let lag = 0;
    const last = this.options.services.leases.lastEvent();
    for (const { subscribers } of this.selections.values()) {
      for (const { cursor } of subscribers) lag = Math.max(lag, last - cursor);
    }
    return lag;
  }
}

/** Where a client that comes back over server-sent events stopped. */
function lastEventId({ request }: SubscriptionContext): number | null {
  const id = request?.headers.get('last-event-id') ?? '';
  return /^\d{1,15}$/.test(id) ? Number(id) : null;
}

/**
 * The results of a subscription of another kind. Not an async generator: `return()` has to reach the source although a
 * `next()` is pending.
 */
function results(
  source: AsyncIterable<unknown>,
  args: ExecutionArgs,
): AsyncGenerator<ExecutionResult, undefined, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const done = { done: true, value: undefined } as const;
  const end = async () => {
    await iterator.return?.();
    return done;
  };
  return {
    next: async () => {
      const { done: ended, value } = await iterator.next();
      return ended ? done : { done: false, value: await execute({ ...args, rootValue: value }) };
    },
    return: end,
    throw: async (error) => {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await end();
    },
  };
}
