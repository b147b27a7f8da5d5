import { Registry } from 'prom-client';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError, type LeaseEventRecord } from '../../src/engine/ports.ts';
import { type Api, apiOn, apiOnNewDatabase, lease, now, token } from '../api/fixture.ts';

const shared = await apiOnNewDatabase();
afterAll(() => shared[Symbol.asyncDispose]());

let api: Api;
let registry: Registry;
beforeEach(async () => {
  registry = new Registry();
  api = apiOn(shared.prisma, { registry });
  await shared.prisma.lease.deleteMany();
  await shared.prisma.lease.createMany({ data: [lease(1, { state: 'ACTIVE' }), lease(2)] });
});

const event = (sequence: number, leaseId = 1): LeaseEventRecord => ({
  sequence,
  at: now,
  leaseId,
  from: 'READY',
  to: 'ACTIVE',
  reason: null,
});
const events = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => event(from + index));
const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^leasegraph_${name} ([\\d.e-]+)$`, 'm').exec(await registry.metrics())?.[1]);

/** A client over server-sent events that reads on demand. */
const open = async (query: string, variables: object = {}, headers: Record<string, string> = {}) => {
  const response = await api.app.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    }),
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  const read = async (): Promise<string> => {
    const { value, done } = await reader.read();
    if (done) return '';
    chunks.push(value);
    return new TextDecoder().decode(value);
  };
  const ids = (): number[] =>
    [
      ...Buffer.concat(chunks)
        .toString()
        .matchAll(/^id: (\d+)$/gm),
    ].map(([, id]) => Number(id));
  const readUpTo = async (last: number): Promise<readonly number[]> => {
    while (ids().at(-1) !== last) await read();
    return ids();
  };
  await read();
  return { read, readUpTo, ids, close: () => reader.cancel(), chunks };
};

const all = 'subscription ($after: Long) { leaseEvents(after: $after) { sequence lease { number state } } }';

describe('equal subscriptions', () => {
  it('share one execution per event, and receive the same bytes', async () => {
    const clients = await Promise.all(Array.from({ length: 50 }, () => open(all)));
    expect([await metric('subscribers'), await metric('selections')]).toEqual([50, 1]);
    api.leases.publish(event(1));
    for (const client of clients) expect(await client.readUpTo(1)).toEqual([1]);
    expect(await metric('selection_executions_total')).toBe(1);
    expect(await metric('deliveries_total')).toBe(50);
    const [first, ...others] = clients.map(({ chunks }) => Buffer.concat(chunks.slice(1)).toString());
    expect(first).toBe(
      'id: 1\nevent: next\ndata: {"data":{"leaseEvents":{"sequence":1,"lease":{"number":1,"state":"ACTIVE"}}}}\n\n',
    );
    expect(new Set(others)).toEqual(new Set([first]));
    for (const client of clients) await client.close();
    expect([await metric('subscribers'), await metric('selections'), api.leases.streams]).toEqual([0, 0, 0]);
  });

  it('include those that differ only in their start', async () => {
    const literal = 'subscription { leaseEvents(after: 0) { sequence } }';
    const clients = await Promise.all([
      open(all),
      open(all, { after: 0 }),
      open(literal),
      open(literal.replace('0', '7')),
      open('subscription { leaseEvents { sequence } }'),
      open('subscription A { leaseEvents { sequence } }'),
      open(`subscription { leaseEvents(leaseId: "${btoa('Lease:1')}") { sequence } }`),
    ]);
    expect(await metric('selections')).toBe(4);
    for (const client of clients) await client.close();
  });

  it('share the pages that they read', async () => {
    api.leases.publish(...events(1, 250));
    const pages: number[] = [];
    const { eventsAfter } = api.leases;
    api.leases.eventsAfter = (request) => {
      pages.push(request.after);
      return eventsAfter.call(api.leases, request);
    };
    const clients = await Promise.all(Array.from({ length: 20 }, () => open(all, { after: 0 })));
    for (const client of clients)
      expect(await client.readUpTo(250)).toEqual(events(1, 250).map(({ sequence }) => sequence));
    expect(pages).toEqual([0, 100, 200]);
    expect(await metric('selection_executions_total')).toBe(250);
    expect(await metric('replay_pages_total{source="read"}')).toBe(3);
    expect(await metric('replay_pages_total{source="shared"}')).toBe(57);
    expect(await metric('read_wait_seconds_count{kind="replay"}')).toBe(3);
    for (const client of clients) await client.close();
  });

  it('show each event with the state at that time', async () => {
    const client = await open(all);
    api.leases.publish(event(1));
    expect(await client.read()).toContain('"state":"ACTIVE"');
    await shared.prisma.lease.update({ where: { number: 1 }, data: { state: 'DONE' } });
    api.leases.publish(event(2));
    expect(await client.read()).toContain('"state":"DONE"');
    await client.close();
  });
});

describe('the transition from reading to live events', () => {
  it('loses and repeats nothing, whenever a subscription begins', async () => {
    let last = 0;
    const publish = (count: number) => {
      api.leases.publish(...events(last + 1, last + count));
      last += count;
    };
    publish(30);
    const clients: { after: number; client: Awaited<ReturnType<typeof open>> }[] = [];
    for (let round = 0; round < 40; round += 1) {
      const after = Math.floor(Math.random() * last);
      clients.push({ after, client: await open(all, { after }) });
      publish(1 + (round % 7));
      if (round % 3 === 0) await new Promise((resolve) => setTimeout(resolve, round));
    }
    for (const { after, client } of clients) {
      expect(await client.readUpTo(last)).toEqual(events(after + 1, last).map(({ sequence }) => sequence));
      await client.close();
    }
  });

  it('resumes after the id of the last event received, or where the operation says if that is later', async () => {
    api.leases.publish(...events(1, 5));
    const returning = await open(all, {}, { 'last-event-id': '3' });
    expect(await returning.readUpTo(5)).toEqual([4, 5]);
    const explicit = await open(all, { after: 1 }, { 'last-event-id': '3' });
    expect(await explicit.readUpTo(5)).toEqual([4, 5]);
    const later = await open(all, { after: 4 }, { 'last-event-id': '3' });
    expect(await later.readUpTo(5)).toEqual([5]);
    const invalid = await open(all, {}, { 'last-event-id': 'x' });
    api.leases.publish(event(6));
    expect(await invalid.readUpTo(6)).toEqual([6]);
    for (const client of [returning, explicit, later, invalid]) await client.close();
  });

  it('delivers only the events of a lease to those that ask for them', async () => {
    const one = await open(`subscription { leaseEvents(leaseId: "${btoa('Lease:2')}", after: 0) { sequence } }`);
    api.leases.publish(event(1), event(2, 2), event(3));
    await vi.waitFor(async () => expect(await metric('subscriber_lag')).toBe(0));
    api.leases.publish(event(4, 2));
    expect(await one.readUpTo(4)).toEqual([2, 4]);
    await one.close();
  });
});

describe('delays', () => {
  it('are measured from the event to its last subscriber', async () => {
    const client = await open(all);
    expect([await metric('publish_lag_seconds_count'), await metric('fan_out_seconds_count')]).toEqual([0, 0]);
    api.leases.publish({ ...event(1), at: now - 3_000 });
    await client.readUpTo(1);
    expect(await metric('publish_lag_seconds_count')).toBe(1);
    expect(await metric('publish_lag_seconds_sum')).toBe(3);
    await vi.waitFor(async () => expect(await metric('fan_out_seconds_count')).toBe(1));
    expect(await metric('fan_out_seconds_sum')).toBeGreaterThan(0);
    await client.close();
  });

  it('are reported by queue: events for subscribers, queries, and reads of slow subscribers', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { eventsAfter } = api.leases;
    api.leases.eventsAfter = (request) => held.then(() => eventsAfter.call(api.leases, request));
    api.leases.publish(...events(1, 5));
    // As many selections as reads are allowed, and three more.
    const behind = await Promise.all(
      Array.from({ length: 7 }, (_, index) =>
        open(all.replace('sequence', `a${index}: sequence sequence`), { after: 0 }),
      ),
    );
    const query = api.ask('{ leases { totalCount } }');
    await vi.waitFor(async () => expect(await metric('reads_waiting{kind="query"}')).toBe(1));
    expect(await metric('reads_waiting{kind="replay"}')).toBe(3);
    go();
    for (const client of behind) await client.readUpTo(5);
    expect(await query).toMatchObject({ data: { leases: { totalCount: 2 } } });
    expect(await metric('reads_waiting{kind="query"}')).toBe(0);
    expect(await metric('reads_waiting{kind="replay"}')).toBe(0);
    expect(await metric('read_wait_seconds_count{kind="query"}')).toBe(1);

    const client = await open(all);
    api.leases.publish(event(6));
    await client.readUpTo(6);
    // The next beat is 50 ms after the last one.
    api.leases.publish(event(7), event(8));
    await vi.waitFor(async () => expect(await metric('fan_out_waiting')).toBeGreaterThan(0), { interval: 1 });
    await client.readUpTo(8);
    expect(await metric('fan_out_waiting')).toBe(0);
    for (const each of [client, ...behind]) await each.close();
  });
});

it('documents that were parsed before are counted', async () => {
  for (let count = 0; count < 3; count += 1) await api.ask('{ serverTime }');
  expect(await metric('documents_total{cache="miss"}')).toBe(1);
  expect(await metric('documents_total{cache="hit"}')).toBe(2);
});

describe('a slow subscriber', () => {
  it('returns to reading, and delays no other', async () => {
    const slow = await open(all);
    const quick = await open(all);
    for (let round = 1; round <= 5; round += 1) {
      api.leases.publish(...events(round * 10 - 9, round * 10));
      await quick.readUpTo(round * 10);
    }
    expect(await metric('subscribers_behind_total')).toBeGreaterThan(0);
    expect(await metric('subscriber_lag')).toBeGreaterThan(0);
    expect(await slow.readUpTo(50)).toEqual(events(1, 50).map(({ sequence }) => sequence));
    api.leases.publish(event(51));
    expect(await slow.readUpTo(51)).toHaveLength(51);
    for (const client of [slow, quick]) await client.close();
  });
});

it('a start after an event that has not happened is an error', async () => {
  api.leases.publish(event(1));
  const { eventsAfter } = api.leases;
  api.leases.eventsAfter = async (request) => {
    if (request.after > 1) throw new CommandError('INVALID_REQUEST', 'The newest has the number 1.', ['after']);
    return eventsAfter.call(api.leases, request);
  };
  const client = await open(all, { after: 99 });
  expect(await client.read()).toMatch(/^event: next\ndata: .*"code":"INVALID_REQUEST"/);
  expect(await client.read()).toBe('event: complete\ndata:\n\n');
  api.leases.eventsAfter = eventsAfter;
});

it('a read that fails ends the subscription with an error, and new ones can be made', async () => {
  api.leases.publish(event(1));
  const { eventsAfter } = api.leases;
  api.leases.eventsAfter = () => Promise.reject(new Error('a defect'));
  const failing = await open(all, { after: 0 });
  const live = await open(all, { after: 1 });
  expect(await failing.read()).toMatch(/^event: next\ndata: .*"code":"INTERNAL"/);
  expect(await failing.read()).toBe('event: complete\ndata:\n\n');
  api.leases.eventsAfter = eventsAfter;
  const again = await open(all, { after: 0 });
  expect(await again.readUpTo(1)).toEqual([1]);
  api.leases.publish(event(2));
  expect(await live.readUpTo(2)).toEqual([2]);
  for (const client of [again, live]) await client.close();
  expect(await metric('subscribers')).toBe(0);
});
