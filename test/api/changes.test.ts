import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { createIdentity } from '../../src/identity/index.ts';
import { type Answer, apiOnNewDatabase, createNodes, createReservations, hour, lease, now } from './fixture.ts';

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());
const { prisma } = api;

beforeEach(async () => {
  await prisma.lease.deleteMany();
  await prisma.computeNode.deleteMany();
  await createNodes(prisma, 2);
  await prisma.lease.create({ data: lease(1, { state: 'READY' }) });
});

const open: AbortController[] = [];
afterEach(() => {
  for (const stream of open.splice(0)) stream.abort();
});

const { tokens } = createIdentity({ prisma, adminToken: 'x' });
const id = (type: string, number: number) => btoa(`${type}:${number}`);

/** The data of server-sent events, and 'complete'. */
async function* watch(query: string, secret: string, onOpen = () => {}) {
  const stream = new AbortController();
  open.push(stream);
  const response = await api.app.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      signal: stream.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${secret}`,
      },
      body: JSON.stringify({ query }),
    }),
  );
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk as Uint8Array);
    onOpen();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const data = /^data: ?(.+)$/m.exec(block)?.[1];
      if (data) yield JSON.parse(data) as Answer;
      else if (block.includes('event: complete')) yield 'complete' as const;
    }
  }
}

let count = 0;
const operator = async () => {
  count += 1;
  const name = `operator-${count}`;
  return tokens.create({ name, role: 'OPERATOR', projects: [], expiresAt: null });
};

it('leaseChanged delivers the lease as it is, each change of it or its plan, and its end', async () => {
  const { secret } = await operator();
  const stream = watch(
    `subscription { leaseChanged(id: "${id('Lease', 1)}") { state reservations { totalCount } } }`,
    secret,
  );
  const next = async () => {
    const { value } = await stream.next();
    return value === 'complete' ? value : value?.data.leaseChanged;
  };
  expect(await next()).toEqual({ state: 'READY', reservations: { totalCount: 0 } });
  await createReservations(prisma, [
    { number: 1, lease: 1, start: now, end: now + hour, state: 'SCHEDULED', amounts: { 1: { CPU: 1 } } },
  ]);
  expect(await next()).toEqual({ state: 'READY', reservations: { totalCount: 1 } });
  await prisma.lease.update({ where: { number: 1 }, data: { state: 'DONE', endedAt: new Date(now) } });
  expect(await next()).toMatchObject({ state: 'DONE' });
  expect(await next()).toBe('complete');
});

it('nodeChanged delivers the nodes whose plan changes', async () => {
  const { secret } = await operator();
  const one = watch(`subscription { nodeChanged(id: "${id('ComputeNode', 2)}") { number } }`, secret);
  expect((await one.next()).value).toMatchObject({ data: { nodeChanged: { number: 2 } } });
  const next = one.next();
  await createReservations(prisma, [
    { number: 2, lease: 1, start: now, end: now + hour, state: 'SCHEDULED', amounts: { 1: { CPU: 1 } } },
    { number: 3, lease: 1, start: now, end: now + hour, state: 'SCHEDULED', amounts: { 2: { CPU: 1 } } },
  ]);
  expect((await next).value).toMatchObject({ data: { nodeChanged: { number: 2 } } });
});

it('queueChanged delivers the length and the head of the queue', async () => {
  const { secret } = await operator();
  const stream = watch('subscription { queueChanged { length head { number } } }', secret);
  const next = async () => ((await stream.next()).value as Answer).data.queueChanged;
  expect(await next()).toEqual({ length: 0, head: [] });
  await prisma.lease.create({ data: lease(2, { state: 'QUEUED', queueRank: 1 }) });
  expect(await next()).toEqual({ length: 1, head: [{ number: 2 }] });
});

it.each([
  ['queueChanged', 'subscription { queueChanged { length } }', true],
  ['leaseEvents', 'subscription { leaseEvents { sequence } }', false],
])('%s ends when the token is revoked', async (_name, subscription, deliversFirst) => {
  const { secret, token } = await operator();
  const stream = watch(subscription, secret);
  const ended = deliversFirst ? null : stream.next();
  if (deliversFirst) await stream.next();
  const query = `mutation { revokeToken(input: { id: "${id('Token', token.number)}" }) { userErrors { code } } }`;
  expect((await api.ask(query)).data.revokeToken.userErrors).toEqual([]);
  const { value } = await (ended ?? stream.next());
  expect((value as Answer).errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED');
  expect((await stream.next()).value).toBe('complete');
});

it.each([
  ['queueChanged', 'subscription { queueChanged { length } }'],
  ['leaseEvents', 'subscription { leaseEvents { sequence } }'],
])('%s ends without being completed when the rights of the token change', async (_name, subscription) => {
  const { secret, token } = await operator();
  const received: unknown[] = [];
  let opened = () => {};
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const reading = (async () => {
    for await (const value of watch(subscription, secret, opened)) received.push(value);
  })();
  await isOpen;
  const query = `mutation { updateToken(input: { id: "${id('Token', token.number)}", role: USER }) { userErrors { code } } }`;
  expect((await api.ask(query)).data.updateToken.userErrors).toEqual([]);
  await reading;
  expect(JSON.stringify(received)).not.toMatch(/complete|errors/);
});

it('cannot be opened for what the principal may not see', async () => {
  const { secret } = await tokens.create({ name: 'stranger', role: 'USER', projects: [], expiresAt: null });
  const stream = watch(`subscription { leaseChanged(id: "${id('Lease', 1)}") { number } }`, secret);
  const { value } = await stream.next();
  expect((value as Answer).errors?.[0]?.extensions?.code).toBe('LEASE_NOT_FOUND');
});
