/** What each condition of a filter selects, and that several select what meets all of them. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Answer,
  apiOnNewDatabase,
  createNodes,
  createReservations,
  graphqlRequest,
  hour,
  lease,
  minute,
  now,
} from './fixture.ts';

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

const id = (type: string, number: number) => JSON.stringify(btoa(`${type}:${number}`));
const ids = (type: string, ...numbers: readonly number[]) =>
  `[${numbers.map((number) => id(type, number)).join(', ')}]`;
const interval = (start: number, end: number) =>
  `{ start: "${new Date(start).toISOString()}", end: "${new Date(end).toISOString()}" }`;

/** Lease -> when it was submitted. */
const submitted = { 1: now - 4 * hour, 2: now - 3 * hour, 3: now - 2 * hour, 4: now - hour };
const event = (sequence: number, leaseId: number, at: number, to: 'PENDING' | 'QUEUED' | 'SCHEDULED') =>
  ({ sequence, at, leaseId, from: 'NEW', to, reason: null }) as const;
const events = [
  event(1, 1, now, 'PENDING'),
  event(2, 2, now + minute, 'PENDING'),
  event(3, 1, now + 2 * minute, 'QUEUED'),
  event(4, 3, now + 3 * minute, 'QUEUED'),
  event(5, 2, now + 4 * minute, 'SCHEDULED'),
];

beforeAll(async () => {
  const { prisma } = api;
  await createNodes(prisma, 3);
  await prisma.project.createMany({ data: [{ name: 'one' }, { name: 'two' }] });
  await prisma.lease.createMany({
    data: Object.entries(submitted).map(([number, at]) =>
      lease(Number(number), {
        ...{ submittedAt: new Date(at), state: 'ACTIVE' },
        projectNumber: { 1: 1, 2: 2, 3: 1 }[number] ?? null,
      }),
    ),
  });
  await prisma.leaseEvent.createMany({
    data: events.map(({ at, leaseId, from, to, sequence }) => ({
      ...{ sequence, at: new Date(at), leaseNumber: leaseId, from, to },
    })),
  });
  const times = { start: now, end: now + hour };
  await createReservations(prisma, [
    { number: 1, lease: 1, ...times, state: 'ACTIVE', amounts: { 1: { CPU: 1 } } },
    { number: 2, lease: 1, ...times, state: 'SCHEDULED', amounts: { 2: { CPU: 1 } } },
    { number: 3, lease: 2, ...times, state: 'ACTIVE', amounts: { 2: { CPU: 1 }, 3: { CPU: 1 } } },
    { number: 4, lease: 3, ...times, state: 'CANCELLED', amounts: { 3: { CPU: 1 } } },
  ]);
  api.leases.publish(...events);
});

/** The numbers in a list's answer, and its count. */
async function found(list: string, filter: string): Promise<readonly number[]> {
  const { data, errors } = await api.ask(`{ ${list}(filter: { ${filter} }) { totalCount nodes { id } } }`);
  expect(errors).toBeUndefined();
  const numbers = data[list].nodes.map((node: { id: string }) => Number(atob(node.id).split(':')[1]));
  expect(data[list].totalCount).toBe(numbers.length);
  return numbers;
}

describe('LeaseFilter', () => {
  it.each([
    ['numbers', 'numbers: [4, 2, 9]', [2, 4]],
    ['no number', 'numbers: []', []],
    ['projects', `projects: ${ids('Project', 1)}`, [1, 3]],
    ['several projects', `projects: ${ids('Project', 1, 2)}`, [1, 2, 3]],
    ['submission', `submitted: ${interval(submitted[2], submitted[4])}`, [2, 3]],
    ['submission, to the millisecond', `submitted: ${interval(submitted[2] + 1, submitted[4] + 1)}`, [3, 4]],
    ['all of them', `numbers: [1, 2], projects: ${ids('Project', 1)}, submitted: ${interval(submitted[1], now)}`, [1]],
  ])('selects by %s', async (_what, filter, expected) => {
    expect(await found('leases', filter)).toEqual(expected);
  });
});

