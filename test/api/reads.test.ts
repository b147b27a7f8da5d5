import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PrismaClient } from '../../src/store/prisma/client.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Api, apiOn, createNodes, createReservations, hour, lease, minute, now } from './fixture.ts';

const iso = (instant: number) => new Date(instant).toISOString();
const id = (type: string, number: number) => btoa(`${type}:${number}`);

interface ActionPage {
  readonly nodes: readonly { readonly id: string }[];
}

describeEachDatabase('reading', (databases) => {
  let api: Api;
  let prisma: PrismaClient;
  const { TZ } = process.env;

  beforeAll(async () => {
    // Instants may not depend on the local time zone of the process; the test server's is another one.
    process.env.TZ = 'America/Mexico_City';
    const database = await databases.create();
    ({ prisma } = await database.open());
    api = apiOn(prisma);
    await createNodes(prisma, 2);
    await prisma.computeNode.create({
      data: { number: 3, hostname: 'cores', capacity: { CPU: [100, 100], Memory: 2 ** 40 } },
    });
    await prisma.lease.createMany({
      data: [
        ...Array.from({ length: 7 }, (_, index) => lease(index + 1, { endedAt: new Date(now - hour) })),
        lease(8, {
          name: 'running',
          state: 'ACTIVE',
          type: 'ADVANCE_RESERVATION',
          requestedStart: new Date(now - 20 * minute),
          actualStart: new Date(now - 20 * minute),
          accumulated: 10 * minute,
          imageName: 'debian.img',
          imageSizeMb: 2n ** 40n,
        }),
        lease(9, { state: 'SUSPENDED_QUEUED', submittedAt: new Date(now - 3 * hour), queueRank: 5 }),
        lease(10, { state: 'QUEUED', submittedAt: new Date(now - 3 * hour), queueRank: 7 }),
        lease(11, { state: 'QUEUED', submittedAt: new Date(now - 4 * hour), queueRank: 9 }),
        lease(12, { state: 'REJECTED', reasonCode: 'TOO_LARGE', reasonMessage: 'no node has as much' }),
      ],
    });
    await prisma.leaseMachine.createMany({
      data: [
        { leaseNumber: 8, index: 2, amounts: { CPU: 50, Memory: 1024 }, nodeNumber: 1 },
        { leaseNumber: 8, index: 1, amounts: { CPU: [50, 50], Memory: 1024 }, nodeNumber: 2 },
        { leaseNumber: 9, index: 1, amounts: { CPU: 100 }, nodeNumber: null },
      ],
    });
    await createReservations(prisma, [
      {
        number: 1,
        lease: 1,
        start: now - 3 * hour,
        end: now - 2 * hour,
        amounts: { 1: { CPU: 400, Memory: 100 } },
      },
      // Two that start together.
      {
        number: 2,
        lease: 8,
        start: now - 20 * minute,
        end: now + 40 * minute,
        state: 'ACTIVE',
        amounts: { 1: { CPU: 100, Memory: 1024 }, 2: { CPU: 200 } },
        plan: { machines: { 1: 2, 2: 1 } },
      },
      {
        number: 3,
        lease: 8,
        kind: 'SHUTDOWN',
        start: now + 40 * minute,
        end: now + 45 * minute,
        state: 'SCHEDULED',
        amounts: { 1: { CPU: 100, Memory: 1024 }, 2: { CPU: 200 } },
      },
      {
        number: 4,
        lease: 9,
        start: now - 20 * minute,
        end: now + hour,
        state: 'ACTIVE',
        amounts: { 3: { CPU: [60, 70], Memory: 2 ** 39 } },
      },
      {
        number: 5,
        lease: 9,
        kind: 'SUSPENSION',
        start: now + hour,
        end: now + 2 * hour,
        state: 'SCHEDULED',
        amounts: { 3: { CPU: [60, 70] } },
      },
      {
        number: 6,
        lease: 9,
        kind: 'MEMORY_MIGRATION',
        start: now + 3 * hour,
        end: now + 4 * hour,
        state: 'SCHEDULED',
        plan: { moves: { 1: [3, 1] } },
      },
      {
        number: 7,
        lease: 10,
        kind: 'IMAGE_TRANSFER',
        start: now + 5 * hour,
        end: now + 6 * hour,
        state: 'SCHEDULED',
        plan: {
          targets: {
            2: [
              [10, 1],
              [9, 1],
            ],
          },
        },
      },
    ]);
    await prisma.leaseEvent.createMany({
      data: [1, 2, 3, 4, 5].map((sequence) => ({
        sequence,
        at: new Date(now),
        leaseNumber: 8,
        from: 'NEW' as const,
        to: 'PENDING' as const,
        ...(sequence === 5 && { reasonCode: 'WHY', reasonMessage: 'because' }),
      })),
    });
  });
  afterAll(() => {
    process.env.TZ = TZ ?? '';
    if (TZ === undefined) delete process.env.TZ;
  });

  it('returns every field of a lease', async () => {
    const { data, errors } = await api.ask(`{
      lease(number: 8) {
        id number name type state stateReason { code } preemptible submittedAt requestedStart requestedDuration deadline actualStart
        estimatedStart endedAt accumulatedDuration queuePosition diskImage { name sizeMb }
        machines { index capacity { type amount } node { hostname } }
      }
      rejected: lease(id: "${id('Lease', 12)}") { number stateReason { code message } diskImage { name } machines { index } }
    }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      lease: {
        id: id('Lease', 8),
        number: 8,
        name: 'running',
        type: 'ADVANCE_RESERVATION',
        state: 'ACTIVE',
        stateReason: null,
        preemptible: true,
        submittedAt: iso(now - 100 * hour + 8 * minute),
        requestedStart: iso(now - 20 * minute),
        requestedDuration: 'PT1H',
        deadline: null,
        actualStart: iso(now - 20 * minute),
        estimatedStart: null,
        endedAt: null,
        // What it had before, and what its running reservation has added.
        accumulatedDuration: 'PT30M',
        queuePosition: null,
        diskImage: { name: 'debian.img', sizeMb: 2 ** 40 },
        machines: [
          {
            index: 1,
            capacity: [
              { type: 'CPU', amount: 50 },
              { type: 'CPU', amount: 50 },
              { type: 'Memory', amount: 1024 },
            ],
            node: { hostname: 'node-2' },
          },
          {
            index: 2,
            capacity: [
              { type: 'CPU', amount: 50 },
              { type: 'Memory', amount: 1024 },
            ],
            node: { hostname: 'node-1' },
          },
        ],
      },
      rejected: {
        number: 12,
        stateReason: { code: 'TOO_LARGE', message: 'no node has as much' },
        diskImage: null,
        machines: [],
      },
    });
  });

  it('returns an object to all fields of a request that name its id', async () => {
    const types = { Lease: 8, ComputeNode: 3, Reservation: 4, LeaseEvent: 5 };
    for (const [type, number] of Object.entries(types)) {
      const { data, errors } = await api.ask(
        `{ a: node(id: "${id(type, number)}") { __typename } b: node(id: "${id(type, number)}") { __typename }
          objects(ids: ["${id(type, number)}", "${id(type, number)}"]) { __typename } }`,
      );
      expect(errors).toBeUndefined();
      const object = { __typename: type };
      expect(data).toEqual({ a: object, b: object, objects: [object, object] });
    }
  });

  it('returns any object by its id', async () => {
    const types = { Lease: 8, ComputeNode: 3, Reservation: 4, LeaseEvent: 5 };
    for (const [type, number] of Object.entries(types)) {
      const { data, errors } = await api.ask(
        `{ node(id: "${id(type, number)}") { __typename id } unknown: node(id: "${id(type, 999)}") { id } }`,
      );
      expect(errors).toBeUndefined();
      expect(data).toEqual({ node: { __typename: type, id: id(type, number) }, unknown: null });
    }
  });

  it.each([
    ['nonsense', '{ node(id: "nonsense") { id } }'],
    ['an empty id', '{ node(id: "") { id } }'],
    ['a type without ids', `{ node(id: "${id('Site', 1)}") { id } }`],
    ['a number that is too large', `{ node(id: "${id('Lease', 2 ** 31)}") { id } }`],
    ['zero', `{ node(id: "${id('Lease', 0)}") { id } }`],
    ['text instead of a number', `{ node(id: "${btoa('Reservation:x')}") { id } }`],
    ['an id with a suffix', `{ node(id: "${btoa('Lease:8:9')}") { id } }`],
    ['another form of the same id', `{ node(id: "${id('Lease', 8).replace('==', '')}") { id } }`],
    ['an id of another type', `{ lease(id: "${id('ComputeNode', 1)}") { id } }`],
  ])('refuses %s as an id', async (_what, query) => {
    const { data, errors } = await api.ask(query);
    expect(Object.values(data ?? { none: null })).toEqual([null]);
    expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'INVALID_ID' } })]);
  });

  it.each([
    ['neither id nor number', '{ lease { id } }', 'Give either `id` or `number`'],
    ['id and number', `{ lease(id: "${id('Lease', 1)}", number: 1) { id } }`, 'Give either `id` or `number`'],
    ['first and last', '{ leases(first: 1, last: 1) { totalCount } }', 'not both'],
    ['a negative page', '{ leases(first: -1) { totalCount } }', '`first` is -1; it must be 0 or more.'],
    ['a page that is too large', '{ nodes(last: 101) { totalCount } }', '`last` is 101; the maximum is 100.'],
    ['a malformed cursor', '{ leases(after: "x") { totalCount } }', 'not a cursor of this list'],
    ['a cursor of another list', `{ leases(after: "${btoa('nodes:1')}") { totalCount } }`, 'not a cursor of this list'],
    [
      'a cursor with a number that is too large',
      `{ leases(after: "${btoa('leases:99999999999999999')}") { totalCount } }`,
      'not a cursor of this list',
    ],
    ...[
      'leases(filter: { name: "a\\u0000" })',
      'leases(filter: { owners: ["ada", "a\\u0000"] })',
      ...['principals', 'mutations', 'outcomes', 'subjects'].map(
        (field) => `auditLog(filter: { ${field}: ["a\\u0000"] })`,
      ),
    ].map((list) => [`a NUL character in ${list}`, `{ ${list} { totalCount } }`, 'has a NUL character.']),
    ['an empty interval', `{ reservations(from: "${iso(now)}", to: "${iso(now)}") { totalCount } }`, 'is empty'],
    [
      'an empty interval in a filter',
      `{ leases(filter: { overlapping: { start: "${iso(now)}", end: "${iso(now)}" } }) { totalCount } }`,
      'is empty',
    ],
    [
      'an unknown resource',
      `{ utilization(resource: "GPU", from: "${iso(now)}", to: "${iso(now + hour)}", step: "PT1M") { free } }`,
      'Its resources are CPU, Memory',
    ],
    [
      'a step of 0',
      `{ utilization(from: "${iso(now)}", to: "${iso(now + hour)}", step: "PT0S") { free } }`,
      'longer than 0',
    ],
    [
      'too many samples',
      `{ utilization(from: "${iso(0)}", to: "${iso(now)}", step: "PT1S") { free } }`,
      'the maximum is 10000',
    ],
  ])('refuses %s', async (_what, query, message) => {
    const { errors } = await api.ask(query);
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining(message),
        extensions: { code: 'BAD_USER_INPUT' },
      }),
    ]);
  });

  const walk = async (list: string, direction: 'first' | 'last', size: number) => {
    const seen: number[][] = [];
    for (let cursor: string | null = null; ; ) {
      const where = cursor === null ? '' : `, ${direction === 'first' ? 'after' : 'before'}: "${cursor}"`;
      const [field, filter = ''] = list.split('|');
      const { data, errors } = await api.ask(
        `{ list: ${field}(${direction}: ${size}${where}${filter}) { edges { node { number: ${field === 'reservations' ? 'id' : 'number'} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      );
      expect(errors).toBeUndefined();
      const { edges, pageInfo } = data.list;
      seen.push(
        edges.map(({ node }: { node: { number: number | string } }) =>
          typeof node.number === 'number' ? node.number : Number(atob(node.number).split(':')[1]),
        ),
      );
      expect(direction === 'first' ? pageInfo.hasPreviousPage : pageInfo.hasNextPage).toBe(cursor !== null);
      if (!(direction === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return seen;
      cursor = direction === 'first' ? pageInfo.endCursor : pageInfo.startCursor;
    }
  };

  it('pages through lists in both directions', async () => {
    expect(await walk('leases', 'first', 5)).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [11, 12],
    ]);
    expect(await walk('leases', 'last', 5)).toEqual([
      [8, 9, 10, 11, 12],
      [3, 4, 5, 6, 7],
      [1, 2],
    ]);
    expect(await walk('leases|, filter: { states: [QUEUED, ACTIVE], types: [BEST_EFFORT] }', 'first', 1)).toEqual([
      [10],
      [11],
    ]);
    expect(await walk('nodes', 'first', 2)).toEqual([[1, 2], [3]]);
    expect(await walk('queue', 'first', 2)).toEqual([[11, 9], [10]]);
    expect(await walk('queue', 'last', 2)).toEqual([[9, 10], [11]]);
    // 2 and 4 start at one instant, and a page ends between them.
    expect(await walk('reservations', 'first', 2)).toEqual([[1, 2], [4, 3], [5, 6], [7]]);
    expect(await walk('reservations', 'last', 2)).toEqual([[6, 7], [3, 5], [2, 4], [1]]);
    expect(await walk('leases|, filter: { states: [] }', 'first', 5)).toEqual([[]]);
  });

  it('pages through the actions of nodes, of many at once', async () => {
    await prisma.action.createMany({
      data: [1, 2, 3, 4, 5].map((number) => ({
        ...{ number, kind: 'START' as const, leaseNumber: 8, at: new Date(now), targets: [] },
      })),
    });
    await prisma.actionNode.createMany({
      data: [1, 2, 3, 5]
        .map((actionNumber) => ({ nodeNumber: 1, actionNumber }))
        .concat([4, 5].map((actionNumber) => ({ nodeNumber: 2, actionNumber }))),
    });
    const ask = async (page: string) => {
      const { data } = await api.ask(
        `{ nodes { nodes { actions(${page}) { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`,
      );
      return data.nodes.nodes.map(({ actions }: { actions: ActionPage }) => actions);
    };
    const numbers = (pages: readonly ActionPage[]) =>
      pages.map(({ nodes }) => nodes.map((node) => Number(atob(node.id).split(':')[1])));
    const first = await ask('first: 2');
    expect(numbers(first)).toEqual([[1, 2], [4, 5], []]);
    expect(first.map(({ totalCount }: { totalCount: number }) => totalCount)).toEqual([4, 2, 0]);
    const next = await ask(`first: 2, after: "${first[0].pageInfo.endCursor}"`);
    expect(numbers(next)).toEqual([[3, 5], [4, 5], []]);
    expect(next[0].pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(numbers(await ask('last: 1'))).toEqual([[5], [5], []]);
    expect(numbers(await ask(`last: 2, before: "${next[0].pageInfo.startCursor}"`))).toEqual([[1, 2], [], []]);
  });

  it('measures how fast hosts are, from the actions that they carried out', async () => {
    const target = { leaseId: 8, machine: 1, node: 3, toNode: null, capacity: { Memory: 640 }, image: null };
    const action = (number: number, kind: 'SUSPEND' | 'RESUME', seconds: number, state = 'SUCCEEDED' as const) => ({
      ...{ number, kind, state, leaseNumber: 8, at: new Date(now), targets: [target] },
      ...{ startedAt: new Date(now), finishedAt: new Date(now + seconds * 1_000) },
    });
    await prisma.action.createMany({
      data: [action(21, 'SUSPEND', 10), action(22, 'SUSPEND', 20), action(23, 'RESUME', 5)],
    });
    await prisma.action.create({ data: { ...action(24, 'RESUME', 500), state: 'FAILED' } });
    await prisma.actionNode.createMany({
      data: [21, 22, 23, 24].map((actionNumber) => ({ nodeNumber: 3, actionNumber })),
    });
    const { data } = await api.ask('{ nodes { nodes { measuredRates { kind count min median } } } }');
    expect(data.nodes.nodes).toEqual([
      { measuredRates: [] },
      { measuredRates: [] },
      {
        measuredRates: [
          { kind: 'SUSPEND', count: 2, min: 32, median: 32 },
          { kind: 'RESUME', count: 1, min: 128, median: 128 },
        ],
      },
    ]);
  });

  it('continues after a cursor whose element was deleted', async () => {
    const { data } = await api.ask('{ reservations(first: 2) { pageInfo { endCursor } } }');
    const [start, number] = atob(data.reservations.pageInfo.endCursor)
      .slice('reservations:'.length)
      .split(',')
      .map(Number);
    const gone = btoa(`reservations:${start},${Number(number) + 1}`).replaceAll('=', '');
    const next = await api.ask(`{ reservations(first: 1, after: "${gone}") { nodes { id } } }`);
    expect(next.data.reservations.nodes).toEqual([{ id: id('Reservation', 4) }]);
  });

  it('filters leases and reservations by intervals', async () => {
    const { data } = await api.ask(`{
      leases(filter: { overlapping: { start: "${iso(now - 2 * hour)}", end: "${iso(now - 20 * minute)}" } }) { totalCount }
      now: leases(filter: { overlapping: { start: "${iso(now)}", end: "${iso(now + 1)}" } }) { totalCount nodes { number } }
      touching: reservations(from: "${iso(now - 2 * hour)}", to: "${iso(now - 20 * minute)}") { totalCount }
      within: reservations(from: "${iso(now + 40 * minute)}", to: "${iso(now + hour)}") { totalCount nodes { kind } }
      node(id: "${id('ComputeNode', 3)}") { ... on ComputeNode {
        all: reservations { totalCount nodes { kind start end } }
        later: reservations(from: "${iso(now + hour)}") { totalCount nodes { kind } }
      } }
    }`);
    expect(data).toEqual({
      leases: { totalCount: 0 },
      now: { totalCount: 2, nodes: [{ number: 8 }, { number: 9 }] },
      touching: { totalCount: 0 },
      within: { totalCount: 2, nodes: [{ kind: 'VM' }, { kind: 'SHUTDOWN' }] },
      node: {
        all: {
          totalCount: 2,
          nodes: [
            { kind: 'VM', start: iso(now - 20 * minute), end: iso(now + hour) },
            { kind: 'SUSPENSION', start: iso(now + hour), end: iso(now + 2 * hour) },
          ],
        },
        later: { totalCount: 1, nodes: [{ kind: 'SUSPENSION' }] },
      },
    });
  });

  it('answers the other root fields when one of them fails', async () => {
    const failing = {
      notices: 'notices(first: 101) { nodes { message } }',
      recurrences: 'recurrences(after: "?") { totalCount }',
      schedule: `schedule(from: "${iso(now)}", to: "${iso(now)}") { isComplete }`,
      webhooks: 'webhooks(first: 1, last: 1) { totalCount }',
      lease: 'lease { number }',
      node: 'node(id: "?") { id }',
    };
    for (const [field, selection] of Object.entries(failing)) {
      const { data, errors } = await api.ask(`{ serverTime ${selection} nodes { totalCount } }`);
      expect([field, data]).toEqual([field, { serverTime: iso(now), [field]: null, nodes: { totalCount: 3 } }]);
      expect(errors).toMatchObject([{ path: [field], extensions: { code: expect.any(String) } }]);
    }
  });

  it('returns the schedule of an interval in a compact form', async () => {
    const { data, errors } = await api.ask(`{
      schedule(from: "${iso(now - hour)}", to: "${iso(now + hour)}") {
        isComplete
        reservations { id kind state start end nodes leaseNumber leaseName leaseState leaseType }
      }
      empty: schedule(from: "${iso(now - 2 * hour)}", to: "${iso(now - 20 * minute)}") { reservations { id } }
    }`);
    expect(errors).toBeUndefined();
    const { reservations, isComplete } = data.schedule;
    expect(isComplete).toBe(true);
    expect(reservations[0]).toEqual({
      id: id('Reservation', 2),
      kind: 'VM',
      state: 'ACTIVE',
      start: iso(now - 20 * minute),
      end: iso(now + 40 * minute),
      nodes: [1, 2],
      leaseNumber: 8,
      leaseName: 'running',
      leaseState: 'ACTIVE',
      leaseType: 'ADVANCE_RESERVATION',
    });
    expect(reservations.map((each: { id: string }) => each.id)).toEqual([2, 4, 3].map((n) => id('Reservation', n)));
    expect(data.empty).toEqual({ reservations: [] });
    const refused = await api.ask(`{ schedule(from: "${iso(now)}", to: "${iso(now)}") { isComplete } }`);
    expect(refused.errors?.[0]?.extensions?.code).toBe('BAD_USER_INPUT');
  });

  it('pages nested lists of many parents separately', async () => {
    const { data } = await api.ask(`{ leases(last: 5) { nodes {
      number
      first: reservations(first: 1) { nodes { kind } totalCount pageInfo { hasNextPage } }
      last: reservations(last: 1) { nodes { kind } }
      events(last: 2) { totalCount nodes { sequence at from to reason { code message } lease { number } } }
    } } }`);
    const [eighth, ninth] = data.leases.nodes;
    expect(eighth).toEqual({
      number: 8,
      first: { nodes: [{ kind: 'VM' }], totalCount: 2, pageInfo: { hasNextPage: true } },
      last: { nodes: [{ kind: 'SHUTDOWN' }] },
      events: {
        totalCount: 5,
        nodes: [
          { sequence: 4, at: iso(now), from: 'NEW', to: 'PENDING', reason: null, lease: { number: 8 } },
          {
            sequence: 5,
            at: iso(now),
            from: 'NEW',
            to: 'PENDING',
            reason: { code: 'WHY', message: 'because' },
            lease: { number: 8 },
          },
        ],
      },
    });
    expect(ninth.last.nodes).toEqual([{ kind: 'MEMORY_MIGRATION' }]);
    expect(data.leases.nodes.map(({ first }: { first: { totalCount: number } }) => first.totalCount)).toEqual([
      2, 3, 1, 0, 0,
    ]);
  });

  it('returns the machines that a reservation serves', async () => {
    const targets = 'targets { lease { number } machine node { number } from { number } }';
    const { data } = await api.ask(`{
      vm: node(id: "${id('Reservation', 2)}") { ... on Reservation { lease { number } nodes { number } ${targets} } }
      move: node(id: "${id('Reservation', 6)}") { ... on Reservation { ${targets} } }
      transfer: node(id: "${id('Reservation', 7)}") { ... on Reservation { nodes { number } ${targets} } }
    }`);
    expect(data).toEqual({
      vm: {
        lease: { number: 8 },
        nodes: [{ number: 1 }, { number: 2 }],
        targets: [
          { lease: { number: 8 }, machine: 1, node: { number: 2 }, from: null },
          { lease: { number: 8 }, machine: 2, node: { number: 1 }, from: null },
        ],
      },
      move: { targets: [{ lease: { number: 9 }, machine: 1, node: { number: 1 }, from: { number: 3 } }] },
      transfer: {
        nodes: [],
        targets: [
          { lease: { number: 10 }, machine: 1, node: { number: 2 }, from: null },
          { lease: { number: 9 }, machine: 1, node: { number: 2 }, from: null },
        ],
      },
    });
  });

  it('finds nodes by number, part of the host name, state and labels', async () => {
    const numbers = async (filter: string) => {
      const { data } = await api.ask(`{ nodes(filter: ${filter}) { totalCount nodes { number } } }`);
      const found = data.nodes.nodes.map(({ number }: { number: number }) => number);
      expect(data.nodes.totalCount).toBe(found.length);
      return found;
    };
    await api.prisma.computeNode.update({ where: { number: 2 }, data: { labels: { rack: 'A', gpu: 'x' } } });
    await api.prisma.computeNode.update({ where: { number: 3 }, data: { labels: { rack: 'A' } } });
    expect(await numbers('{ numbers: [3, 1, 9] }')).toEqual([1, 3]);
    expect(await numbers('{ hostname: "DE-2" }')).toEqual([2]);
    expect(await numbers('{ hostname: "node_" }')).toEqual([]);
    expect(await numbers('{ states: [UP] }')).toEqual([1, 2, 3]);
    expect(await numbers('{ states: [DOWN, DRAINING] }')).toEqual([]);
    expect(await numbers('{ labels: [{ key: "rack", value: "A" }] }')).toEqual([2, 3]);
    expect(await numbers('{ labels: [{ key: "rack", value: "A" }, { key: "gpu", value: "x" }] }')).toEqual([2]);
    expect(await numbers('{ numbers: [1], states: [DOWN] }')).toEqual([]);
  });

  it('returns the free capacity of nodes, now and at any instant', async () => {
    const { data } = await api.ask(`{ nodes { nodes {
      now: available { type amount }
      before: available(at: "${iso(now - 20 * minute - 1)}") { type amount }
      shutdown: available(at: "${iso(now + 40 * minute)}") { type amount }
      past: available(at: "${iso(now - 3 * hour)}") { type amount }
    } } }`);
    const amounts = (list: { type: string; amount: number }[]) =>
      list.map(({ type, amount }) => `${type}:${amount}`).join(' ');
    const shown = data.nodes.nodes.map((node: Record<string, never>) =>
      Object.fromEntries(Object.entries(node).map(([at, list]) => [at, amounts(list)])),
    );
    const memory = 2 ** 40;
    expect(shown).toEqual([
      {
        now: 'CPU:300 Memory:7168',
        before: 'CPU:400 Memory:8192',
        shutdown: 'CPU:300 Memory:7168',
        past: 'CPU:0 Memory:8092',
      },
      {
        now: 'CPU:200 Memory:8192',
        before: 'CPU:400 Memory:8192',
        shutdown: 'CPU:200 Memory:8192',
        past: 'CPU:400 Memory:8192',
      },
      {
        now: `CPU:40 CPU:30 Memory:${memory / 2}`,
        before: `CPU:100 CPU:100 Memory:${memory}`,
        shutdown: `CPU:40 CPU:30 Memory:${memory / 2}`,
        past: `CPU:100 CPU:100 Memory:${memory}`,
      },
    ]);
  });

  it('averages utilization per sample', async () => {
    // CPU: 400 + 400 + 200. Lease 8 holds 300 until the 45th minute, lease 9 holds 130 for two hours.
    const { data, errors } = await api.ask(`{
      utilization(from: "${iso(now)}", to: "${iso(now + 150 * minute)}", step: "PT1H") { start end used suspending resuming shuttingDown free }
      memory: utilization(resource: "Memory", from: "${iso(now - 20 * minute)}", to: "${iso(now - 19 * minute)}", step: "PT1H") { used free }
      past: utilization(from: "${iso(now - 4 * hour)}", to: "${iso(now - hour)}", step: "PT1H") { used free }
    }`);
    expect(errors).toBeUndefined();
    const near = (value: number) => expect.closeTo(value, 9);
    expect(data.utilization).toEqual([
      {
        start: iso(now),
        end: iso(now + hour),
        used: near((300 * 40 + 130 * 60) / 60 / 1_000),
        suspending: 0,
        resuming: 0,
        shuttingDown: near((300 * 5) / 60 / 1_000),
        free: near(1 - (300 * 45 + 130 * 60) / 60 / 1_000),
      },
      {
        start: iso(now + hour),
        end: iso(now + 2 * hour),
        used: 0,
        suspending: near(0.13),
        resuming: 0,
        shuttingDown: 0,
        free: near(0.87),
      },
      // The last one is shorter.
      {
        start: iso(now + 2 * hour),
        end: iso(now + 150 * minute),
        used: 0,
        suspending: 0,
        resuming: 0,
        shuttingDown: 0,
        free: 1,
      },
    ]);
    const memory = (1024 + 2 ** 39) / (2 * 8192 + 2 ** 40);
    expect(data.memory).toEqual([{ used: near(memory), free: near(1 - memory) }]);
    expect(data.past).toEqual([
      { used: 0, free: 1 },
      { used: near(0.4), free: near(0.6) },
      { used: 0, free: 1 },
    ]);
  });
});
