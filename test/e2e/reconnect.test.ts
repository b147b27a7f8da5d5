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
const retry = { retryAttempts: 10_000, shouldRetry: () => true };

interface Event {
  readonly leaseEvents: { readonly sequence: number };
}
type Deliver = (data: Event) => void;
/** What a client reports when it does not come back. */
type Stop = (reason: unknown) => void;

/** Each subscribes once, and leaves coming back to its library. */
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
    const client = createSseClient({ url, headers: { authorization }, retryAttempts: 10_000, retry: wait });
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
const socketClient = (url: string) =>
  createSocketClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
    retryWait: wait,
    ...retry,
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

describe('clients of a server that is stopped on purpose and started again', () => {
  it('come back by themselves, over every library', { timeout: 120_000 }, async () => {
    const port = await freePort();
    const options = { dataDir: `${scratch.path}/data`, environment: { PORT: String(port) } };
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
      await expect
        .poll(() => metric(server, 'leasegraph_subscribers'), { timeout: 30_000 })
        .toBe(names.length);
      const before = Math.max(...received.values());
      await requestLease(server);
      await expect
        .poll(() => [...received].filter(([, sequence]) => sequence <= before).map(([name]) => name), {
          timeout: 30_000,
        })
        .toEqual([]);
    };
    await allReceive();
    expect((await server.stop('SIGTERM')).code).toBe(0);
    server = await startServer(options);
    await allReceive();
    expect(stopped).toEqual([]);
  });
});