describe('ReservationFilter', () => {
  it.each([
    ['nodes', `nodes: ${ids('ComputeNode', 2)}`, [2, 3]],
    ['several nodes', `nodes: ${ids('ComputeNode', 1, 3)}`, [1, 3, 4]],
    ['leases', `leases: ${ids('Lease', 1)}`, [1, 2]],
    ['several leases', `leases: ${ids('Lease', 2, 3)}`, [3, 4]],
    ['states', 'states: [ACTIVE]', [1, 3]],
    ['several states', 'states: [SCHEDULED, CANCELLED]', [2, 4]],
    ['all of them', `nodes: ${ids('ComputeNode', 2)}, leases: ${ids('Lease', 1, 2)}, states: [ACTIVE]`, [3]],
  ])('selects by %s', async (_what, filter, expected) => {
    expect(await found('reservations', filter)).toEqual(expected);
  });
});

const eventFilters: readonly (readonly [string, string, readonly number[]])[] = [
  ['leases', `leases: ${ids('Lease', 1)}`, [1, 3]],
  ['several leases', `leases: ${ids('Lease', 2, 3)}`, [2, 4, 5]],
  ['an interval', `at: ${interval(now + minute, now + 3 * minute)}`, [2, 3]],
  ['states', 'to: [PENDING, SCHEDULED]', [1, 2, 5]],
  ['all of them', `leases: ${ids('Lease', 1, 3)}, at: ${interval(now + 1, now + hour)}, to: [QUEUED]`, [3, 4]],
];

/** What a subscription delivers. */
async function* deliveries(query: string): AsyncGenerator<Answer, void> {
  const request = graphqlRequest(query);
  request.headers.set('accept', 'text/event-stream');
  const { body } = await api.app.fetch(request);
  let text = '';
  for await (const chunk of body ?? []) {
    text += new TextDecoder().decode(chunk as Uint8Array);
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, data] = /^data: ?(.+)$/m.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (data) yield JSON.parse(data) as Answer;
    }
  }
}

describe('LeaseEventFilter', () => {
  it.each(eventFilters)('selects by %s in events', async (_what, filter, expected) => {
    expect(await found('events', filter)).toEqual(expected);
  });

  it.each(eventFilters)('selects by %s in leaseEvents', async (_what, filter, expected) => {
    const stream = deliveries(`subscription { leaseEvents(after: 0, filter: { ${filter} }) { sequence } }`);
    const seen: unknown[] = [];
    for await (const { data } of stream) {
      seen.push(data.leaseEvents.sequence);
      if (seen.length === expected.length) break;
    }
    expect(seen).toEqual(expected);
  });
});

/** Ends a test that hangs. */
const patient = { timeout: 60_000 };

describe('nodeChanged without a node', () => {
  it('delivers each node that changes, and none at the beginning', async () => {
    const { prisma } = api;
    const stream = deliveries('subscription { nodeChanged { number labels { key value } } }');
    for (const number of [2, 1]) {
      let seen: Answer | null = null;
      const next = stream.next().then(({ value }) => {
        seen = value ?? null;
      });
      // Repeated: what it compares with is read at some time after the subscription was opened.
      let version = 0;
      await vi.waitFor(async () => {
        version += 1;
        await prisma.computeNode.update({ where: { number }, data: { labels: { version: `${version}` } } });
        expect(seen).not.toBeNull();
      }, patient);
      await next;
      expect(seen).toMatchObject({ data: { nodeChanged: { number, labels: [{ key: 'version' }] } } });
      // Nothing of this node is left to deliver before the other one changes.
      await prisma.computeNode.update({ where: { number }, data: { labels: {} } });
      await vi.waitFor(async () => {
        const { value } = await stream.next();
        expect(value).toMatchObject({ data: { nodeChanged: { number, labels: [] } } });
      }, patient);
    }
    await stream.return();
  });
});
