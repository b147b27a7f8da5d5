import { afterAll, describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/server/graphql/rate.ts';
import { apiOn, apiOnNewDatabase } from '../api/fixture.ts';

describe('the rate limiter', () => {
  it('allows a burst per principal, and then what is refilled', () => {
    let now = 0;
    const rate = new RateLimiter({ burst: 100, perSecond: 10 }, () => now);
    expect(rate.take('a', 60)).toBe(0);
    expect(rate.take('a', 60)).toBe(2_000);
    expect(rate.take('b', 100)).toBe(0);
    now = 1_999;
    expect(rate.take('a', 60)).toBe(1);
    now = 2_000;
    expect(rate.take('a', 60)).toBe(0);
    expect(rate.throttle('a')).toEqual({ maximum: 100, available: 0, restoreRate: 10 });
    now = 1_000_000;
    expect(rate.throttle('a').available).toBe(100);
  });

  it('counts every operation, and lets a large one use the whole bucket', () => {
    let now = 0;
    const rate = new RateLimiter({ burst: 2, perSecond: 1 }, () => now);
    expect([rate.take('a', 0), rate.take('a', 0), rate.take('a', 0)]).toEqual([0, 0, 1_000]);
    now = 2_000;
    expect(rate.take('a', 50)).toBe(0);
  });
});

describe('the cost of operations', async () => {
  const api = await apiOnNewDatabase();
  afterAll(() => api[Symbol.asyncDispose]());
  const utilization = (samples: number) =>
    `utilization(from: "2030-01-31T00:00:00Z", to: "2030-02-01T00:00:00Z", step: "PT${86_400 / samples}S") { used }`;

  const accounting = (step: string) =>
    `accounting(from: "2030-01-30T00:00:00Z", to: "2030-02-01T00:00:00Z", by: OWNER, step: ${step}) { leases }`;

  const availability =
    'availability(machines: [{ count: 1, capacity: [{ type: "CPU", amount: 1 }] }], duration: "PT1H")';
  const [start, end] = ['"2030-01-31T00:00:00Z"', '"2030-02-01T00:00:00Z"'];

  it.each([
    ['{ serverTime }', 0],
    ['{ leases(first: 20) { nodes { number } } }', 21],
    ['{ leases { nodes { number } } }', 51],
    [`{ ${utilization(96)} }`, 96],
    ['{ objects(ids: ["a", "b"]) { id } }', 2],
    [`{ ${accounting('null')} }`, 1_000],
    [`{ ${accounting('"P7D"')} }`, 1_000],
    [`{ ${accounting('"PT12H"')} }`, 2_000],
    ['{ leases(first: 20) { nodes { name type } } }', 25],
    ['{ site { name resourceTypes } }', 4],
    ['{ scheduler { configuration } }', 11],
    ['{ node(id: "TGVhc2U6MQ==") { ... on Lease { actions(first: 10) { nodes { output } } } } }', 53],
    [`{ ${availability} { earliestStart windows { start } } }`, 1_002],
    ['{ leases(first: 2) { nodes { machines { index } } } }', 103],
    ['{ reservations(first: 2) { nodes { targets { machine } nodes { number } } } }', 203],
    ['{ recurrences(first: 2) { nodes { machines { index } skipped { start } } } }', 2_103],
    [`{ nodes(first: 2) { nodes { freeCapacity(from: ${start}, to: ${end}) { start } } } }`, 203],
    [`{ ${availability.replace('count: 1', 'count: 5000')} { earliestStart } }`, 5_001],
    [`{ ${availability.replace('count: 1', 'count: 1000000')} { earliestStart } }`, 10_001],
    ['{ leases(first: 100) { nodes { machines { index } } } }', 5_101],
    ['{ leases(first: 9) { nodes { ...of } } } fragment of on Lease { name }', 12],
  ])('%s: %i', async (query, requested) => {
    const answer = (await api.ask(query)) as { extensions?: { cost?: { requested: number } } };
    expect(answer.extensions?.cost?.requested).toBe(requested);
  });

  const costOn =
    (nodes: number | undefined) =>
    async (query: string, variables: Record<string, unknown> = {}) => {
      const { app, ...sized } = apiOn(api.prisma);
      const { status } = sized.leases;
      sized.leases.status = () => ({ ...status(), ...(nodes !== undefined && { nodes }) });
      const answer = (await sized.ask(query, variables)) as { extensions?: { cost?: { requested: number } } };
      await app.endSubscriptions();
      return answer.extensions?.cost?.requested;
    };

  it('counts every node of the site for lists of nodes', async () => {
    const reservations = '{ reservations(first: 10) { nodes { nodes { number } } } }';
    expect(await costOn(4)(reservations)).toBe(11 + 10 * 4);
    expect(await costOn(undefined)(reservations)).toBe(11 + 10 * 50);
    expect(await costOn(5_000)(reservations)).toBe(11 + 50_000);
    expect(await costOn(5_000)(reservations.replace('10', '100'))).toBe(101 + 50_000);
    const actions =
      '{ node(id: "TGVhc2U6MQ==") { ... on Lease { actions(first: 2) { nodes { nodes { number } } } } } }';
    expect(await costOn(3)(actions)).toBe(1 + 1 + 2 * (1 + 3));
    expect(await costOn(3)('{ maintenance(first: 2) { nodes { nodes { number } } } }')).toBe(1 + 2 * (1 + 3));
  });

  it('counts machines of a lease that is requested as many as there are in the input', async () => {
    const query = `mutation ($input: RequestLeaseInput!) { requestLease(input: $input) {
      lease { machines { index } } plan { machines { capacity { amount } } } } }`;
    const machines = [3, 300].map((count) => ({ count, capacity: [{ type: 'CPU', amount: 1 }] }));
    const input = { type: 'BEST_EFFORT', duration: 'PT1H', machines };
    expect(await costOn(4)(query, { input })).toBe(1 + 303 + (1 + 303) + (1 + 303 * 2));
  });

  const day = { from: '2030-01-31T00:00:00Z', to: '2030-02-01T00:00:00Z' };
  it.each([
    ['utilization(from: $from, to: $to, step: $step) { used }', { ...day, step: 'PT15M' }, 96],
    ['accounting(from: $from, to: $to, by: OWNER, step: $step) { leases }', { ...day, step: 'PT12H' }, 2_000],
    ['objects(ids: $ids) { id }', { ids: ['a', 'b'] }, 2],
    ['objects(ids: $ids) { id }', { ids: 5 }, 1],
    [
      'availability(machines: $machines, duration: $step) { earliestStart }',
      { step: 'PT1H', machines: { count: 7, capacity: { type: 'CPU', amount: 1 } } },
      8,
    ],
  ])('counts the same for variables as for literals: %s of %o', async (selection, variables, requested) => {
    const types = { from: 'DateTime!', to: 'DateTime!', step: 'Duration!', ids: '[ID!]!' };
    const declared = Object.keys(variables).map(
      (name) => `$${name}: ${{ ...types, machines: '[MachineSetInput!]!' }[name]}`,
    );
    expect(await costOn(4)(`query (${declared.join(', ')}) { ${selection} }`, variables)).toBe(requested);
  });

  it('is reported for invalid variables', async () => {
    const { app, ask, post } = apiOn(api.prisma, { limits: { costBurst: 60, costPerSecond: 0.001 } });
    const query = 'query ($ids: [ID!]!) { objects(ids: $ids) { id } }';
    for (const ids of [{ length: 1e9 }, null, [{}], { length: 'x' }]) {
      const { errors } = await ask(query, { ids });
      expect(errors?.[0]?.extensions?.code).toBe('BAD_USER_INPUT');
    }
    expect((await post('{ leases { nodes { number } } }')).status).toBe(200);
    expect((await post('{ leases { nodes { number } } }')).status).toBe(429);
    await app.endSubscriptions();
  });

  it('is not less for lists of a negative length', async () => {
    const query = `query ($first: Int) {
      leases(first: 3) { nodes { number } }
      node(id: "UmVjdXJyZW5jZTo5") { ... on Recurrence { upcoming(first: $first) { start } } } }`;
    for (const [first, cost] of [
      [2, 7],
      [0, 5],
      [-1, 5],
      [-(2 ** 31), 5],
    ])
      expect(await costOn(4)(query, { first })).toBe(cost);
  });

  it('is refused where a variable that may be null is null in an argument that may not', async () => {
    const query = `query ($m: [MachineSetInput!] = []) {
      availability(machines: $m, duration: "PT1H") { earliestStart } }`;
    const { data, errors } = await api.ask(query, { m: null });
    expect(data).toBeFalsy();
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('must not be null'),
        extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
      }),
    ]);
  });

  it('counts no more nodes than a response can have, and the costliest', async () => {
    const nodes = (selection: string) => `reservations(first: 100) { nodes { nodes { ${selection} } } }`;
    const lists = `plain: ${nodes('number')} named: ${nodes('number hostname')}`;
    // 500 000 of each: 50 000 with a name of 200 characters.
    expect(await costOn(5_000)(`{ ${lists} }`)).toBe(2 * (1 + 100) + 50_000 * 1.2);
    // 20 000 with a name, and 20 000 without.
    expect(await costOn(200)(`{ ${lists} }`)).toBe(2 * (1 + 100) + 20_000 * 1.2 + 20_000);
  });

  it('of nested fragments is known at once', async () => {
    const fragments = Array.from(
      { length: 60 },
      (_, at) => `fragment f${at} on Reservation { ...f${at + 1} ...f${at + 1} nodes { number } }`,
    );
    const query = `{ reservations(first: 1) { nodes { ...f0 } } } ${fragments.join(' ')} fragment f60 on Reservation { start }`;
    // As if each fragment were written out: 2^60 lists of nodes, of which a response has 50 000 nodes.
    expect(await costOn(4)(query)).toBe(50_002);
  });

  it.each([
    ['depth', { depth: 2 }, 'The operation is 3 levels deep; the limit is 2.'],
    ['aliases', { aliases: 0 }, 'The operation has 1 aliases; the limit is 0.'],
    ['cost', { cost: 50 }, 'The operation costs 51; the limit is 50.'],
  ])('is refused beyond the limit of %s in a sentence', async (_limit, limits, sentence) => {
    const { app, ask } = apiOn(api.prisma, { limits });
    const { errors } = await ask('{ list: leases { nodes { number } } }');
    expect(errors?.[0]?.message).toBe(`${sentence} Request less at once, in smaller pages.`);
    await app.endSubscriptions();
  });

  it('counts the places that the scheduler tries for a dry run', async () => {
    const query = `mutation ($dryRun: Boolean) {
      cancelLease(input: { id: "TGVhc2U6OQ==", dryRun: $dryRun }) { userErrors { code } } }`;
    const plain = await costOn(4)(query, { dryRun: false });
    expect(await costOn(4)(query)).toBe(plain);
    expect(await costOn(4)(query, { dryRun: true })).toBe(Number(plain) + 5_000);
  });

  it('counts the leases that a change displaces', async () => {
    const update = `updateLease(input: { id: "TGVhc2U6OQ==" }) {
      displaced { number } plan { displaces { number } } userErrors { code } }`;
    const answer = (await api.ask(`mutation { ${update} }`)) as { extensions?: { cost?: unknown } };
    expect(answer.extensions?.cost).toMatchObject({ requested: 2_014 });
  });

  it('counts every sample of aliased fields', async () => {
    const aliases = Array.from({ length: 30 }, (_, index) => `u${index}: ${utilization(8_640)}`);
    const { errors } = await api.ask(`{ ${aliases.join(' ')} }`);
    expect(errors?.[0]).toMatchObject({
      extensions: { code: 'OPERATION_TOO_LARGE' },
      message: expect.stringContaining('259200'),
    });
  });

  it('is limited per principal and second', async () => {
    const { app, post } = apiOn(api.prisma, { limits: { costBurst: 60, costPerSecond: 0.001 } });
    const query = '{ leases { nodes { number } } }';
    expect((await post(query)).status).toBe(200);
    const refused = await post(query);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 1_000]).toEqual([429, true]);
    expect(await refused.json()).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter: expect.stringMatching(/^PT\d+S$/) } }],
    });
    await app.endSubscriptions();
  });
});
