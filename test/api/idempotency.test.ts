import { expect, it } from 'vitest';
import { type DatabaseKind, describeEachDatabase } from '../support/databases.ts';
import { apiOnEngine } from './engine-api.ts';
import { type Answer, graphqlRequest } from './fixture.ts';

async function serve(databases: DatabaseKind) {
  const { app } = await apiOnEngine(databases);
  return async (query: string, variables?: Record<string, unknown>): Promise<Answer['data']> => {
    const { data, errors } = (await (await app.fetch(graphqlRequest(query, variables))).json()) as Answer;
    expect(errors).toBeUndefined();
    return data;
  };
}

const capacity = [{ type: 'CPU', amount: 100 }];
const conflict = [{ code: 'IDEMPOTENCY_CONFLICT', path: ['input', 'idempotencyKey'] }];

describeEachDatabase('with an idempotency key', (databases) => {
  it('a recurrence is created once', async () => {
    const ask = await serve(databases);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const input = {
      ...{ machines: [{ count: 2, capacity }], duration: 'PT1H', timeZone: 'UTC', idempotencyKey: 'daily' },
      ...{ rule: 'FREQ=DAILY;COUNT=3', firstStart: `${tomorrow}T09:00` },
    };
    const create = async (changes: object = {}) =>
      (
        await ask(
          `mutation ($input: CreateRecurrenceInput!) { createRecurrence(input: $input) {
            recurrence { id number } userErrors { code path } } }`,
          { input: { ...input, ...changes } },
        )
      ).createRecurrence;
    const first = await create();
    expect(first).toEqual({ recurrence: { id: expect.any(String), number: 1 }, userErrors: [] });
    expect(await create()).toEqual(first);
    expect(await create({ duration: 'PT2H' })).toEqual({ recurrence: null, userErrors: conflict });
    expect(await ask('{ recurrences { totalCount } leases { totalCount } }')).toEqual({
      ...{ recurrences: { totalCount: 1 }, leases: { totalCount: 3 } },
    });
  });

  it('maintenance is planned once', async () => {
    const ask = await serve(databases);
    const [start, end, later] = [1, 2, 3].map((hours) => new Date(Date.now() + hours * 3_600_000));
    const input = { nodes: [btoa('ComputeNode:1')], start, end, reason: 'disks', idempotencyKey: 'disks' };
    const plan = async (changes: object = {}) =>
      (
        await ask(
          `mutation ($input: PlanMaintenanceInput!) { planMaintenance(input: $input) {
            maintenance { id reason } userErrors { code path } } }`,
          { input: { ...input, ...changes } },
        )
      ).planMaintenance;
    const first = await plan();
    expect(first).toEqual({ maintenance: { id: expect.any(String), reason: 'disks' }, userErrors: [] });
    expect(await plan()).toEqual(first);
    expect(await plan({ end: later })).toEqual({ maintenance: null, userErrors: conflict });
    const listed = async () => (await ask('{ maintenance { nodes { id } } }')).maintenance.nodes;
    expect(await listed()).toEqual([{ id: first.maintenance.id }]);
    expect((await plan({ idempotencyKey: 'other' })).maintenance.id).not.toBe(first.maintenance.id);
    expect(await listed()).toHaveLength(2);
  });

  it('nodes are added once', async () => {
    const ask = await serve(databases);
    const add = async (hostnames: readonly string[], idempotencyKey: string) =>
      (
        await ask(
          `mutation ($input: AddNodesInput!) { addNodes(input: $input) {
            nodes { number hostname } userErrors { code path } } }`,
          { input: { nodes: hostnames.map((hostname) => ({ hostname, capacity })), idempotencyKey } },
        )
      ).addNodes;
    const nodes = [
      { number: 3, hostname: 'a' },
      { number: 4, hostname: 'b' },
    ];
    expect(await add(['a', 'b'], 'rack')).toEqual({ nodes, userErrors: [] });
    expect(await add(['a', 'b'], 'rack')).toEqual({ nodes, userErrors: [] });
    expect(await add(['a', 'c'], 'rack')).toEqual({ nodes: [], userErrors: conflict });
    expect((await add(['a', 'b'], 'other')).userErrors).toMatchObject([{ code: 'NAME_TAKEN' }]);
    expect((await ask('{ nodes { totalCount } }')).nodes).toEqual({ totalCount: 4 });
  });
});
