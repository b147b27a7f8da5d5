import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiOnNewDatabase, createNodes, createReservations, hour, lease, now } from './fixture.ts';

/** The number of SQL statements per operation does not grow with the rows that it returns. */
describe('SQL statements per operation', () => {
  let api: Awaited<ReturnType<typeof apiOnNewDatabase>>;

  beforeAll(async () => {
    api = await apiOnNewDatabase();
    const { prisma } = api;
    await createNodes(prisma, 4);
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
    await prisma.lease.createMany({
      data: numbers.map((number) =>
        lease(number, { state: number > 50 ? 'QUEUED' : 'ACTIVE', queueRank: number > 50 ? number : null }),
      ),
    });
    await prisma.leaseMachine.createMany({
      data: numbers.flatMap((leaseNumber) =>
        [1, 2].map((index) => ({
          leaseNumber,
          index,
          amounts: { CPU: 100 },
          nodeNumber: 1 + (leaseNumber % 4),
        })),
      ),
    });
    await createReservations(
      prisma,
      numbers.flatMap((number) =>
        [0, 1, 2].map((nth) => ({
          number: number * 10 + nth,
          lease: number,
          start: now + (nth - 1) * hour,
          end: now + nth * hour,
          state: (['DONE', 'ACTIVE', 'SCHEDULED'] as const)[nth] ?? 'DONE',
          amounts: { [1 + (number % 4)]: { CPU: 1 } },
        })),
      ),
    );
    await prisma.leaseEvent.createMany({
      data: numbers.flatMap((number) =>
        [1, 2, 3].map((nth) => ({
          sequence: number * 3 + nth,
          at: new Date(now),
          leaseNumber: number,
          from: 'NEW' as const,
          to: 'PENDING' as const,
        })),
      ),
    });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it.each([
    ['a page of leases', 1, '{ leases { nodes { number state } } }'],
    [
      '50 leases with their reservations',
      2,
      '{ leases { nodes { number reservations(first: 2) { nodes { start end } } } } }',
    ],
    [
      '50 leases with their reservations, and the nodes of those',
      4,
      '{ leases { nodes { reservations(first: 2) { edges { cursor node { start nodes { hostname } } } pageInfo { hasNextPage } } } } }',
    ],
    [
      '50 leases with their machines, and the nodes of those',
      3,
      '{ leases { nodes { machines { index node { hostname } } } } }',
    ],
    ['50 leases with their events', 2, '{ leases { nodes { events { nodes { sequence } } } } }'],
    ['50 leases with their running time', 2, '{ leases { nodes { accumulatedDuration } } }'],
    ['queue positions', 2, '{ leases(last: 50) { nodes { queuePosition } } }'],
    ['the queue', 2, '{ queue { nodes { number queuePosition } } }'],
    [
      'aliases with different arguments',
      3,
      '{ leases { nodes { a: reservations(first: 1) { nodes { id } } b: reservations(last: 1) { nodes { id } } } } }',
    ],
    [
      'aliases with the same arguments',
      2,
      '{ leases { nodes { a: reservations(first: 1) { nodes { id } } b: reservations(first: 1) { nodes { id } } } } }',
    ],
    ['a count', 1, '{ leases { totalCount } }'],
    ['counts of nested lists', 2, '{ leases { nodes { reservations { totalCount } } } }'],
    ['a count in a fragment', 1, '{ leases { ...Count } } fragment Count on LeaseConnection { totalCount }'],
    ['free capacity of nodes', 2, '{ nodes { nodes { hostname available { type amount } } } }'],
    [
      'free capacity of nodes, at two instants',
      3,
      '{ nodes { nodes { available { amount } later: available(at: "2030-01-31T09:30:00Z") { amount } } } }',
    ],
    ['reservations of nodes', 2, '{ nodes { nodes { reservations(first: 3) { nodes { start } } } } }'],
    ['reservations with their leases', 2, '{ reservations(first: 100) { nodes { lease { number name } } } }'],
    [
      'reservations, their leases, and the reservations of those',
      6,
      '{ reservations(first: 20) { nodes { lease { number reservations(first: 3) { nodes { nodes { hostname } lease { number } } } } nodes { hostname } } } }',
    ],
    [
      'utilization',
      1,
      '{ utilization(from: "2030-01-31T00:00:00Z", to: "2030-02-01T00:00:00Z", step: "PT1H") { used free } }',
    ],
    ['one object by its id', 1, `{ node(id: "${btoa('Lease:7')}") { ... on Lease { number } } }`],
    ['nothing', 0, '{ serverTime site { name } }'],
  ])('%s: %i', async (_what, expected, query) => {
    const { answer, statements } = await api.count(query);
    expect(answer.errors).toBeUndefined();
    expect(statements.length, statements.join('\n')).toBe(expected);
  });
});
