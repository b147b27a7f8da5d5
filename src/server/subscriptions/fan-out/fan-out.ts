/**
 * Delivers events and notices to subscribers. Subscriptions with equal documents, variables (except `after`) and rights
 * share one execution and one serialization per event. Subscribers that are behind read shared pages until they have
 * caught up; subscribers that read too slowly return to that mode.
 */
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute, type GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import {
  type ApiServices,
  apiContext,
  credentialsEnded,
  type FeedRecord,
  type FeedSelection,
  FeedStream,
  RightsChanged,
  viewOf,
} from '../../../api/index.ts';
import type { RequestContext } from '../../graphql/context.ts';
import { type ErrorMask, serializeResult } from '../../graphql/errors.ts';
import type { ReadTurns } from '../../read-turns.ts';
import { Beat } from './beat.ts';
import { LiveFeed } from './live-feed.ts';
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

/** Coalescing interval of events (ms). */
const coalescing = 50;

interface SubscriptionContext extends RequestContext {
  readonly request?: Request;
}

export class FanOut {
  /** By name: events, notices. */
  private readonly feeds = new Map<string, LiveFeed<FeedRecord>>();
  private readonly byContext = new WeakMap<object, SharedSubscription>();
  private readonly cut = new WeakSet<Request>();
  private readonly stopping = new AbortController();
  private readonly beat = new Beat(coalescing);

  constructor(private readonly options: FanOutOptions) {
    options.metrics.watch(() => {
      const feeds = [...this.feeds.values()];
      return {
        subscribers: this.subscribers,
        selections: feeds.reduce((sum, { selections }) => sum + selections.size, 0),
        lag: Math.max(0, ...feeds.map(({ lag }) => lag)),
        pending: feeds.reduce((sum, { pending }) => sum + pending, 0),
      };
    });
  }

  get subscribers(): number {
    return [...this.feeds.values()].reduce((sum, { subscribers }) => sum + subscribers, 0);
  }

  /** Serves event subscriptions from here. Transports look them up with `find`. */
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

  /** Whether an event stream of another kind ends without an end of its subscription, so that its client reconnects. */
  isCut(request: Request): boolean {
    return this.cut.has(request);
  }

  stop(): void {
    this.stopping.abort();
  }

  private async subscribe(args: ExecutionArgs): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return source;
    const context = args.contextValue as SubscriptionContext;
    if (!(source instanceof FeedStream)) {
      return results(source, args, () => context.request && this.cut.add(context.request));
    }
    const subscription = this.share(args, source as FeedStream<FeedRecord>, context);
    this.byContext.set(context, subscription);
    if (context.request) this.byContext.set(context.request, subscription);
    return subscription;
  }

  private share(
    args: ExecutionArgs,
    { selection }: FeedStream<FeedRecord>,
    context: SubscriptionContext,
  ): SharedSubscription {
    const { metrics, services } = this.options;
    const live = this.feedOf(selection);
    const cursor = laterOf(selection.after, lastEventId(context)) ?? live.last;
    const key = selectionKey(args, viewOf(context.principal, services.identity.visibility).key);
    let unwatch = () => {};
    const subscription = new SharedSubscription(cursor, {
      open: () => {
        const shared = live.enter(key, (position) => this.select(args, selection, context, position));
        unwatch = services.identity.watch.add(context.principal, (change) => {
          if (change === 'changed') subscription.cut();
          else void shared.failure(credentialsEnded()).then((batch) => subscription.fail(batch));
        });
        return shared;
      },
      closed: (left) => {
        unwatch();
        live.leave(key, left);
      },
      delivered: (results) => metrics.delivered(results),
      fellBehind: () => metrics.fellBehind(),
    });
    return subscription;
  }

  private feedOf({ feed, name }: FeedSelection<FeedRecord>): LiveFeed<FeedRecord> {
    const { metrics, services } = this.options;
    const { leases, site } = services;
    const published = ({ at }: FeedRecord): void => metrics.published((leases.now() - at) / site.clockSpeed / 1_000);
    const live = this.feeds.get(name) ?? new LiveFeed(feed, this.stopping.signal, published);
    this.feeds.set(name, live);
    return live;
  }

  private select(
    args: ExecutionArgs,
    { feed, leaseNumber, shown }: FeedSelection<FeedRecord>,
    { principal, requestId }: RequestContext,
    position: number,
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
      return serializeResult(errors ? { ...result, errors: errors.map((error: GraphQLError) => mask(error)) } : result);
    };
    return new Selection(
      {
        feed,
        metrics,
        leaseNumber,
        beat: this.beat,
        signal: this.stopping.signal,
        // Events of one moment share fresh reads.
        execute: async (events) => {
          const context = apiContext(services, principal, requestId);
          const visible = await shown(events, context.read);
          return Promise.all(
            visible.map(async (event) => ({
              sequence: event.sequence,
              payload: await run(context, FeedStream.delivery(event)),
            })),
          );
        },
        executeFailure: (error) => run(apiContext(services, principal, requestId), FeedStream.failure(error)),
        takeTurn: (read) => this.options.turns.run({ kind: 'replay', owner: '', signal: this.stopping.signal }, read),
      },
      position,
    );
  }
}

/** A reconnecting browser repeats the `after` of its first request and adds its last event id. */
function laterOf(after: number | null, lastSeen: number | null): number | null {
  return after === null || lastSeen === null ? (after ?? lastSeen) : Math.max(after, lastSeen);
}

/** Last event id of a client that reconnects over server-sent events. */
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
  onCut: () => void,
): AsyncGenerator<ExecutionResult, undefined, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const done = { done: true, value: undefined } as const;
  const end = async () => {
    await iterator.return?.();
    return done;
  };
  return {
    next: async () => {
      try {
        const { done: ended, value } = await iterator.next();
        return ended ? done : { done: false, value: await execute({ ...args, rootValue: value }) };
      } catch (error) {
        if (!(error instanceof RightsChanged)) throw error;
        onCut();
        return done;
      }
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
