/** WebSockets whose peers or variables do not do as they should. */
import { on, once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createIdentity } from '../../src/identity/index.ts';
import { apiOn, apiOnNewDatabase, lease, token } from '../api/fixture.ts';

const shared = await apiOnNewDatabase();
afterAll(() => shared[Symbol.asyncDispose]());

async function served() {
  const api = apiOn(shared.prisma);
  const server = createServer(api.app.listener);
  api.app.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ api, port },
    [Symbol.asyncDispose]: async () => {
      await api.app.endSubscriptions();
      server.closeAllConnections();
      server.close();
    },
  };
}

test('an operation whose variable is null where it may not be is refused alone', async () => {
  await using site = await served();
  const socket = new WebSocket(`ws://127.0.0.1:${site.port}/graphql`, ['graphql-transport-ws']);
  await once(socket, 'open');
  const messages = on(socket, 'message')[Symbol.asyncIterator]();
  const answer = async () => JSON.parse(String((await messages.next()).value[0])) as object;
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  expect(await answer()).toMatchObject({ type: 'connection_ack' });
  const subscribe = (id: string, query: string, variables = {}) =>
    socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query, variables } }));
  subscribe('queue', 'subscription { queueChanged { length } }');
  expect(await answer()).toMatchObject({ id: 'queue', type: 'next' });
  const question = 'availability(machines: $m, duration: "PT1H") { earliestStart }';
  subscribe('null', `query ($m: [MachineSetInput!] = []) { ${question} }`, { m: null });
  expect(await answer()).toMatchObject({
    ...{ id: 'null', type: 'next' },
    payload: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
  });
  expect(await answer()).toMatchObject({ id: 'null', type: 'complete' });
  subscribe('time', '{ serverTime }');
  expect(await answer()).toMatchObject({ id: 'time', type: 'next' });
  expect(socket.readyState).toBe(socket.OPEN);
  socket.terminate();
});

/** A WebSocket on a bare connection, which answers no close. */
async function stubborn(port: number): Promise<{ readonly tcp: Socket; send(message: object): void }> {
  const tcp = connect(port, '127.0.0.1');
  await once(tcp, 'connect');
  tcp.write(
    [
      'GET /graphql HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
      '\r\n',
    ].join('\r\n'),
  );
  await once(tcp, 'data');
  return {
    tcp,
    send: (message) => {
      const payload = Buffer.from(JSON.stringify(message));
      // A text that is masked with zeros.
      const head = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
      tcp.write(Buffer.concat([head, payload]));
    },
  };
}

test.each(['is revoked', 'gets other rights'])(
  'a peer whose token %s changes nothing any more, and is cut off if it does not close',
  async (what) => {
    await using site = await served();
    const { api, port } = site;
    await shared.prisma.lease.deleteMany();
    await shared.prisma.lease.create({ data: lease(1, { state: 'ACTIVE' }) });
    const { tokens } = createIdentity({ prisma: shared.prisma, adminToken: 'x' });
    const created = await tokens.create({
      ...{ name: `its token ${what}`, role: 'OPERATOR', projects: [], expiresAt: null },
    });
    const { send, tcp } = await stubborn(port);
    const received = (text: string) =>
      new Promise<void>((resolve) => {
        const read = (data: Buffer): void => {
          if (!data.toString('latin1').includes(text)) return;
          tcp.off('data', read);
          resolve();
        };
        tcp.on('data', read);
      });
    const acknowledged = received('connection_ack');
    send({ type: 'connection_init', payload: { authorization: `Bearer ${created.secret}` } });
    await acknowledged;
    const query = `mutation { cancelLease(input: { id: "${btoa('Lease:1')}" }) { userErrors { code } } }`;
    const answered = received('userErrors');
    send({ id: 'before', type: 'subscribe', payload: { query } });
    await answered;
    expect(api.leases.cancelled).toEqual([1]);

    const id = btoa(`Token:${created.token.number}`);
    const ended = received(what === 'is revoked' ? 'Forbidden' : 'The rights');
    const cut = once(tcp, 'close');
    await api.ask(
      what === 'is revoked'
        ? `mutation { revokeToken(input: { id: "${id}" }) { userErrors { code } } }`
        : `mutation { updateToken(input: { id: "${id}", role: VIEWER }) { userErrors { code } } }`,
    );
    await ended;
    send({ id: 'after', type: 'subscribe', payload: { query } });
    await cut;
    expect(api.leases.cancelled).toEqual([1]);
  },
  10_000,
);
