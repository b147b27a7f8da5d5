/** Pages of lists neither lose nor repeat rows while other rows come and go between them. */
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { apiOnNewDatabase, createReservations, hour, lease, now } from './fixture.ts';

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
  /** The field with its arguments, if it has any besides those of pages. */
  readonly field: string;
  readonly filter?: string;
  readonly create: (rows: readonly Row[]) => Promise<unknown>;
  readonly remove: (numbers: number[]) => Promise<unknown>;
  /** The order of the list. */
  readonly compare: (a: Row, b: Row) => number;
}

const byValue = (a: Row, b: Row) => a.value - b.value || a.number - b.number;
const byNumber = (a: Row, b: Row) => a.number - b.number;
const descending = (compare: List['compare']) => (a: Row, b: Row) => compare(b, a);

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
  field: 'leases',
  filter: `orderBy: { ${orderBy} }`,
  create: createLeases,
  remove: removeLeases,
  compare,
});

const lists: Readonly<Record<string, List>> = {
  leases: { field: 'leases', create: createLeases, remove: removeLeases, compare: byNumber },
  'leases by number, descending': leases('field: NUMBER, direction: DESC', descending(byNumber)),
  'leases by request': leases('field: SUBMITTED_AT, direction: ASC', byValue),
  'leases by request, descending': leases('field: SUBMITTED_AT, direction: DESC', descending(byValue)),
  'leases by start': leases('field: START, direction: ASC', byValue),
  'leases by start, descending': leases('field: START, direction: DESC', descending(byValue)),
  'leases by end': leases('field: ENDED_AT, direction: ASC', byValue),
  'leases by end, descending': leases('field: ENDED_AT, direction: DESC', descending(byValue)),
  'the queue': { field: 'queue', create: createLeases, remove: removeLeases, compare: byValue },
  reservations: {
    field: 'reservations',
    create: (rows) =>
      createReservations(
        prisma,
        rows.map(({ number, value }) => ({
          number,
          lease: 1_000,
          start: now + value * hour,
          end: now + (value + 1) * hour,
        })),
      ),
    remove: (numbers) => prisma.reservation.deleteMany({ where: { number: { in: numbers } } }),
    compare: byValue,
  },
  events: {
    field: 'events',
    create: (rows) =>
      prisma.leaseEvent.createMany({
        data: rows.map(({ number }) => ({
          sequence: number,
          at: new Date(now),
          leaseNumber: 1_000,
          from: 'NEW' as const,
          to: 'PENDING' as const,
        })),
      }),
    remove: (numbers) => prisma.leaseEvent.deleteMany({ where: { sequence: { in: numbers } } }),
    compare: byNumber,
  },
  notices: {
    field: 'notices',
    create: (rows) =>
      prisma.notice.createMany({
        data: rows.map(({ number }) => ({
          sequence: number,
          at: new Date(now),
          kind: 'LEASE_FAILED' as const,
          leaseNumber: 1_000,
          message: 'The lease failed.',
        })),
      }),
    remove: (numbers) => prisma.notice.deleteMany({ where: { sequence: { in: numbers } } }),
    compare: byNumber,
  },
  nodes: {
    field: 'nodes',
    create: (rows) =>
      prisma.computeNode.createMany({
        data: rows.map(({ number }) => ({ number, hostname: `node-${number}`, capacity: { CPU: 1 } })),
      }),
    remove: (numbers) => prisma.computeNode.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
  recurrences: {
    field: 'recurrences',
    create: (rows) =>
      prisma.recurrence.createMany({
        data: rows.map(({ number }) => ({
          number,
          machines: [{ CPU: 1 }],
          preemptible: false,
          collisions: 'SKIP' as const,
          ...{ rule: 'FREQ=DAILY', timeZone: 'UTC', firstStart: '2030-01-01T00:00:00' },
          createdAt: new Date(now),
          terms: [],
        })),
      }),
    remove: (numbers) => prisma.recurrence.deleteMany({ where: { number: { in: numbers } } }),
    compare: byNumber,
  },
};

const numberOf = (id: string) => Number(atob(id).split(':')[1]);

async function readPage({ field, filter }: List, size: number, backward: boolean, cursor: string | null) {
  const page = `${backward ? 'last' : 'first'}: ${size}`;
  const position = cursor === null ? '' : `${backward ? 'before' : 'after'}: "${cursor}"`;
  const { data, errors } = await api.ask(
    `{ ${field}(${filter ?? ''} ${page} ${position}) {
      nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
  );
  expect(errors).toBeUndefined();
  const { nodes, pageInfo } = data[field];
  const numbers: number[] = nodes.map(({ id }: { id: string }) => numberOf(id));
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
    await prisma.reservation.deleteMany();
    await prisma.leaseEvent.deleteMany();
    await prisma.notice.deleteMany();
    await prisma.computeNode.deleteMany();
    await prisma.recurrence.deleteMany();
    await prisma.lease.deleteMany();
    if (!['leases', 'queue'].includes(list.field)) await prisma.lease.create({ data: lease(1_000) });
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
