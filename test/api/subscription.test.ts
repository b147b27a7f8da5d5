import { parse, subscribe } from 'graphql';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { apiContext, schema } from '../../src/api/index.ts';
import { CommandError } from '../../src/engine/ports.ts';
import { administrator, createIdentity } from '../../src/identity/index.ts';
import { type Answer, type Api, apiOn, apiOnNewDatabase, graphqlRequest, lease, now, webhooksOn } from './fixture.ts';

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

let current: Api;
beforeEach(async () => {
  current = apiOn(api.prisma);
  await api.prisma.lease.deleteMany();
  await api.prisma.lease.createMany({ data: [lease(1, { state: 'ACTIVE' }), lease(2)] });
});

const event = (sequence: number, leaseId = 1) =>
  ({ sequence, at: now, leaseId, from: 'READY', to: 'ACTIVE', reason: { code: 'C', message: 'M' } }) as const;

/** Server-sent events, parsed. */
async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: Answer | null }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: ?(.+)$/m.exec(block)?.[1];
      if (name) yield { event: name, data: data ? JSON.parse(data) : null };
    }
  }
}

const watch = async (query: string) => {
  const request = graphqlRequest(query);
  request.headers.set('accept', 'text/event-stream');
  const response = await current.app.fetch(request);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return eventsOf(response);
};

describe('leaseEvents', () => {
  const streams: AsyncGenerator[] = [];
  const open = async (query: string) => {
    const stream = await watch(query);
    streams.push(stream);
    return stream;
  };
  afterEach(async () => {
    for (const stream of streams.splice(0)) await stream.return(undefined);
  });

  it('delivers committed events with all their fields', async () => {
    const stream = await open(
      'subscription { leaseEvents { id sequence at from to reason { code message } lease { number state } } }',
    );
    const next = stream.next();
    await vi.waitFor(() => expect(current.leases.streams).toBe(1));
    current.leases.publish(event(7));
    expect((await next).value).toEqual({
      event: 'next',
      data: {
        data: {
          leaseEvents: {
            id: btoa('LeaseEvent:7'),
            sequence: 7,
            at: new Date(now).toISOString(),
            from: 'READY',
            to: 'ACTIVE',
            reason: { code: 'C', message: 'M' },
            lease: { number: 1, state: 'ACTIVE' },
          },
        },
      },
    });
  });

  it('reads the lease again for each event', async () => {
    const stream = await open('subscription { leaseEvents(after: 0) { lease { state } } }');
    const state = async () => (await stream.next()).value.data.data.leaseEvents.lease.state;
    current.leases.publish(event(1));
    expect(await state()).toBe('ACTIVE');
    await api.prisma.lease.update({ where: { number: 1 }, data: { state: 'DONE' } });
    current.leases.publish(event(2));
    expect(await state()).toBe('DONE');
  });

  it('replays the events of one lease from a sequence number', async () => {
    current.leases.publish(event(1), event(2, 2), event(3), event(4, 2), event(5));
    const stream = await open(`subscription { leaseEvents(after: 1, leaseId: "${btoa('Lease:1')}") { sequence } }`);
    const seen: number[] = [];
    for await (const { data } of stream) {
      seen.push(data?.data.leaseEvents.sequence);
      if (seen.length === 2) current.leases.publish(event(6, 2), event(7));
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([3, 5, 7]);
  });

  it.each([
    ['a malformed lease', 'leaseId: "x"', 'INVALID_ID'],
    ['an unknown lease', `leaseId: "${btoa('Lease:77')}"`, 'LEASE_NOT_FOUND'],
    ['a negative sequence number', 'after: -1', undefined],
  ])('refuses %s', async (_what, args, code) => {
    const request = graphqlRequest(`subscription { leaseEvents(${args}) { sequence } }`);
    request.headers.set('accept', 'text/event-stream');
    const stream = eventsOf(await current.app.fetch(request));
    const first = (await stream.next()).value;
    expect((await stream.next()).value?.event).toBe('complete');
    expect(first?.data?.errors).toEqual([expect.objectContaining({ message: expect.any(String) })]);
    if (code) expect(first?.data?.errors?.[0]?.extensions?.code).toBe(code);
    expect(current.leases.streams).toBe(0);
  });

  it.each([
    [
      new CommandError('EVENTS_EXPIRED', 'the oldest event that is kept is 12'),
      'EVENTS_EXPIRED',
      'the oldest event that is kept is 12',
    ],
    [new Error('secret'), 'INTERNAL', expect.not.stringContaining('secret')],
  ])('delivers the error that ends it: %s', async (failure, code, message) => {
    current.leases.failure = failure;
    const stream = await open('subscription { leaseEvents(after: 3) { sequence } }');
    expect((await stream.next()).value.data).toEqual({
      data: null,
      errors: [expect.objectContaining({ message, extensions: expect.objectContaining({ code }) })],
    });
    expect((await stream.next()).value.event).toBe('complete');
  });

  it('releases the stream of the engine at once when the client disconnects, before and after the first event', async () => {
    for (const events of [0, 1]) {
      const stream = await watch('subscription { leaseEvents { sequence } }');
      const first = stream.next();
      await vi.waitFor(() => expect(current.leases.streams).toBe(1));
      if (events > 0) {
        current.leases.publish(event(events));
        await first;
      }
      void stream.return(undefined);
      // A generator's return waits for its pending read: the connection is what is dropped.
      await current.app.endSubscriptions();
      await vi.waitFor(() => expect(current.leases.streams).toBe(0));
      current = apiOn(api.prisma);
    }
  });

  it('ends without waiting for the next event', async () => {
    const result = await subscribe({
      schema,
      document: parse('subscription { leaseEvents { sequence } }'),
      contextValue: apiContext(
        {
          prisma: api.prisma,
          leases: current.leases,
          site: { name: '', resourceTypes: [], clockSpeed: 1, acceptsKnownDurations: false },
          identity: createIdentity({ prisma: api.prisma, adminToken: 'secret' }),
          webhooks: webhooksOn(api.prisma),
        },
        administrator,
        'request-1',
      ),
    });
    if (!(Symbol.asyncIterator in result)) throw new Error('no stream');
    const pending = result.next();
    await vi.waitFor(() => expect(current.leases.streams).toBe(1));
    await result.return(undefined);
    expect(current.leases.streams).toBe(0);
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  it('is cut without being completed when the server stops', async () => {
    const stream = await open('subscription { leaseEvents { sequence } }');
    const next = stream.next();
    await vi.waitFor(() => expect(current.leases.streams).toBe(1));
    await current.app.endSubscriptions();
    expect(await next).toEqual({ done: true, value: undefined });
    await vi.waitFor(() => expect(current.leases.streams).toBe(0));
    // One that comes later ends at once.
    const late = await open('subscription { leaseEvents { sequence } }');
    expect((await late.next()).done).toBe(true);
  });
});
