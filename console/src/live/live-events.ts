import { type Client, createClient } from 'graphql-ws';

/** A subscription whose messages have sequence numbers; `after` tells where it continues. */
export interface Stream<Data> {
  readonly query: { toString(): string };
  readonly sequenceOf: (data: Data) => number;
}

/** A subscription of a page, whose messages have no sequence numbers. */
export interface Watch {
  readonly query: { toString(): string };
  readonly variables: Record<string, unknown>;
}

/**
 * Subscriptions of pages besides the streams, over the same connection. They do not report changes during a lost
 * connection, so the page must be read again.
 */
export class Watches {
  private readonly watched = new Map<Watch, () => void>();
  private client: Client | null = null;
  private onMessage: () => void = () => {};

  /** Returns what ends it. */
  add(watch: Watch): () => void {
    this.watched.set(watch, this.begin(watch));
    return () => {
      this.watched.get(watch)?.();
      this.watched.delete(watch);
    };
  }

  get isEmpty(): boolean {
    return this.watched.size === 0;
  }

  /** Starts all of them on a new connection. */
  attach(client: Client, onMessage: () => void): void {
    this.client = client;
    this.onMessage = onMessage;
    for (const watch of this.watched.keys()) this.watched.set(watch, this.begin(watch));
  }

  detach(): void {
    this.client = null;
  }

  private begin({ query, variables }: Watch): () => void {
    if (this.client === null) return () => {};
    const { onMessage } = this;
    return this.client.subscribe(
      { query: query.toString(), variables },
      // Without an answer, the page is still refreshed with each event.
      { next: onMessage, error: () => {}, complete: () => {} },
    );
  }
}

export type LiveStatus = 'connecting' | 'live' | 'offline';

export interface LiveOptions {
  readonly url: string;
  /** Returns a valid bearer token; called for each connection. */
  readonly token: () => Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: each stream has messages of its own
  readonly streams: readonly Stream<any>[];
  readonly watches: Watches;
  /** Called for each message of a stream or watch. */
  readonly onMessage: () => void;
  /** Called when the subscriptions continue after a gap: everything on the page may be stale. */
  readonly onGap: () => void;
  readonly onStatus: (status: LiveStatus) => void;
  readonly signal: AbortSignal;
}

const minBackoffMs = 500;
const maxBackoffMs = 8_000;

/**
 * Follows the streams over one connection until the signal aborts. After a lost connection it subscribes again from the
 * last sequence number that it saw of each, so no message is missed. graphql-ws would repeat a subscription with its
 * first `after`, so reconnecting is done here.
 */
export async function follow(options: LiveOptions): Promise<void> {
  const { signal } = options;
  const seen: (number | null)[] = options.streams.map(() => null);
  let failures = 0;
  while (!signal.aborted) {
    options.onStatus(failures > 1 ? 'offline' : 'connecting');
    const onConnected = () => {
      failures = 0;
      options.onStatus('live');
      if (seen.includes(null) || !options.watches.isEmpty) options.onGap();
    };
    await subscribe(options, seen, onConnected);
    failures += 1;
    if (!signal.aborted) await delay(backoff(failures), signal);
  }
}

/** Resolves when the connection or one of the subscriptions has ended. */
async function subscribe(
  { url, token, streams, watches, onMessage, signal }: LiveOptions,
  seen: (number | null)[],
  onConnected: () => void,
): Promise<void> {
  const client = createClient({
    url,
    connectionParams: async () => ({ authorization: `Bearer ${await token()}` }),
    retryAttempts: 0,
    lazyCloseTimeout: 0,
    keepAlive: 15_000,
    on: { connected: onConnected },
  });
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  signal.addEventListener('abort', end);
  for (const [index, { query, sequenceOf }] of streams.entries()) {
    const onErrors = (errors: readonly { readonly message: string; readonly extensions?: object }[]) => {
      // The messages since the last one seen are no longer stored.
      const codes = errors.map(({ message, extensions }) => (extensions as Coded)?.code ?? message);
      if (codes.includes('EVENTS_EXPIRED')) seen[index] = null;
      end();
    };
    client.subscribe(
      { query: query.toString(), variables: { after: seen[index] } },
      {
        next: ({ data, errors }) => {
          if (errors) onErrors(errors);
          if (!data) return;
          seen[index] = sequenceOf(data);
          onMessage();
        },
        error: (error) => (Array.isArray(error) ? onErrors(error) : end()),
        complete: end,
      },
    );
  }
  watches.attach(client, onMessage);
  await ended;
  watches.detach();
  signal.removeEventListener('abort', end);
  await client.dispose();
}

type Coded = { readonly code?: string } | undefined;

/** Doubles with each failure, plus random jitter of up to a half, so that consoles do not all reconnect at once. */
function backoff(failures: number): number {
  const full = Math.min(minBackoffMs * 2 ** (failures - 1), maxBackoffMs);
  return full * (0.5 + Math.random() / 2);
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      // A signal that lives as long as the page would accumulate listeners.
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
