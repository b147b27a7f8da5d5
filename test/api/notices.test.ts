import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NoticeRecord } from '../../src/engine/ports.ts';
import { createIdentity } from '../../src/identity/index.ts';
import { apiOn, apiOnNewDatabase, createNodes, lease, minute, now, token, webhooksOn } from './fixture.ts';

const database = await apiOnNewDatabase();
const { prisma } = database;
afterAll(() => database[Symbol.asyncDispose]());

const id = (type: string, number: number): string => Buffer.from(`${type}:${number}`).toString('base64');
const iso = (instant: number): string => new Date(instant).toISOString();

const records: readonly NoticeRecord[] = [
  notice(1, 'NODE_DOWN', { node: 2, message: 'Node 2 is down.' }),
  notice(2, 'LEASE_FAILED', {
    leaseId: 1,
    project: 1,
    reason: { code: 'NODE_FAILED', message: 'node 2 has failed' },
  }),
  notice(3, 'LEASE_ENDS_SOON', { leaseId: 2, project: 2, facts: { end: now + minute } }),
  notice(4, 'MAINTENANCE_SOON', {
    maintenance: 'm',
    facts: { start: now + minute, end: now + 2 * minute, nodes: [1] },
  }),
  notice(5, 'LEASE_MOVED', { leaseId: 9, facts: { previousStart: now, start: now + minute } }),
];

function notice(sequence: number, kind: NoticeRecord['kind'], rest: Partial<NoticeRecord> = {}): NoticeRecord {
  return {
    ...{ sequence, kind, at: now + sequence, leaseId: null, project: null, node: null, maintenance: null },
    ...{ message: `notice ${sequence}`, reason: null, facts: {} },
    ...rest,
  };
}

let memberToken = '';
beforeAll(async () => {
  await createNodes(prisma, 2);
  await prisma.project.createMany({ data: [{ name: 'one' }, { name: 'two' }] });
  await prisma.lease.createMany({
    data: [
      lease(1, { state: 'FAILED', projectNumber: 1 }),
      lease(2, { state: 'ACTIVE', projectNumber: 2, endNotice: 5n * 60_000n }),
      lease(3, {}),
    ],
  });
  await prisma.maintenance.create({
    data: { name: 'm', nodes: [1], start: new Date(now + minute), end: new Date(now + 2 * minute) },
  });
  await prisma.notice.createMany({
    data: records.map(({ leaseId, project, node, reason, at, facts, ...rest }) => ({
      ...rest,
      at: new Date(at),
      leaseNumber: leaseId,
      projectNumber: project,
      nodeNumber: node,
      facts: JSON.parse(JSON.stringify(facts)),
      reasonCode: reason?.code ?? null,
      reasonMessage: reason?.message ?? null,
    })),
  });
  const { tokens } = createIdentity({ prisma, adminToken: token });
  const made = await tokens.create({ name: 'member', role: 'VIEWER', projects: [1], expiresAt: null });
  memberToken = made.secret;
});

const api = apiOn(prisma, {
  services: {
    prisma,
    leases: database.leases,
    site: {
      name: 'test',
      resourceTypes: ['CPU', 'Memory'],
      clockSpeed: 1,
      acceptsKnownDurations: false,
      endNotice: 10 * minute,
    },
    identity: createIdentity({ prisma, adminToken: token }),
    webhooks: webhooksOn(prisma),
  },
});

const request = (query: string, bearer = token, accept = 'application/json'): Request =>
  new Request('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${bearer}` },
    body: JSON.stringify({ query }),
  });
const asMember = async (query: string) => (await api.app.fetch(request(query, memberToken))).json();

