import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as tcp } from 'node:net';
import { type Client, CloseCode, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createIdentity } from '../../src/identity/index.ts';
import { type Api, apiOn, apiOnNewDatabase, lease, now, token } from '../api/fixture.ts';

const shared = await apiOnNewDatabase();
afterAll(() => shared[Symbol.asyncDispose]());

describe('graphql-ws', () => {
  let api: Api;
  let url: string;
  const closers: (() => unknown)[] = [];

  const serve = async (limits = {}) => {
    const own = apiOn(shared.prisma, { limits });
    api = own;
    const server = createServer(own.app.listener);
    own.app.attach(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(async () => {
      await own.app.endSubscriptions();
      server.closeAllConnections();
      server.close();
    });
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  };

  beforeEach(async () => {
    await shared.prisma.lease.deleteMany();
    await shared.prisma.lease.create({ data: lease(1, { state: 'ACTIVE' }) });
    await serve();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  const connect = (connectionParams: Record<string, unknown> | undefined, at = url): Client => {
    const client = createClient({
      url: at,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      lazy: true,
      ...(connectionParams && { connectionParams }),
    });
    closers.push(() => client.dispose());
    return client;
  };
  const authorized = () => connect({ authorization: `Bearer ${token}` });
  const first = async (client: Client, query: string, variables?: Record<string, unknown>) => {
    for await (const answer of client.iterate({ query, ...(variables && { variables }) })) return answer;
    throw new Error('no answer');
  };
  const event = (sequence: number) =>
    ({ sequence, at: now, leaseId: 1, from: 'READY', to: 'ACTIVE', reason: null }) as const;

  it('carries queries, mutations and subscriptions', async () => {
    const client = authorized();
    expect(await first(client, '{ serverTime }')).toMatchObject({
      data: { serverTime: new Date(now).toISOString() },
    });
    expect(
      await first(client, 'mutation ($id: ID!) { cancelLease(input: { id: $id }) { userErrors { code } } }', {
        id: 'x',
      }),
    ).toMatchObject({
      data: { cancelLease: { userErrors: [{ code: 'INVALID_ID' }] } },
    });
    const events = client.iterate({
      query: 'subscription { leaseEvents(after: 0) { sequence lease { state } } }',
    });
    api.leases.publish(event(1));
    expect((await events.next()).value).toMatchObject({
      data: { leaseEvents: { sequence: 1, lease: { state: 'ACTIVE' } } },
    });
    await shared.prisma.lease.update({ where: { number: 1 }, data: { state: 'DONE' } });
    api.leases.publish(event(2));
    expect((await events.next()).value).toMatchObject({
      data: { leaseEvents: { sequence: 2, lease: { state: 'DONE' } } },
    });
    await events.return?.(undefined);
    await vi.waitFor(() => expect(api.leases.streams).toBe(0));
  });

  it('accepts the token from the handshake', async () => {
    class WithHeader extends WebSocket {
      constructor(address: string, protocols: string[]) {
        super(address, protocols, { headers: { authorization: `Bearer ${token}` } });
      }
    }
    const client = createClient({ url, webSocketImpl: WithHeader, retryAttempts: 0 });
    closers.push(() => client.dispose());
    expect(await first(client, '{ serverTime }')).toHaveProperty('data.serverTime');
  });

  it.each([
    ['no token', undefined],
    ['another token', { authorization: `Bearer ${token}x` }],
    ['the token without its scheme', { authorization: token }],
    ['a token that is no text', { authorization: 7 }],
  ])('refuses %s', async (_what, params) => {
    await expect(first(connect(params), '{ serverTime }')).rejects.toMatchObject({
      code: CloseCode.Forbidden,
    });
  });

  it.each(['is revoked', 'expires'])('closes connections with 4403 when their token %s', async (end) => {
    const { tokens } = createIdentity({ prisma: shared.prisma, adminToken: 'x' });
    const expiresAt = end === 'expires' ? new Date(Date.now() + 1_000) : null;
    const created = await tokens.create({
      name: `its token ${end}`,
      role: 'OPERATOR',
      projects: [],
      expiresAt,
    });
    const client = connect({ authorization: `Bearer ${created.secret}` });
    const stream = client.iterate({ query: 'subscription { queueChanged { length } }' });
    expect((await stream.next()).value).toMatchObject({ data: { queueChanged: { length: 0 } } });
    const ended = stream.next();
    ended.catch(() => {});
    const id = btoa(`Token:${created.token.number}`);
    const revoke = `mutation { revokeToken(input: { id: "${id}" }) { userErrors { code } } }`;
    if (end === 'is revoked') expect((await api.ask(revoke)).data.revokeToken.userErrors).toEqual([]);
    await expect(ended).rejects.toMatchObject({ code: CloseCode.Forbidden });
    await expect(first(client, '{ serverTime }')).rejects.toMatchObject({ code: CloseCode.Forbidden });
  });

  it.each(['queueChanged { length }', 'leaseEvents { sequence }'])(
    'closes connections with 1012 when the rights of their token change, and clients get the new ones: %s',
    async (subscription) => {
      const { tokens } = createIdentity({ prisma: shared.prisma, adminToken: 'x' });
      const name = `its-${subscription.split(' ')[0]}`;
      const created = await tokens.create({ name, role: 'OPERATOR', projects: [], expiresAt: null });
      const closes: unknown[] = [];
      const connections: unknown[] = [];
      const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
      const client = createClient({
        url,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${created.secret}` },
        retryWait: async () => {},
        on: {
          connected: (socket) => connections.push(socket),
          closed: (event) => closes.push((event as { code: number }).code),
        },
      });
      closers.push(() => client.dispose());
      const errors: unknown[] = [];
      client.subscribe(
        { query: `subscription { ${subscription} }` },
        { next: () => {}, error: (error) => errors.push(error), complete: () => errors.push('complete') },
      );
      await vi.waitFor(() => expect(connections).toHaveLength(1));
      const update = `mutation { updateToken(input: { id: "${btoa(`Token:${created.token.number}`)}", role: USER }) { userErrors { code } } }`;
      expect((await api.ask(update)).data.updateToken.userErrors).toEqual([]);
      await vi.waitFor(() => expect(connections).toHaveLength(2));
      expect(closes).toEqual([1012]);
      expect(await first(client, '{ viewer { role } }')).toEqual({
        data: { viewer: { role: 'USER' } },
        extensions: expect.anything(),
      });
      expect(errors).toEqual([]);
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    },
  );

  const raw = async (protocols = ['graphql-transport-ws'], at = url) => {
    const socket = new WebSocket(at, protocols);
    closers.push(() => socket.terminate());
    await once(socket, 'open');
    return socket;
  };
  const closed = async (socket: WebSocket): Promise<number> => ((await once(socket, 'close')) as [number])[0];
  const init = { type: 'connection_init', payload: { authorization: `Bearer ${token}` } };

  it('refuses variables that are nested too deep, and goes on', async () => {
    const socket = await raw();
    socket.send(JSON.stringify(init));
    await once(socket, 'message');
    const send = (id: string, query: string, variables: string) =>
      socket.send(
        `{"id":"${id}","type":"subscribe","payload":{"query":${JSON.stringify(query)},"variables":${variables}}}`,
      );
    const answer = async () => JSON.parse(String((await once(socket, 'message'))[0])) as object;
    for (const query of [
      'query ($x: LeaseFilter) { leases(filter: $x) { totalCount } }',
      'subscription ($x: ID) { leaseEvents(leaseId: $x) { sequence } }',
    ]) {
      send('deep', query, `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
      const message = 'The variables are nested deeper than 100 levels.';
      expect(await answer()).toMatchObject({
        ...{ id: 'deep', type: 'error' },
        payload: [{ message, extensions: { code: 'BAD_REQUEST' } }],
      });
    }
    send('flat', '{ serverTime }', `{"x":${'['.repeat(50)}${']'.repeat(50)}}`);
    expect(await answer()).toMatchObject({ id: 'flat', type: 'next', payload: { data: {} } });
  });

  it('closes a connection that sends an operation before the acknowledgement', async () => {
    const socket = await raw();
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '{ serverTime }' } }));
    expect(await closed(socket)).toBe(CloseCode.Unauthorized);
  });

  it('closes a connection that does not initialize, does so twice, repeats an id, or sends nonsense', async () => {
    const silent = await raw();
    const twice = await raw();
    twice.send(JSON.stringify(init));
    twice.send(JSON.stringify(init));
    expect(await closed(twice)).toBe(CloseCode.TooManyInitialisationRequests);
    const repeating = await raw();
    repeating.send(JSON.stringify(init));
    await once(repeating, 'message');
    const subscribe = JSON.stringify({
      id: '1',
      type: 'subscribe',
      payload: { query: 'subscription { leaseEvents { sequence } }' },
    });
    repeating.send(subscribe);
    repeating.send(subscribe);
    expect(await closed(repeating)).toBe(CloseCode.SubscriberAlreadyExists);
    const confused = await raw();
    confused.send('nonsense');
    expect(await closed(confused)).toBe(CloseCode.BadRequest);
    expect(await closed(silent)).toBe(CloseCode.ConnectionInitialisationTimeout);
    await vi.waitFor(() => expect(api.leases.streams).toBe(0));
  });

  it('serves no other path, and no other protocol', async () => {
    const socket = new WebSocket(url.replace('/graphql', '/elsewhere'), ['graphql-transport-ws']);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('404');
    const other = new WebSocket(url, ['graphql-ws']);
    expect(((await once(other, 'error')) as [Error])[0].message).toMatch(/subprotocol/i);
  });

  it('survives clients that disconnect during an operation', async () => {
    const { port } = new URL(url);
    const upgrade = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
    const breakOff = async (path: string, wait: number) => {
      const socket = tcp(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(upgrade(path));
      for (let turn = 0; turn < wait; turn++) await new Promise(setImmediate);
      socket.resetAndDestroy();
    };
    // Whether the server writes before it hears of it is up to the network: many times, then.
    for (let round = 0; round < 200; round++) {
      await Promise.all(['/', '/graphql', '/elsewhere'].map((path) => breakOff(path, round % 4)));
    }
    expect(await first(authorized(), '{ serverTime }')).toHaveProperty('data');
  });

  it("releases the engine's resources when a connection breaks", async () => {
    const socket = await raw();
    socket.send(JSON.stringify(init));
    await once(socket, 'message');
    socket.send(
      JSON.stringify({
        id: '1',
        type: 'subscribe',
        payload: { query: 'subscription { leaseEvents { sequence } }' },
      }),
    );
    await vi.waitFor(() => expect(api.leases.streams).toBe(1));
    socket.terminate();
    await vi.waitFor(() => expect(api.leases.streams).toBe(0));
  });

  it('answers errors without closing the connection', async () => {
    const client = authorized();
    const errors = (query: string) => first(client, query).catch((thrown: unknown) => thrown);
    expect(await errors('{')).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('Syntax Error'),
        extensions: { code: 'GRAPHQL_PARSE_FAILED' },
      }),
    ]);
    expect(await errors(`{ leases(filter: ${'['.repeat(4_900)}`)).toEqual([
      expect.objectContaining({ extensions: { code: 'OPERATION_TOO_LARGE' } }),
    ]);
    expect(await errors('query A { serverTime } query B { serverTime }')).toEqual([
      expect.objectContaining({ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }),
    ]);
    expect(await errors('query ($id: ID!) { node(id: $id) { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(await errors('{ nothing }')).toEqual([
      expect.objectContaining({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }),
    ]);
    expect(await errors('{ leases(first: 1000) { totalCount } }')).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(
      await errors(
        '{ leases(first: 100) { nodes { reservations(first: 100) { nodes { nodes { id } targets { machine } } } } } }',
      ),
    ).toMatchObject({
      errors: [{ extensions: { code: 'OPERATION_TOO_LARGE' } }],
    });
    api.leases.now = () => {
      throw new Error('secret');
    };
    const hidden = await errors('{ serverTime }');
    expect(hidden).toMatchObject({
      data: null,
      errors: [
        expect.objectContaining({
          path: ['serverTime'],
          extensions: { code: 'INTERNAL', requestId: expect.any(String) },
        }),
      ],
    });
    expect(JSON.stringify(hidden)).not.toContain('secret');
    api.leases.failure = new Error('secret');
    expect(JSON.stringify(await errors('subscription { leaseEvents { sequence } }'))).toMatch(/"code":"INTERNAL"/);
    expect(await first(client, '{ site { name } }')).toMatchObject({ data: { site: { name: 'test' } } });
  });

  it('limits the size of messages and the number of concurrent operations', async () => {
    await serve({ bodyBytes: 2_000, operationsPerConnection: 3 });
    const socket = await raw();
    socket.send(JSON.stringify({ ...init, padding: 'x'.repeat(3_000) }));
    expect(await closed(socket)).toBe(1009);

    const client = authorized();
    const streams = [1, 2, 3].map(() => client.iterate({ query: 'subscription { leaseEvents { sequence } }' }));
    for (const stream of streams) void stream.next();
    await vi.waitFor(() => expect(api.app.subscribers()).toBe(3));
    await expect(first(client, '{ serverTime }')).rejects.toEqual([
      expect.objectContaining({ extensions: { code: 'TOO_MANY_OPERATIONS' } }),
    ]);
    await streams[0]?.return?.(undefined);
    await vi.waitFor(() => expect(api.app.subscribers()).toBe(2));
    expect(await first(client, '{ serverTime }')).toHaveProperty('data');
  });

  it('closes with "Service Restart" and completes nothing when the server stops', async () => {
    const messages: string[] = [];
    const socket = await raw();
    socket.on('message', (data) => messages.push(JSON.parse(String(data)).type));
    socket.send(JSON.stringify(init));
    await once(socket, 'message');
    socket.send(
      JSON.stringify({
        id: '1',
        type: 'subscribe',
        payload: { query: 'subscription { leaseEvents { sequence } }' },
      }),
    );
    await vi.waitFor(() => expect(api.leases.streams).toBe(1));
    const code = closed(socket);
    await api.app.endSubscriptions();
    expect(await code).toBe(1012);
    expect(messages).toEqual(['connection_ack']);
  });

  it('answers a running mutation before it closes', async () => {
    let finish = () => {};
    api.leases.cancel = () => new Promise((resolve) => (finish = resolve));
    const client = authorized();
    const answer = first(
      client,
      `mutation { cancelLease(input: { id: "${btoa('Lease:1')}" }) { userErrors { code } } }`,
    );
    await vi.waitFor(() => expect(api.leases.cancelled).toEqual([1]));
    const ended = api.app.endSubscriptions();
    finish();
    expect(await answer).toMatchObject({ data: { cancelLease: { userErrors: [] } } });
    await ended;
  });

  it('delivers a burst to a client that reads slowly', async () => {
    const client = authorized();
    const events = client.iterate<{ leaseEvents: { sequence: number } }>({
      query: 'subscription { leaseEvents(after: 0) { sequence } }',
    });
    const count = 5_000;
    api.leases.publish(...Array.from({ length: count }, (_, index) => event(index + 1)));
    let seen = 0;
    for await (const { data } of events) {
      seen += 1;
      expect(data?.leaseEvents.sequence).toBe(seen);
      if (seen === count) break;
    }
  });
});
