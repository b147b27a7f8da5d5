/** Clients that others wrote, against a listening server. */
import { ApolloClient, gql as apolloGql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { type Listening, listen } from '../../src/server/http/listen.ts';
import { type Api, apiOn, apiOnNewDatabase, lease, now, token } from './fixture.ts';

const database = await apiOnNewDatabase();
afterAll(() => database[Symbol.asyncDispose]());

const authorization = `Bearer ${token}`;
let api: Api;
let listening: Listening;
let url: string;
beforeAll(async () => {
  await database.prisma.lease.create({ data: lease(1, { name: 'one', state: 'ACTIVE' }) });
});
beforeEach(async () => {
  api = apiOn(database.prisma);
  listening = await listen('127.0.0.1', 0);
  listening.serve(api.app);
  url = `${listening.url}/graphql`.replace('/graphql/graphql', '/graphql');
  return () => listening.close(1_000);
});

const query = 'query ($number: Int) { lease(number: $number) { id number name } }';
const cancel = 'mutation ($id: ID!) { cancelLease(input: { id: $id }) { lease { number } userErrors { reason } } }';
const events = 'subscription { leaseEvents(after: 0) { sequence } }';
const leaseId = btoa('Lease:1');
const event = (sequence: number) =>
  ({ sequence, at: now, leaseId: 1, from: 'READY', to: 'ACTIVE', reason: null }) as const;
const webSocketClient = () =>
  createWsClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
  });

it('urql queries, mutates, and subscribes over graphql-sse', async () => {
  const sse = createSseClient({ url, headers: { authorization } });
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization } },
    exchanges: [
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query: text, variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: sse.subscribe({ query: text ?? '', variables: variables as never }, sink as never),
          }),
        }),
      }),
    ],
  });
  const read = await client.query(gql(query), { number: 1 }).toPromise();
  expect(read.error).toBeUndefined();
  expect(read.data.lease).toMatchObject({ id: leaseId, name: 'one' });
  const changed = await client.mutation(gql(cancel), { id: leaseId }).toPromise();
  expect(changed.data.cancelLease).toMatchObject({ lease: { number: 1 }, userErrors: [] });
  const seen: number[] = [];
  const { unsubscribe } = client
    .subscription(gql(events), {})
    .subscribe(({ data }) => data && seen.push(data.leaseEvents.sequence));
  api.leases.publish(event(1), event(2));
  await vi.waitFor(() => expect(seen).toEqual([1, 2]), 120_000);
  unsubscribe();
  sse.dispose();
});

it('Apollo Client queries, mutates, and subscribes over graphql-ws', async () => {
  const socket = webSocketClient();
  const http = new ApolloClient({
    link: new HttpLink({ uri: url, headers: { authorization } }),
    cache: new InMemoryCache(),
  });
  const read = await http.query<{ lease: unknown }>({ query: apolloGql(query), variables: { number: 1 } });
  expect(read.data?.lease).toMatchObject({ id: leaseId, name: 'one' });
  const changed = await http.mutate<{ cancelLease: unknown }>({
    mutation: apolloGql(cancel),
    variables: { id: leaseId },
  });
  expect(changed.data?.cancelLease).toMatchObject({ userErrors: [] });
  const live = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() });
  const seen: number[] = [];
  const subscription = live
    .subscribe<{ leaseEvents: { sequence: number } }>({ query: apolloGql(events) })
    .subscribe(({ data }) => data && seen.push(data.leaseEvents.sequence));
  api.leases.publish(event(1), event(2));
  await vi.waitFor(() => expect(seen).toEqual([1, 2]), 120_000);
  subscription.unsubscribe();
  await socket.dispose();
});