describe('Query.notices', () => {
  it('lists notices with all that they say', async () => {
    const { data } = await api.ask(`{ notices { totalCount nodes {
      id sequence at kind message reason { code } lease { number } node { hostname }
      maintenance { start } start previousStart end
    } } }`);
    const empty = { reason: null, lease: null, node: null, maintenance: null };
    const times = { start: null, previousStart: null, end: null };
    expect(data.notices).toEqual({
      totalCount: 5,
      nodes: [
        {
          ...{ ...empty, ...times, node: { hostname: 'node-2' }, message: 'Node 2 is down.' },
          ...{ id: id('Notice', 1), sequence: 1, at: iso(now + 1), kind: 'NODE_DOWN' },
        },
        {
          ...{ ...empty, ...times, reason: { code: 'NODE_FAILED' }, lease: { number: 1 } },
          ...{
            id: id('Notice', 2),
            sequence: 2,
            at: iso(now + 2),
            kind: 'LEASE_FAILED',
            message: 'notice 2',
          },
        },
        {
          ...{ ...empty, ...times, lease: { number: 2 }, end: iso(now + minute), message: 'notice 3' },
          ...{ id: id('Notice', 3), sequence: 3, at: iso(now + 3), kind: 'LEASE_ENDS_SOON' },
        },
        {
          ...{ ...empty, ...times, maintenance: { start: iso(now + minute) }, message: 'notice 4' },
          ...{ id: id('Notice', 4), sequence: 4, at: iso(now + 4), kind: 'MAINTENANCE_SOON' },
          ...{ start: iso(now + minute), end: iso(now + 2 * minute) },
        },
        {
          // Its lease is no longer kept.
          ...{ ...empty, ...times, previousStart: iso(now), start: iso(now + minute), message: 'notice 5' },
          ...{ id: id('Notice', 5), sequence: 5, at: iso(now + 5), kind: 'LEASE_MOVED' },
        },
      ],
    });
  });

  it.each([
    ['kinds: [NODE_DOWN, LEASE_MOVED]', [1, 5]],
    [`leases: ["${id('Lease', 2)}"]`, [3]],
    [`project: "${id('Project', 1)}"`, [2]],
    [`project: "${id('Project', 1)}", kinds: [NODE_DOWN]`, []],
  ])('selects by %s', async (filter, expected) => {
    const { data } = await api.ask(`{ notices(filter: { ${filter} }) { totalCount nodes { sequence } } }`);
    expect(data.notices).toEqual({
      totalCount: expected.length,
      nodes: expected.map((sequence) => ({ sequence })),
    });
  });

  it('shows notices of leases to those who may see the lease, and notices of nodes to all', async () => {
    const query = `{ notices { totalCount nodes { sequence } }
      foreign: node(id: "${id('Notice', 3)}") { id } own: node(id: "${id('Notice', 2)}") { id } }`;
    expect(await asMember(query)).toMatchObject({
      data: {
        notices: { totalCount: 3, nodes: [{ sequence: 1 }, { sequence: 2 }, { sequence: 4 }] },
        foreign: null,
        own: { id: id('Notice', 2) },
      },
    });
  });
});

describe('Subscription.notices', () => {
  const read = async (query: string, bearer: string, count: number): Promise<number[]> => {
    const { body } = await api.app.fetch(request(query, bearer, 'text/event-stream'));
    let text = '';
    const found = (): number[] => [...text.matchAll(/"sequence":(\d)/g)].map(([, each]) => Number(each));
    for await (const chunk of body ?? []) {
      text += new TextDecoder().decode(chunk as Uint8Array);
      if (found().length >= count) break;
    }
    return found();
  };

  it('delivers what the principal may see, after a sequence number', async () => {
    database.leases.notices.publish(...records);
    const all = 'subscription { notices(after: 1) { sequence } }';
    expect(await read(all, token, 4)).toEqual([2, 3, 4, 5]);
    expect(await read('subscription { notices(after: 0) { sequence } }', memberToken, 3)).toEqual([1, 2, 4]);
    const ofProject = `subscription { notices(after: 0, project: "${id('Project', 2)}") { sequence } }`;
    expect(await read(ofProject, token, 1)).toEqual([3]);
    const ofKind = 'subscription { notices(after: 0, filter: { kinds: [LEASE_MOVED] }) { sequence } }';
    expect(await read(ofKind, token, 1)).toEqual([5]);
  });

  it('does not mix with events, whose sequence numbers are others', async () => {
    const event = { at: now, leaseId: 1, from: 'READY', to: 'ACTIVE', reason: null } as const;
    database.leases.publish({ ...event, sequence: 1 }, { ...event, sequence: 2 });
    const events = 'subscription { leaseEvents(after: 0) { sequence } }';
    const [first, second] = await Promise.all([
      read(events, token, 2),
      read('subscription { notices(after: 0) { sequence } }', token, 5),
    ]);
    expect([first, second]).toEqual([
      [1, 2],
      [1, 2, 3, 4, 5],
    ]);
  });
});

