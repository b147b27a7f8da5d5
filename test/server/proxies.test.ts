import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { createClient } from 'graphql-ws';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { listen } from '../../src/server/http/listen.ts';
import { apiOn, apiOnNewDatabase, now, token } from '../api/fixture.ts';
import { nginxMissing, startNginx } from '../support/nginx.ts';
import { freePort } from '../support/postgres.ts';

const shared = await apiOnNewDatabase();
afterAll(() => shared[Symbol.asyncDispose]());

const event = (sequence: number) =>
  ({ sequence, at: now, leaseId: 1, from: 'READY', to: 'ACTIVE', reason: null }) as const;
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const subscription = JSON.stringify({ query: 'subscription { leaseEvents { sequence } }' });

/** A server behind nginx; `configure` receives the server's address and the port to listen on. */
const behind = async (configure: (upstream: string, port: number) => string) => {
  const listening = await listen('127.0.0.1', 0);
  const api = apiOn(shared.prisma);
  listening.serve(api.app);
  const port = await freePort();
  const nginx = await startNginx(configure(new URL(listening.url).host, port), port);
  onTestFinished(async () => {
    await nginx[Symbol.asyncDispose]();
    await listening.close(1_000);
  });
  return { api, port, nginx };
};

/** Reads until the text matches. */
async function until(chunks: AsyncIterable<Uint8Array | string>, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    if (pattern.test(text)) return text;
  }
  throw new Error(`the stream ended: ${text}`);
}

describe.skipIf(nginxMissing !== null)(`nginx${nginxMissing === null ? '' : `: ${nginxMissing}`}`, () => {
  const plain = (upstream: string, port: number) =>
    `events {} http { server { listen 127.0.0.1:${port}; location / { proxy_pass http://${upstream}; } } }`;

  it('passes queries with only proxy_pass', async () => {
    const { port } = await behind(plain);
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: '{ serverTime }' }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { data: { serverTime: new Date(now).toISOString() } },
    ]);
  });

  it('passes events without delay with only proxy_pass', async () => {
    const { api, port } = await behind(plain);
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream' },
      body: subscription,
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    const body = response.body as unknown as AsyncIterable<Uint8Array> & ReadableStream;
    const received = until(body, /"sequence":1/);
    await expect.poll(() => api.leases.streams).toBe(1);
    api.leases.publish(event(1));
    expect(await received).toContain('data: {"data":{"leaseEvents":{"sequence":1}}}');
    await expect.poll(() => api.leases.streams).toBe(0);
  });

  describe('as docs/operations.md shows it', () => {
    const documented = (upstream: string, port: number) => {
      const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
      const [, configuration = ''] = /```nginx\n(.*?)```/s.exec(page) ?? [];
      expect(configuration).toContain('listen 443 ssl http2;');
      return configuration
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace('127.0.0.1:4000', upstream)
        .replace(/ssl_certificate .*;/, 'ssl_certificate DIR/tls.crt;')
        .replace(/ssl_certificate_key .*;/, 'ssl_certificate_key DIR/tls.key;');
    };

    it('serves queries and event streams over one connection of HTTP/2', async () => {
      const { api, port, nginx } = await behind(documented);
      const session = connect(`https://localhost:${port}`, {
        ca: readFileSync(`${nginx.directory}/tls.crt`),
      });
      onTestFinished(() => session.destroy());
      const post = async (body: string, accept: string) => {
        const stream = session.request({ ':method': 'POST', ':path': '/graphql', ...headers, accept });
        stream.setEncoding('utf8').end(body);
        const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders];
        return { answered, stream };
      };
      const streams = await Promise.all(Array.from({ length: 10 }, () => post(subscription, 'text/event-stream')));
      await expect.poll(() => api.app.subscribers()).toBe(10);
      const query = await post(JSON.stringify({ query: '{ serverTime }' }), 'application/json');
      expect(query.answered[':status']).toBe(200);
      expect(query.answered['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
      expect(await until(query.stream, /serverTime/)).toContain('"serverTime"');
      api.leases.publish(event(1));
      for (const { stream } of streams) expect(await until(stream, /"sequence":1/)).toContain('event: next');
    });

    it('serves WebSockets', async () => {
      const { api, port } = await behind(documented);
      class Trusting extends WebSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols, { rejectUnauthorized: false });
        }
      }
      const client = createClient({
        url: `wss://localhost:${port}/graphql`,
        webSocketImpl: Trusting,
        connectionParams: { authorization: headers.authorization },
        retryAttempts: 0,
      });
      onTestFinished(() => client.dispose());
      const events = client.iterate({ query: 'subscription { leaseEvents { sequence } }' });
      const next = events.next();
      await expect.poll(() => api.leases.streams).toBe(1);
      api.leases.publish(event(1));
      expect((await next).value).toEqual({ data: { leaseEvents: { sequence: 1 } } });
    });
  });
});
