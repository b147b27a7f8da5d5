/**
 * Pages of lists neither lose nor repeat rows while other rows come and go between them. The first test fails for a
 * connection of the schema that is not read here.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import type { Prisma } from '../../src/store/prisma/client.ts';
import { apiOnNewDatabase, createNodes, createReservations, hour, lease, now } from './fixture.ts';

const api = await apiOnNewDatabase({ limits: { costBurst: 1e12, costPerSecond: 1e12 } });
afterAll(() => api[Symbol.asyncDispose]());
const { prisma } = api;

const factor = Number(process.env.PROPERTY_FACTOR ?? 1);

/** A row of a list: its number, and a small value that orders it together with others of the same value. */
interface Row {
  readonly number: number;
  readonly value: number;
}

interface List {
  /** The connection, such as `Query.leases`; that of an object is read of the one with the number 1. */
  readonly field: string;
  /** Arguments besides those of pages. */
  readonly filter?: string;
  /** What identifies an element; `id` by default. */
  readonly id?: string;
  /** Creates what the rows need, and rows that do not belong to the list. */
  readonly prepare?: () => Promise<unknown>;
  readonly create: (rows: readonly Row[]) => Promise<unknown>;
  readonly remove: (numbers: number[]) => Promise<unknown>;
  /** The order of the list. */
  readonly compare: (a: Row, b: Row) => number;
}

const byValue = (a: Row, b: Row) => a.value - b.value || a.number - b.number;
const byNumber = (a: Row, b: Row) => a.number - b.number;
const descending = (compare: List['compare']) => (a: Row, b: Row) => compare(b, a);

/** Larger than every number of a row. */
const other = 1_000;

const createLease = (number: number) => prisma.lease.create({ data: lease(number) });
const removeLeases = (numbers: number[]) => prisma.lease.deleteMany({ where: { number: { in: numbers } } });
/** Leases whose every order but the number is that of `value`; the largest value stands for null. */
const createLeases = (rows: readonly Row[]) =>
  prisma.lease.createMany({
    data: rows.map(({ number, value }) => {
      const instant = value === 3 ? null : new Date(now + value * hour);
      return lease(number, {
        state: 'QUEUED',
        queueRank: number,
        submittedAt: new Date(now + value * hour),
        plannedStart: instant,
        endedAt: instant,
      });
    }),
  });
const leases = (orderBy: string, compare: List['compare']): List => ({
  field: 'Query.leases',
  filter: `orderBy: { ${orderBy} }`,
  create: createLeases,
  remove: removeLeases,
  compare,
});

const reservations = (field: string, node: number | null, prepare: List['prepare']): List => ({
  field,
  prepare: async () => {
    await prepare?.();
    await createLease(1);
  },
  create: (rows) =>
    createReservations(
      prisma,
      rows.map(({ number, value }) => ({
        number,
        lease: 1,
        start: now + value * hour,
        end: now + (value + 1) * hour,
        amounts: node === null ? {} : { [node]: { CPU: 1 } },
      })),
    ),
  remove: (numbers) => prisma.reservation.deleteMany({ where: { number: { in: numbers } } }),
  compare: byValue,
});

const eventOf = (leaseNumber: number, sequence: number): Prisma.LeaseEventCreateManyInput => ({
  ...{ sequence, leaseNumber, at: new Date(now), from: 'NEW', to: 'PENDING' },
});
const events = (field: string, prepare: List['prepare']): List => ({
  field,
  prepare: async () => {
    await createLease(1);
    await prepare?.();
  },
  create: (rows) => prisma.leaseEvent.createMany({ data: rows.map(({ number }) => eventOf(1, number)) }),
  remove: (numbers) => prisma.leaseEvent.deleteMany({ where: { sequence: { in: numbers } } }),
  compare: byNumber,
});

const actionOf = (leaseNumber: number, number: number): Prisma.ActionCreateManyInput => ({
  ...{ number, leaseNumber, kind: 'START', at: new Date(now), targets: [] },
});
const removeActions = (numbers: number[]) => prisma.action.deleteMany({ where: { number: { in: numbers } } });
const createActionsOnNode = async (node: number, numbers: readonly number[]) => {
  await prisma.action.createMany({ data: numbers.map((number) => actionOf(1, number)) });
  await prisma.actionNode.createMany({
    data: numbers.map((actionNumber) => ({ actionNumber, nodeNumber: node })),
  });
};

