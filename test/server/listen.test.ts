import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ListenError, listen } from '../../src/server/http/listen.ts';
import { apiOn, apiOnNewDatabase, token } from '../api/fixture.ts';
import { freePort } from '../support/postgres.ts';

const shared = await apiOnNewDatabase();
afterAll(() => shared[Symbol.asyncDispose]());

const host = '127.0.0.1';
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

describe('listening', () => {
  it('is alive and not ready before the app is set', async () => {
    const listening = await listen(host, 0);
    const get = (path: string) => fetch(`${listening.url}${path}`);
    expect((await get('/livez')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/graphql')).status).toBe(503);
    const api = apiOn(shared.prisma);
    listening.serve(api.app);
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/graphql')).status).toBe(401);
    // Longer than common proxies keep a connection.
    expect((await get('/livez')).headers.get('keep-alive')).toBe('timeout=65');
    await listening.close(1_000);
    await expect(get('/livez')).rejects.toThrow();
  });

  it('reports a port in use, an address of another machine, and a port without permission', async () => {
    const port = await freePort();
    const other = createServer().listen(port, host);
    await once(other, 'listening');
    await expect(listen(host, port)).rejects.toThrow(
      new ListenError(`port ${port} of ${host} is in use by another process. Stop it, or set PORT to another port.`),
    );
    other.close();
    await expect(listen('192.0.2.1', 0)).rejects.toThrow(/192\.0\.2\.1 is not an address of this machine/);
  });

  it('finishes requests, cuts streams without completing them, and refuses new connections on close', async () => {
    const listening = await listen(host, 0);
    const api = apiOn(shared.prisma);
    listening.serve(api.app);
    let finish = () => {};
    api.leases.cancel = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const post = (query: string, accept = 'application/json') =>
      fetch(`${listening.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, accept },
        body: JSON.stringify({ query }),
      });
    const mutation = post(`mutation { cancelLease(input: { id: "${btoa('Lease:1')}" }) { userErrors { code } } }`);
    const stream = await post('subscription { leaseEvents { sequence } }', 'text/event-stream');
    await vi.waitFor(() => expect([api.leases.cancelled.length, api.leases.streams]).toEqual([1, 1]));

    const closing = listening.close(10_000);
    expect(await stream.text()).toBe(':\n\n');
    await expect(post('{ serverTime }')).rejects.toThrow();
    finish();
    const answer = await mutation;
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toMatchObject({ data: { cancelLease: { userErrors: [] } } });
    await closing;
  });

  it('answers invalid addresses and other upgrades without internal details', async () => {
    const listening = await listen(host, 0);
    listening.serve(apiOn(shared.prisma).app);
    const ask = async (request: string): Promise<string> => {
      const socket = connect(Number(new URL(listening.url).port), host);
      socket.write(`${request}Connection: close\r\n\r\n`);
      return text(socket);
    };
    for (const address of ['[bad', 'a b', 'x:y:z']) {
      const answer = await ask(`GET / HTTP/1.1\r\nHost: ${address}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"BAD_REQUEST"');
      expect(answer).not.toMatch(/node:|\/src\//);
    }
    // The connection is closed as well.
    expect(await ask('POST /graphql HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    );
    await listening.close(1_000);
  });

  it('answers every request of a client that offers HTTP/2 over one connection', async () => {
    const listening = await listen(host, 0);
    listening.serve(apiOn(shared.prisma).app);
    const socket = connect(Number(new URL(listening.url).port), host);
    let answered = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answered += text;
    });
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    const [begin, end] = ['{"query":', '"{serverTime}"}'];
    for (let nth = 0; nth < 20; nth++) {
      socket.write(
        `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${begin.length + end.length}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n${begin}`,
      );
      socket.write(end);
      await vi.waitFor(() => expect(answered.split('{"data":{"serverTime"')).toHaveLength(nth + 2));
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
    await listening.close(1_000);
    socket.destroy();
  });

  it('closes unfinished requests at the deadline', async () => {
    const listening = await listen(host, 0);
    const api = apiOn(shared.prisma);
    listening.serve(api.app);
    api.leases.cancel = () => new Promise(() => {});
    const query = `mutation { cancelLease(input: { id: "${btoa('Lease:1')}" }) { userErrors { code } } }`;
    const stuck = fetch(`${listening.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const failure = stuck.catch((error: Error) => error);
    await vi.waitFor(() => expect(api.leases.cancelled.length).toBe(1));
    const started = performance.now();
    await listening.close(100);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await failure).toBeInstanceOf(Error);
  });

  it('does not wait for WebSocket clients that no longer read', async () => {
    const listening = await listen(host, 0);
    listening.serve(apiOn(shared.prisma).app);
    const socket = new WebSocket(`${listening.url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws']);
    await once(socket, 'open');
    socket.pause();
    const gone = once(socket, 'close');
    const started = performance.now();
    await listening.close(100);
    expect(performance.now() - started).toBeLessThan(2_000);
    socket.resume();
    await gone;
  });
});
