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
    [`{ ${availability} { earliestStart windows { start } } }`, 1_001],
    ['{ leases(first: 2) { nodes { machines { index } } } }', 103],
    ['{ reservations(first: 2) { nodes { targets { machine } nodes { number } } } }', 203],
    ['{ recurrences(first: 2) { nodes { machines { index } skipped { start } } } }', 2_103],
    [`{ nodes(first: 2) { nodes { freeCapacity(from: ${start}, to: ${end}) { start } } } }`, 203],
    ['{ leases(first: 9) { nodes { ...of } } } fragment of on Lease { name }', 12],
  ])('%s: %i', async (query, requested) => {
    const answer = (await api.ask(query)) as { extensions?: { cost?: { requested: number } } };
    expect(answer.extensions?.cost?.requested).toBe(requested);
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