const recurrence = (number: number): Prisma.RecurrenceCreateManyInput => ({
  ...{ number, machines: [{ CPU: 1 }], preemptible: false, collisions: 'SKIP', terms: [] },
  ...{ rule: 'FREQ=DAILY', timeZone: 'UTC', firstStart: '2030-01-01T00:00:00', createdAt: new Date(now) },
});

/** Holders have no id: their name holds the number as the ids of others do. */
const token = (number: number, projects: number[]): Prisma.TokenCreateManyInput => ({
  ...{ number, name: btoa(`Token:${number}`), hash: `hash ${number}` },
  ...{ prefix: 'lg_', role: 'USER', projects },
});
const removeTokens = (numbers: number[]) => prisma.token.deleteMany({ where: { number: { in: numbers } } });

const webhook = (number: number) => ({ number, url: 'https://example.org', owner: 'ada', secret: 's' });
const createDeliveries = (webhookNumber: number, numbers: readonly number[]) =>
  prisma.webhookDelivery.createMany({
    data: numbers.map((number) => ({ number, webhookNumber, topic: 0 })),
  });

/** Maintenance with equal starts is ordered by a digest of its name. */
const rankOf = ({ number }: Row) =>
  Number.parseInt(createHash('md5').update(String(number)).digest('hex').slice(0, 13), 16);

