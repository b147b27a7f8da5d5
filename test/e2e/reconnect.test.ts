import { ApolloClient, ApolloLink, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { fetchExchange, subscriptionExchange, Client as UrqlClient } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../support/postgres.ts';
import { build, type ServerProcess, scratchDirectory, startServer } from '../support/server-process.ts';

const scratch = scratchDirectory();
beforeAll(build);
afterAll(scratch.remove);

const token = 'a-token-for-tests';
const authorization = `Bearer ${token}`;
const query = 'subscription { leaseEvents { sequence } }';

interface Event {
  readonly leaseEvents: { readonly sequence: number };
}
type Deliver = (data: Event) => void;
/** What a client reports when it does not reconnect. */
type Stop = (reason: unknown) => void;

/** Each subscribes once, and leaves reconnecting to its library. */
const clients: Readonly<Record<string, (url: string, deliver: Deliver, stop: Stop) => () => void>> = {
  'graphql-ws': (url, deliver, stop) => {
    const client = socketClient(url);
    client.subscribe<Event>(
      { query },
      { next: ({ data }) => data && deliver(data), error: stop, complete: () => stop('complete') },
    );
    return () => void client.dispose();
  },
  'graphql-sse': (url, deliver, stop) => {
    const client = createSseClient({ url, headers: { authorization }, retryAttempts: Infinity, retry: wait });
    client.subscribe<Event>(
      { query },
      { next: ({ data }) => data && deliver(data), error: stop, complete: () => stop('complete') },
    );
    return () => client.dispose();
  },
  urql: (url, deliver, stop) => {
    const transport = socketClient(url);
    const client = new UrqlClient({
      url,
      preferGetMethod: false,
      exchanges: [
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: (operation) => ({
            subscribe: (sink) => ({
              unsubscribe: transport.subscribe({ ...operation, query: operation.query ?? '' }, sink as never),
            }),
          }),
        }),
      ],
    });
    client.subscription<Event>(query, {}).subscribe(({ data, error }) => {
      if (error) stop(error);
      if (data) deliver(data);
    });
    return () => void transport.dispose();
  },
  Apollo: (url, deliver, stop) => {
    const transport = socketClient(url);
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: ApolloLink.from([new GraphQLWsLink(transport)]),
    });
    client.subscribe<Event>({ query: gql(query) }).subscribe({
      next: ({ data, error }) => {
        if (error) stop(error);
        if (data) deliver(data);
      },
      error: stop,
      complete: () => stop('complete'),
    });
    return () => {
      client.stop();
      void transport.dispose();
    };
  },
};

const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 100));
/** As docs/clients configures it. */
const socketClient = (url: string, token = authorization) =>
  createSocketClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: token },
    retryWait: wait,
    retryAttempts: Infinity,
    shouldRetry: (problem) => (problem as { code?: number }).code !== 4403,
  });

const requestLease = async ({ url }: ServerProcess): Promise<void> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `mutation { requestLease(input: { type: BEST_EFFORT, duration: "PT1H", machines: [{ count: 1, capacity: [{ type: "CPU", amount: 1 }, { type: "Memory", amount: 1 }] }] }) { userErrors { code } } }`,
    }),
  });
  expect(await response.json()).toMatchObject({ data: { requestLease: { userErrors: [] } } });
};

const metric = async ({ url }: ServerProcess, name: string): Promise<number> => {
  const text = await (await fetch(new URL('/metrics', url), { headers: { authorization } })).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
};

describe('clients of every library reconnect', () => {
  it.each([
    ['after a planned stop', 'SIGTERM'],
    ['after a kill', 'SIGKILL'],
  ] as const)('%s', { timeout: 120_000 }, async (_when, signal) => {
    const port = await freePort();
    const options = { dataDir: `${scratch.path}/${signal}`, environment: { PORT: String(port) } };
    let server = await startServer(options);
    onTestFinished(async () => {
      await server.stop('SIGKILL');
    });
    const names = Object.keys(clients);
    const received = new Map<string, number>(names.map((name) => [name, 0]));
    const stopped: unknown[] = [];
    for (const name of names) {
      const close = clients[name]?.(
        server.url,
        ({ leaseEvents }) => received.set(name, leaseEvents.sequence),
        (reason) => stopped.push([name, reason]),
      );
      if (close) onTestFinished(close);
    }
    const allReceive = async () => {
      await expect.poll(() => metric(server, 'leasegraph_subscribers')).toBe(names.length);
      const before = Math.max(...received.values());
      await requestLease(server);
      await expect
        .poll(() => [...received].filter(([, sequence]) => sequence <= before).map(([name]) => name))
        .toEqual([]);
    };
    await allReceive();
    const { code } = await server.stop(signal);
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    server = await startServer(options);
    await allReceive();
    expect(stopped).toEqual([]);
  });

  it('unless the token is not valid', async () => {
    const server = await startServer({ dataDir: `${scratch.path}/token` });
    onTestFinished(async () => {
      await server.stop('SIGKILL');
    });
    const client = socketClient(server.url, 'Bearer another-token');
    const problem = await new Promise((resolve) => {
      client.subscribe({ query }, { next: resolve, error: resolve, complete: () => resolve('complete') });
    });
    expect(problem).toMatchObject({ code: 4403 });
  });
});
