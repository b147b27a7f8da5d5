import { createClient } from 'graphql-ws';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createIdentity } from '../../src/identity/index.ts';
import { clientAddresses } from '../../src/server/http/client-address.ts';
import { listen } from '../../src/server/http/listen.ts';
import { apiOn, apiOnNewDatabase } from '../api/fixture.ts';

describe('the address of a client', () => {
  it.each([
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['::ffff:192.0.2.1', undefined, '192.0.2.1'],
    [undefined, '192.0.2.1', null],
    // The header of what is no trusted proxy.
    ['192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    // What the client wrote itself stands before what the proxies wrote.
    ['10.1.2.3', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['10.1.2.3', '203.0.113.9, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['10.1.2.3', '10.4.4.4, 10.9.9.9', '10.4.4.4'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '198.51.100.7:5555', '198.51.100.7'],
    ['2001:db8:ffff::1', '[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2::/64'],
    ['2001:db8:ffff::1', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['::1', undefined, '0:0:0:0::/64'],
  ])('%s with X-Forwarded-For %s: %s', (peer, forwardedFor, address) => {
    expect(clientAddresses(['10.0.0.0/8', '2001:db8:ffff::1'])(peer, forwardedFor)).toBe(address);
  });

  it('is that of the connection where no proxy is trusted', () => {
    expect(clientAddresses([])('127.0.0.1', '198.51.100.7')).toBe('127.0.0.1');
  });
});

describe('the cost limit of an address', async () => {
  const api = await apiOnNewDatabase();
  afterAll(() => api[Symbol.asyncDispose]());
  const { tokens } = createIdentity({ prisma: api.prisma, adminToken: 'x' });
  const secrets: string[] = [];
  for (const name of ['one', 'two'])
    secrets.push((await tokens.create({ name, role: 'VIEWER', projects: [], expiresAt: null })).secret);
  const limits = { costBurstPerAddress: 60, costPerSecondPerAddress: 0.001 };

  async function serve(trustedProxies: readonly string[]) {
    const { app } = apiOn(api.prisma, { limits, trustedProxies });
    const listening = await listen('127.0.0.1', 0);
    listening.serve(app);
    const ask = (secret: string | undefined, forwardedFor: string) =>
      fetch(`${listening.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'x-forwarded-for': forwardedFor,
        },
        body: JSON.stringify({ query: '{ leases { nodes { number } } }' }),
      });
    return { ask, url: listening.url, [Symbol.asyncDispose]: () => listening.close(1_000) };
  }

  it('counts all principals of the address, and says when to come back', async () => {
    await using server = await serve([]);
    expect((await server.ask(secrets[0], '198.51.100.1')).status).toBe(200);
    // Without a trusted proxy another X-Forwarded-For changes nothing.
    const refused = await server.ask(secrets[1], '198.51.100.2');
    // 51 of 60 are spent; the other 42 come back at 0.001 per second.
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.closeTo(42_000, -2)]);
    expect(await refused.json()).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('more than all clients of your address may spend at present'),
          extensions: { code: 'RATE_LIMITED', retryAfter: expect.stringMatching(/^PT\d+S$/) },
        },
      ],
    });
  });

  it('is per client behind a trusted proxy', async () => {
    await using server = await serve(['127.0.0.1']);
    const answers = [];
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.1'])
      answers.push((await server.ask(secrets[0], address)).status);
    expect(answers).toEqual([200, 200, 429]);
  });

  it('includes what comes over WebSockets', async () => {
    await using server = await serve([]);
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${secrets[0]}` },
    });
    const codes = [];
    for (let count = 0; count < 2; count += 1)
      for await (const { errors } of client.iterate({ query: '{ leases { nodes { number } } }' }))
        codes.push(errors?.[0]?.extensions?.code);
    await client.dispose();
    expect(codes).toEqual([undefined, 'RATE_LIMITED']);
    expect((await server.ask(secrets[1], '')).status).toBe(429);
  });
});