describe('why a node is down', () => {
  const cause = 'its host does not answer: ssh: root@10.0.0.7: no route: 1';
  const down = notice(6, 'NODE_DOWN', {
    ...{ node: 2, message: `Node 2 is down: ${cause}.`, reason: { code: 'HOST', message: cause } },
  });
  const fields = 'message reason { code message }';

  it('is told to operators, and to others without the reason', async () => {
    await prisma.notice.create({
      data: {
        ...{ sequence: 6, at: new Date(now), kind: 'NODE_DOWN', nodeNumber: 2, message: down.message },
        ...{ facts: {}, reasonCode: 'HOST', reasonMessage: cause },
      },
    });
    database.leases.notices.publish(down);
    const { tokens } = createIdentity({ prisma, adminToken: token });
    const told = { message: down.message, reason: down.reason };
    const untold = { message: 'Node 2 is down.', reason: null };
    for (const [role, expected] of [
      ['VIEWER', untold],
      ['USER', untold],
      ['OPERATOR', told],
      ['ADMIN', told],
    ] as const) {
      const { secret } = await tokens.create({ name: `a-${role}`, role, projects: [1], expiresAt: null });
      const ask = async (query: string, accept?: string) => api.app.fetch(request(query, secret, accept));
      const page = await ask(`{ notices(last: 1) { nodes { ${fields} } }
        node(id: "${id('Notice', 6)}") { ... on Notice { ${fields} } } }`);
      expect(await page.json()).toMatchObject({ data: { notices: { nodes: [expected] }, node: expected } });
      const { body } = await ask(`subscription { notices(after: 5) { ${fields} } }`, 'text/event-stream');
      let text = '';
      for await (const chunk of body ?? []) {
        text += new TextDecoder().decode(chunk as Uint8Array);
        if (text.includes('"notices"')) break;
      }
      const [, received = ''] = /^data: ?(\{.*"notices".*)$/m.exec(text) ?? [];
      expect(JSON.parse(received)).toMatchObject({ data: { notices: expected } });
    }
  });
});

describe('endNotice', () => {
  it('is that of the lease, or of the site', async () => {
    const { data } = await api.ask('{ a: lease(number: 2) { endNotice } b: lease(number: 3) { endNotice } }');
    expect(data).toEqual({ a: { endNotice: 'PT5M' }, b: { endNotice: 'PT10M' } });
  });

  it('is requested and updated', async () => {
    database.leases.answer = async () => 3;
    const machines = 'machines: [{ count: 1, capacity: [{ type: "CPU", amount: 100 }] }]';
    const requested = await api.ask(`mutation { requestLease(input: { type: BEST_EFFORT, duration: "PT1H",
      endNotice: "PT20M", ${machines} }) { userErrors { code } } }`);
    expect(requested.data.requestLease.userErrors).toEqual([]);
    expect(database.leases.requests.at(-1)?.request.endNotice).toBe(20 * minute);
    await api.ask(`mutation { updateLease(input: { id: "${id('Lease', 3)}", endNotice: "PT0S" }) {
      userErrors { code message } } }`);
    expect(database.leases.submitted.at(-1)).toEqual({
      kind: 'update',
      input: { leaseNumber: 3, update: { endNotice: 0 } },
    });
  });
});
