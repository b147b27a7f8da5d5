import { Kind, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { createIdentity } from '../../src/identity/index.ts';
import { apiOnNewDatabase, createNodes, createReservations, hour, lease, now } from './fixture.ts';

/** The number of SQL statements per operation does not grow with the rows that it returns. */
const cases: readonly (readonly [what: string, statements: number, query: string])[] = [
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
  [
    'why leases are in their states, for an operator',
    2,
    '{ leases { nodes { stateReason { message } events { nodes { reason { message } } } } } }',
  ],
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
  ['a lease by its number', 1, '{ lease(number: 7) { name } }'],
  [
    'one lease with its page, its reservations, events and actions',
    6,
    `{ lease(number: 7) {
      name machines { node { hostname } } reservations { nodes { start } } events { nodes { to } } actions { nodes { kind } }
    } }`,
  ],
  [
    'objects of several types by their ids',
    3,
    `{ objects(ids: ["${btoa('Lease:7')}", "${btoa('ComputeNode:1')}", "${btoa('Lease:8')}", "${btoa('Reservation:70')}"]) { id } }`,
  ],
  ['events with their leases', 2, '{ events { nodes { sequence lease { name } } } }'],
  [
    'the schedule',
    1,
    '{ schedule(from: "2030-01-31T00:00:00Z", to: "2030-02-01T00:00:00Z") { isComplete reservations { start leaseName nodes } } }',
  ],
  [
    'free capacity of nodes over an interval',
    2,
    '{ nodes { nodes { freeCapacity(from: "2030-01-31T00:00:00Z", to: "2030-02-01T00:00:00Z") { start capacity { amount } } } } }',
  ],
  [
    'accounting, with the leases of its groups',
    2,
    '{ accounting(from: "2030-01-01T00:00:00Z", to: "2030-02-01T00:00:00Z", by: LEASE) { lease { number } used { hours } } }',
  ],
  [
    'accounting over time, with the projects of its groups',
    2,
    '{ accounting(from: "2030-01-01T00:00:00Z", to: "2030-02-01T00:00:00Z", by: PROJECT, step: "P1D") { start project { name } used { hours } } }',
  ],
  ['maintenance with its nodes', 2, '{ maintenance { nodes { start nodes { hostname } } } }'],
  ['projects with their leases', 2, '{ projects { nodes { name leases(first: 5) { nodes { number } } } } }'],
  [
    'projects with their members, the projects of those, and how many there are',
    4,
    '{ projects { nodes { name members(first: 5) { totalCount nodes { name projects { name } } } } } }',
  ],
  ['tokens with their projects', 2, '{ tokens { nodes { name projects { name } } } }'],
  ['notices with their leases', 2, '{ notices { nodes { message lease { name } } } }'],
  ['a recurrence', 1, '{ recurrence(number: 1) { name } }'],
  ['recurrences with their leases', 2, '{ recurrences { nodes { name leases { nodes { number } } } } }'],
  ['webhooks with their projects', 2, '{ webhooks { nodes { url project { name } } } }'],
  ['the audit log', 1, '{ auditLog { nodes { mutation } } }'],
  ['the state of the scheduler', 1, '{ scheduler { queueLength liveLeases configuration } }'],
  [
    'when machines are available: the scheduler answers',
    0,
    '{ availability(machines: [{ count: 1, capacity: [{ type: "CPU", amount: 1 }] }], duration: "PT1H") { earliestStart } }',
  ],
  ['who asks', 0, '{ viewer { name } }'],
  ['nothing', 0, '{ serverTime site { name } }'],
];

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
    await prisma.project.createMany({ data: [1, 2, 3].map((number) => ({ name: `project-${number}` })) });
    await prisma.lease.updateMany({ where: { number: { lte: 30 } }, data: { projectNumber: 2 } });
    await prisma.token.createMany({
      data: [1, 2, 3].map((number) => ({
        name: `token-${number}`,
        prefix: 'lg_',
        hash: `hash-${number}`,
        role: 'USER' as const,
        projects: [number],
      })),
    });
    await prisma.maintenance.createMany({
      data: [1, 2, 3].map((number) => ({
        name: `maintenance-${number}`,
        nodes: [number],
        start: new Date(now),
        end: new Date(now + hour),
      })),
    });
    await prisma.recurrence.createMany({
      data: [1, 2, 3].map((number) => ({
        number,
        machines: [{ CPU: 1 }],
        preemptible: false,
        collisions: 'SKIP' as const,
        rule: 'FREQ=DAILY',
        timeZone: 'UTC',
        firstStart: '2030-01-01T00:00:00',
        createdAt: new Date(now),
        terms: [],
      })),
    });
    await prisma.webhook.createMany({
      data: [1, 2, 3].map((projectNumber) => ({
        url: 'https://example.org',
        owner: 'a',
        secret: 's',
        projectNumber,
      })),
    });
    await prisma.notice.createMany({
      data: [7, 8].map((leaseNumber) => ({
        sequence: leaseNumber,
        at: new Date(now),
        kind: 'LEASE_MOVED' as const,
        leaseNumber,
        message: 'It starts later.',
      })),
    });
    await prisma.auditEntry.create({
      data: { principal: 'a', role: 'USER', mutation: 'cancelLease', outcome: 'OK', requestId: 'r' },
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
          reasonCode: 'PREEMPTED',
          reasonMessage: `its machines are suspended for lease ${61 - number}`,
        })),
      ),
    });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it.each(cases)('%s: %i', async (_what, expected, query) => {
    const { answer, statements } = await api.count(query);
    expect(answer.errors).toBeUndefined();
    expect(statements.length, statements.join('\n')).toBe(expected);
  });

  it('is one more for the leases that reasons name, if the principal may not see all of them', async () => {
    const identity = createIdentity({ prisma: api.prisma, adminToken: 'x' });
    const member = { name: 'member', role: 'USER', projects: [2], expiresAt: null } as const;
    const { secret } = await identity.tokens.create({ ...member, projects: [...member.projects] });
    const query = '{ events(first: 100) { nodes { reason { message } } } }';
    const { answer, statements } = await api.count(query, secret);
    expect(answer.data.events.nodes).toEqual(
      Array.from({ length: 90 }, () => ({
        reason: { message: 'its machines are suspended for another lease' },
      })),
    );
    // Beside those for the token.
    const ofEvents = statements.filter((statement) => !statement.includes('"tokens"'));
    expect(ofEvents.length, statements.join('\n')).toBe(2);
  });

  it('are counted for every query', () => {
    const counted = new Set(
      cases.flatMap(([, , query]) =>
        parse(query).definitions.flatMap((definition) =>
          definition.kind === Kind.OPERATION_DEFINITION
            ? definition.selectionSet.selections.map((field) => ('name' in field && field.name ? field.name.value : ''))
            : [],
        ),
      ),
    );
    const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(fields.filter((name) => !counted.has(name))).toEqual([]);
  });
});