const lists: Readonly<Record<string, List>> = {
  leases: { field: 'Query.leases', create: createLeases, remove: removeLeases, compare: byNumber },
  'leases by number, descending': leases('field: NUMBER, direction: DESC', descending(byNumber)),
  'leases by request': leases('field: SUBMITTED_AT, direction: ASC', byValue),
  'leases by request, descending': leases('field: SUBMITTED_AT, direction: DESC', descending(byValue)),
  'leases by start': leases('field: START, direction: ASC', byValue),
  'leases by start, descending': leases('field: START, direction: DESC', descending(byValue)),
  'leases by end': leases('field: ENDED_AT, direction: ASC', byValue),
  'leases by end, descending': leases('field: ENDED_AT, direction: DESC', descending(byValue)),
  'the queue': { field: 'Query.queue', create: createLeases, remove: removeLeases, compare: byValue },
  'leases of a project': {
    field: 'Project.leases',
    prepare: async () => {
      await prisma.project.create({ data: { number: 1, name: 'genomics' } });
      await createLease(other);
    },
    create: (rows) => prisma.lease.createMany({ data: rows.map(({ number }) => lease(number, { projectNumber: 1 })) }),
    remove: removeLeases,
    compare: byNumber,
  },
  'leases of a recurrence': {
    field: 'Recurrence.leases',
    prepare: async () => {
      await prisma.recurrence.create({ data: recurrence(1) });
      await createLease(other);
    },
    create: (rows) =>
      prisma.lease.createMany({
        data: rows.map(({ number }) => lease(number, { recurrenceNumber: 1, occurrence: number })),
      }),
    remove: removeLeases,
    compare: byNumber,
  },
  reservations: reservations('Query.reservations', null, async () => {}),
  'reservations of a lease': reservations('Lease.reservations', null, async () => {
    await createLease(other);
    await createReservations(prisma, [{ number: other, lease: other, start: now, end: now + hour }]);
  }),
  'reservations on a node': reservations('ComputeNode.reservations', 1, async () => {
    await createNodes(prisma, 2);
    await createLease(other);
    const amounts = { 2: { CPU: 1 } };
    await createReservations(prisma, [{ number: other, lease: other, start: now, end: now + hour, amounts }]);
  }),
  events: events('Query.events', async () => {}),
  'events of a lease': events('Lease.events', async () => {
    await createLease(other);
    await prisma.leaseEvent.create({ data: eventOf(other, other) });
  }),
  'actions of a lease': {
    field: 'Lease.actions',
    prepare: async () => {
      await createLease(1);
      await prisma.action.create({ data: actionOf(2, other) });
    },
    create: (rows) => prisma.action.createMany({ data: rows.map(({ number }) => actionOf(1, number)) }),
    remove: removeActions,
    compare: byNumber,
  },
  'actions on a node': {
    field: 'ComputeNode.actions',
    prepare: async () => {
      await createNodes(prisma, 2);
      await createActionsOnNode(2, [other]);
    },
    create: (rows) =>
      createActionsOnNode(
        1,
        rows.map(({ number }) => number),
      ),
    remove: removeActions,
    compare: byNumber,
  },
  notices: {
    field: 'Query.notices',
    prepare: () => createLease(1),
    create: (rows) =>
      prisma.notice.createMany({
        data: rows.map(({ number }) => ({
          ...{ sequence: number, at: new Date(now), kind: 'LEASE_FAILED' as const, leaseNumber: 1 },
          message: 'The lease failed.',
        })),
      }),
    remove: (numbers) => prisma.notice.deleteMany({ where: { sequence: { in: numbers } } }),
    compare: byNumber,
  },
  nodes: {
    field: 'Query.nodes',
    create: (rows) =>
      prisma.computeNode.createMany({
        data: rows.map(({ number }) => ({ number, hostname: `node-${number}`, capacity: { CPU: 1 } })),
      }),
    remove: (numbers) => prisma.computeNode.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
  maintenance: {
    field: 'Query.maintenance',
    create: (rows) =>
      prisma.maintenance.createMany({
        data: rows.map(({ number, value }) => ({
          ...{ name: String(number), nodes: [1] },
          ...{ start: new Date(now + value * hour), end: new Date(now + 10 * hour) },
        })),
      }),
    remove: (numbers) => prisma.maintenance.deleteMany({ where: { name: { in: numbers.map(String) } } }),
    compare: (a, b) => a.value - b.value || rankOf(a) - rankOf(b),
  },
  recurrences: {
    field: 'Query.recurrences',
    create: (rows) => prisma.recurrence.createMany({ data: rows.map(({ number }) => recurrence(number)) }),
    remove: (numbers) => prisma.recurrence.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
  projects: {
    field: 'Query.projects',
    create: (rows) =>
      prisma.project.createMany({ data: rows.map(({ number }) => ({ number, name: `project ${number}` })) }),
    remove: (numbers) => prisma.project.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
  tokens: {
    field: 'Query.tokens',
    create: (rows) => prisma.token.createMany({ data: rows.map(({ number }) => token(number, [])) }),
    remove: removeTokens,
    compare: byNumber,
  },
  'members of a project': {
    field: 'Project.members',
    id: 'name',
    prepare: async () => {
      await prisma.project.create({ data: { number: 1, name: 'genomics' } });
      await prisma.token.create({ data: token(other, [2]) });
    },
    create: (rows) => prisma.token.createMany({ data: rows.map(({ number }) => token(number, [1])) }),
    remove: removeTokens,
    compare: byNumber,
  },
  'the audit log': {
    field: 'Query.auditLog',
    id: 'subject',
    create: (rows) =>
      prisma.auditEntry.createMany({
        data: rows.map(({ number }) => ({
          ...{ number, principal: 'ada', role: 'USER' as const, mutation: 'cancelLease' },
          ...{ outcome: 'OK', requestId: 'request', subject: btoa(`Lease:${number}`) },
        })),
      }),
    remove: (numbers) => prisma.auditEntry.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
  webhooks: {
    field: 'Query.webhooks',
    create: (rows) => prisma.webhook.createMany({ data: rows.map(({ number }) => webhook(number)) }),
    remove: (numbers) => prisma.webhook.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
  'deliveries of a webhook': {
    field: 'Webhook.deliveries',
    prepare: async () => {
      await prisma.webhook.createMany({ data: [webhook(1), webhook(2)] });
      await createDeliveries(2, [other]);
    },
    create: (rows) =>
      createDeliveries(
        1,
        rows.map(({ number }) => number),
      ),
    remove: (numbers) => prisma.webhookDelivery.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
};

it('every connection of the schema is read here', () => {
  const connections = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const of = getNamedType(field.type);
      return isObjectType(of) && 'pageInfo' in of.getFields() ? [`${type.name}.${field.name}`] : [];
    });
  });
  const read = new Set(Object.values(lists).map(({ field }) => field));
  expect([...read].sort()).toEqual(connections.sort());
});

const idOf = (type: string) => btoa(`${type}:1`);
const numberOf = (id: string) => Number(atob(id).split(':')[1]);

async function readPage({ field, filter, id = 'id' }: List, size: number, backward: boolean, cursor: string | null) {
  const [type = '', name = ''] = field.split('.');
  const page = `${backward ? 'last' : 'first'}: ${size}`;
  const position = cursor === null ? '' : `${backward ? 'before' : 'after'}: "${cursor}"`;
  const list = `list: ${name}(${filter ?? ''} ${page} ${position}) {
    nodes { id: ${id} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
  const { data, errors } = await api.ask(
    type === 'Query' ? `{ ${list} }` : `{ node(id: "${idOf(type)}") { ... on ${type} { ${list} } } }`,
  );
  expect(errors).toBeUndefined();
  const { nodes, pageInfo } = (data.node ?? data).list;
  const numbers: number[] = nodes.map((node: { id: string }) => numberOf(node.id));
  return backward
    ? { numbers: numbers.reverse(), more: pageInfo.hasPreviousPage, cursor: pageInfo.startCursor }
    : { numbers, more: pageInfo.hasNextPage, cursor: pageInfo.endCursor };
}

const rows = (from: number) =>
  fc
    .array(fc.integer({ min: 0, max: 3 }), { maxLength: 8 })
    .map((values) => values.map((value, index) => ({ number: from + index, value })));

/** What happens between two pages: rows of new numbers come, and some of those that are there go. */
const change = (turn: number) =>
  fc.record({ come: rows(100 + turn * 10), go: fc.array(fc.nat({ max: 20 }), { maxLength: 4 }) });

describe.each(Object.keys(lists))('%s', (name) => {
  const list = lists[name] as List;

  beforeEach(async () => {
    await prisma.webhook.deleteMany();
    await prisma.action.deleteMany();
    await prisma.reservation.deleteMany();
    await prisma.leaseEvent.deleteMany();
    await prisma.notice.deleteMany();
    await prisma.computeNode.deleteMany();
    await prisma.lease.deleteMany();
    await prisma.recurrence.deleteMany();
    await prisma.project.deleteMany();
    await prisma.token.deleteMany();
    await prisma.auditEntry.deleteMany();
    await prisma.maintenance.deleteMany();
    await list.prepare?.();
  });

  it('are read once each, in order, whatever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          first: rows(50),
          size: fc.integer({ min: 1, max: 4 }),
          backward: fc.boolean(),
          changes: fc.tuple(...[0, 1, 2, 3, 4].map(change)),
        }),
        async ({ first, size, backward, changes }) => {
          const present = new Map(first.map((row) => [row.number, row]));
          const known = new Map(present);
          const stayed = new Set(present.keys());
          await list.create(first);
          const read: number[] = [];
          let cursor: string | null = null;
          for (let turn = 0; ; turn += 1) {
            const page = await readPage(list, size, backward, cursor);
            read.push(...page.numbers);
            if (!page.more || page.cursor === null) break;
            cursor = page.cursor;
            const { come, go } = changes[turn] ?? { come: [], go: [] };
            const gone = go.flatMap((index) => [...present.keys()][index] ?? []);
            await list.remove(gone);
            for (const number of gone) {
              present.delete(number);
              stayed.delete(number);
            }
            await list.create(come);
            for (const row of come) {
              present.set(row.number, row);
              known.set(row.number, row);
            }
          }
          await list.remove([...present.keys()]);
          expect(new Set(read).size, 'a row was repeated').toBe(read.length);
          expect([...stayed].filter((number) => !read.includes(number))).toEqual([]);
          const sorted = [...read].sort((a, b) => list.compare(known.get(a) as Row, known.get(b) as Row));
          expect(read).toEqual(backward ? sorted.reverse() : sorted);
        },
      ),
      { numRuns: Math.ceil(20 * factor) },
    );
  });
});
