import { createClient } from 'graphql-ws';
import { ConsoleEventsDocument, type ConsoleEventsSubscription } from '../api/generated/operations.ts';

export type LiveEvent = ConsoleEventsSubscription['leaseEvents'];
export type LiveStatus = 'connecting' | 'live' | 'offline';

export interface LiveOptions {
  readonly url: string;
  /** A bearer token that is valid now; asked for each connection. */
  readonly token: () => Promise<string>;
  readonly onEvent: (event: LiveEvent) => void;
  /** The subscription runs again after a gap of which not every event is known: everything on the page may be stale. */
  readonly onGap: () => void;
  readonly onStatus: (status: LiveStatus) => void;
  readonly signal: AbortSignal;
}

const minBackoffMs = 500;
const maxBackoffMs = 8_000;

/**
 * Follows the site's events until the signal aborts. After a lost connection it subscribes again from the last sequence
 * number that it saw, so no event is missed. graphql-ws would repeat the subscription with its first `after`, so
 * reconnecting is done here.
 */
export async function followEvents(options: LiveOptions): Promise<void> {
  const { signal } = options;
  let lastSequence: number | null = null;
  let failures = 0;
  while (!signal.aborted) {
    options.onStatus(failures > 1 ? 'offline' : 'connecting');
    try {
      const connected = () => {
        failures = 0;
        options.onStatus('live');
        if (lastSequence === null) options.onGap();
      };
      for await (const event of subscribe(options, lastSequence, connected)) {
        lastSequence = event.sequence;
        options.onEvent(event);
      }
    } catch (error) {
      // The events since the last one that was seen are no longer kept.
      if (error instanceof Error && error.message === 'EVENTS_EXPIRED') lastSequence = null;
    }
    failures += 1;
    if (!signal.aborted) await delay(backoff(failures), signal);
  }
}

async function* subscribe(
  { url, token, signal }: LiveOptions,
  after: number | null,
  onConnected: () => void,
): AsyncGenerator<LiveEvent> {
  const client = createClient({
    url,
    connectionParams: async () => ({ authorization: `Bearer ${await token()}` }),
    retryAttempts: 0,
    lazyCloseTimeout: 0,
    keepAlive: 15_000,
    on: { connected: onConnected },
  });
  const close = () => void client.dispose();
  signal.addEventListener('abort', close, { once: true });
  try {
    const results = client.iterate<ConsoleEventsSubscription>({
      query: ConsoleEventsDocument.toString(),
      variables: { after },
    });
    for await (const { data, errors } of results) {
      if (errors?.[0]) throw new Error(String(errors[0].extensions?.code ?? errors[0].message));
      if (data) yield data.leaseEvents;
    }
  } finally {
    signal.removeEventListener('abort', close);
    await client.dispose();
  }
}

/** Doubles with each failure, with up to half of it at random, so that many consoles do not come back at once. */
function backoff(failures: number): number {
  const full = Math.min(minBackoffMs * 2 ** (failures - 1), maxBackoffMs);
  return full * (0.5 + Math.random() / 2);
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
