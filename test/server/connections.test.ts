import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type Listening, listen } from '../../src/server/http/listen.ts';
import { type Api, apiOn, apiOnNewDatabase, token } from '../api/fixture.ts';

const shared = await apiOnNewDatabase();
afterAll(() => shared[Symbol.asyncDispose]());

const host = '127.0.0.1';
const open: { listening: Listening; sockets: Socket[] }[] = [];
afterEach(async () => {
  for (const { listening, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await listening.close(1_000);
  }
});

const serve = async (limits = {}) => {
  const listening = await listen(host, 0);
  const api: Api = apiOn(shared.prisma, { limits });
  listening.serve(api.app);
  const sockets: Socket[] = [];
  open.push({ listening, sockets });
  const dial = () => {
    const socket = connect(Number(new URL(listening.url).port), host);
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    socket.on('error', () => {});
    sockets.push(socket);
    return { socket, received: () => received };
  };
  return { listening, api, dial };
};

const authorization = `Authorization: Bearer ${token}`;
const post = (body: string | Buffer, headers = '') =>
  `POST /graphql HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
const chunked = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;

describe('a refused request body', () => {
  it.each([
    ['announced', () => post('x'.repeat(2_000))],
    [
      'sent in chunks',
      () =>
        `POST /graphql HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(2_000)}`,
    ],
  ])('is answered with 413, and its connection is closed: %s', async (_how, request) => {
    const { dial } = await serve({ bodyBytes: 500 });
    const { socket, received } = dial();
    socket.write(request());
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1\.1 413 .*connection: close.*REQUEST_ENTITY_TOO_LARGE/is);
  });

  it('is answered even if its sender continues to send', async () => {
    const { dial } = await serve({ bodyBytes: 500 });
    const { socket, received } = dial();
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const sending = setInterval(() => socket.write(chunked(1_000)), 5);
    await vi.waitFor(() => expect(received()).toContain('HTTP/1.1 413 '));
    await once(socket, 'close');
    clearInterval(sending);
  });
});

describe('a compressed body', () => {
  const body = JSON.stringify({ query: '{ serverTime }' });
  const send = async (bytes: Buffer, encoding: string, limits = {}) => {
    const { listening } = await serve(limits);
    const response = await fetch(`${listening.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-encoding': encoding,
      },
      body: new Uint8Array(bytes),
    });
    return [response.status, await response.text()] as const;
  };

  it('is accepted with gzip', async () => {
    expect(await send(gzipSync(body), 'GZIP')).toEqual([200, expect.stringContaining('"serverTime":"')]);
  });

  it('is limited by its uncompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, 0x20));
    expect(bomb.length).toBeLessThan(10_000);
    expect(await send(bomb, 'gzip', { bodyBytes: 10_000 })).toEqual([413, expect.stringContaining('10000 bytes')]);
  });

  it('is refused if it is damaged or has another encoding', async () => {
    expect(await send(Buffer.from(body), 'gzip')).toEqual([400, expect.stringContaining('BAD_REQUEST')]);
    expect(await send(Buffer.from(body), 'zstd')).toEqual([415, expect.stringContaining('zstd')]);
  });
});

describe('a client that sends requests without reading responses', () => {
  it('has a limited number of requests in progress', async () => {
    const { api, dial } = await serve({ pipelinedRequests: 20 });
    api.leases.cancel = () => new Promise(() => {});
    const mutation = JSON.stringify({
      query: `mutation { cancelLease(input: { id: "${btoa('Lease:1')}" }) { userErrors { code } } }`,
    });
    const { socket } = dial();
    socket.write(post(mutation).repeat(20));
    await vi.waitFor(() => expect(api.leases.cancelled).toHaveLength(8));
    await new Promise((resolve) => setImmediate(resolve));
    expect(api.leases.cancelled).toHaveLength(8);
    socket.write(post(mutation));
    await once(socket, 'close');
  });

  it('receives the responses to pipelined requests in order', async () => {
    const { dial } = await serve();
    const { socket, received } = dial();
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
    socket.write(numbers.map((number) => post(JSON.stringify({ query: `{ a${number}: serverTime }` }))).join(''));
    await vi.waitFor(() => expect(received()).toContain('"a50"'), 120_000);
    expect([...received().matchAll(/"a(\d+)"/g)].map(([, number]) => Number(number))).toEqual(numbers);
  });

  it('is disconnected when it takes too long to read a response', async () => {
    const { dial } = await serve({ writeTimeout: 100 });
    const { socket } = dial();
    socket.pause();
    socket.write(`GET /graphql HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n`);
    // More than the buffers of both ends of the connection take.
    const script = 'GET /graphql/assets/SCRIPT HTTP/1.1\r\nHost: a\r\n\r\n';
    const { listening } = open.at(-1) as (typeof open)[number];
    const html = await (await fetch(`${listening.url}/graphql`, { headers: { accept: 'text/html' } })).text();
    const name = /graphiql-[0-9a-f]+\.js/.exec(html)?.[0] ?? '';
    socket.write(script.replace('SCRIPT', name).repeat(6));
    const closed = once(socket, 'close');
    await new Promise((resolve) => setTimeout(resolve, 500));
    socket.resume();
    await closed;
  });
});
