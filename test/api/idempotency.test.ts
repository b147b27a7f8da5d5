import { getNamedType, isInputObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import type { App } from '../../src/server/app.ts';
import { type DatabaseKind, describeEachDatabase } from '../support/databases.ts';
import { apiOnEngine } from './engine-api.ts';
import { type Answer, graphqlRequest } from './fixture.ts';

async function serve(databases: DatabaseKind) {
  const { app } = await apiOnEngine(databases);
  return asking(app);
}

function asking(app: App) {
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
    const add = async (hostnames: readonly string[], idempotencyKey: string, dryRun = false) =>
      (
        await ask(
          `mutation ($input: AddNodesInput!) { addNodes(input: $input) {
            nodes { number hostname } userErrors { code path } } }`,
          { input: { nodes: hostnames.map((hostname) => ({ hostname, capacity })), idempotencyKey, dryRun } },
        )
      ).addNodes;
    const nodes = [
      { number: 3, hostname: 'a' },
      { number: 4, hostname: 'b' },
    ];
    // A dry run takes no key, and says what becomes of one that was used.
    expect(await add(['a', 'c'], 'rack', true)).toEqual({ nodes: [], userErrors: [] });
    expect(await add(['a', 'b'], 'rack')).toEqual({ nodes, userErrors: [] });
    expect(await add(['a', 'b'], 'rack', true)).toEqual({ nodes: [], userErrors: [] });
    expect(await add(['a', 'c'], 'rack', true)).toEqual({ nodes: [], userErrors: conflict });
    expect((await add(['a', 'b'], 'new', true)).userErrors).toMatchObject([{ code: 'NAME_TAKEN' }]);
    expect(await add(['a', 'b'], 'rack')).toEqual({ nodes, userErrors: [] });
    expect(await add(['a', 'c'], 'rack')).toEqual({ nodes: [], userErrors: conflict });
    expect((await add(['a', 'b'], 'other')).userErrors).toMatchObject([{ code: 'NAME_TAKEN' }]);
    expect((await ask('{ nodes { totalCount } }')).nodes).toEqual({ totalCount: 4 });
  });

  it('a project is created once, with its quotas', async () => {
    const ask = await serve(databases);
    const input = { name: 'physics', quotas: [{ type: 'CPU', amount: 100 }], idempotencyKey: 'physics' };
    const create = async (changes: object = {}) =>
      (
        await ask(
          `mutation ($input: CreateProjectInput!) { createProject(input: $input) {
            project { id name quotas { amount } } userErrors { code path } } }`,
          { input: { ...input, ...changes } },
        )
      ).createProject;
    const first = await create();
    expect(first).toEqual({
      project: { id: btoa('Project:1'), name: 'physics', quotas: [{ amount: 100 }] },
      userErrors: [],
    });
    expect(await create()).toEqual(first);
    expect(await create({ name: 'chemistry' })).toEqual({ project: null, userErrors: conflict });
    // Nothing is kept of what is refused.
    const unknown = { quotas: [{ type: 'Coffee', amount: 1 }], name: 'chemistry', idempotencyKey: 'c' };
    expect((await create(unknown)).userErrors).toMatchObject([{ code: 'INVALID_REQUEST' }]);
    expect((await create({ ...unknown, quotas: [] })).project).toMatchObject({ name: 'chemistry' });
    expect((await ask('{ projects { totalCount } }')).projects).toEqual({ totalCount: 2 });
  });

  it('a token is created once, and its secret is shown once', async () => {
    const ask = await serve(databases);
    const create = async (name: string, idempotencyKey: string) =>
      (
        await ask(
          `mutation ($input: CreateTokenInput!) { createToken(input: $input) {
            token { id name prefix } secret userErrors { code path } } }`,
          { input: { name, role: 'USER', expiresAt: '9999-12-31T00:00:00Z', idempotencyKey } },
        )
      ).createToken;
    const first = await create('ada', 'for-ada');
    expect(first.secret).toMatch(/^lg_/);
    expect(await create('ada', 'for-ada')).toEqual({ ...first, secret: null });
    expect(await create('bob', 'for-ada')).toEqual({ token: null, secret: null, userErrors: conflict });
    expect((await create('ada', 'other')).userErrors).toMatchObject([{ code: 'NAME_TAKEN' }]);
    expect((await create('bob', ' ')).userErrors).toEqual([
      { code: 'INVALID_REQUEST', path: ['input', 'idempotencyKey'] },
    ]);
    expect((await ask('{ tokens { totalCount } }')).tokens).toEqual({ totalCount: 1 });
  });

  it('a webhook is created once, also by requests at the same time', async () => {
    const ask = await serve(databases);
    const create = async (url: string) =>
      (
        await ask(
          `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
            webhook { id } secret userErrors { code path } } }`,
          { input: { url, idempotencyKey: 'hook' } },
        )
      ).createWebhook;
    const url = 'https://hooks.example.org/a';
    const answers = await Promise.all([create(url), create(url), create(url)]);
    // Requests that came second may have used up a number.
    const { id } = answers[0].webhook;
    expect(answers.map(({ webhook }) => webhook)).toEqual(Array(3).fill({ id }));
    expect(answers.filter(({ secret }) => secret !== null)).toHaveLength(1);
    expect(await create(`${url}b`)).toEqual({ webhook: null, secret: null, userErrors: conflict });
    expect((await ask('{ webhooks { totalCount } }')).webhooks).toEqual({ totalCount: 1 });
    await ask(`mutation { deleteWebhook(input: { id: "${id}" }) { deletedId userErrors { code } } }`);
    expect((await create(url)).userErrors).toEqual([{ code: 'WEBHOOK_NOT_FOUND', path: ['input', 'idempotencyKey'] }]);
  });

  it('a key of what the engine makes, and the same of something else, are two', async () => {
    const { app, engine } = await apiOnEngine(databases);
    const ask = asking(app);
    const both = `mutation {
      createProject(input: { name: "physics", idempotencyKey: "key" }) { project { name } userErrors { code } }
      requestLease(input: { type: BEST_EFFORT, duration: "PT1H", idempotencyKey: "key",
        machines: [{ count: 1, capacity: [{ type: "CPU", amount: 100 }] }] }) { lease { number } userErrors { code } }
    }`;
    const first = await ask(both);
    expect(first).toMatchObject({
      createProject: { project: { name: 'physics' } },
      requestLease: { lease: { number: 1 } },
    });
    expect(await ask(both)).toEqual(first);
    expect(engine.status()).toMatchObject({ role: 'writer', problems: [] });
  });
});

/** Mutations that make nothing which a repetition would make again. */
const makeNothing = [
  ...['endLease', 'cancelLease', 'discardLease', 'endMaintenance', 'recoverAction', 'setNodeState'],
  ...['updateNode', 'removeNode', 'updateProject', 'updateToken', 'revokeToken'],
  ...['updateWebhook', 'deleteWebhook'],
  ...['updateRecurrence', 'cancelRecurrence'],
  // A repetition makes another delivery of a test, as often as it is asked for.
  'testWebhook',
];

it('every mutation that makes something takes an idempotency key', () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const withoutKey = mutations.filter(({ args }) => {
    const input = args[0] && getNamedType(args[0].type);
    return !(isInputObjectType(input) && 'idempotencyKey' in input.getFields());
  });
  expect(withoutKey.map(({ name }) => name).sort()).toEqual(makeNothing.toSorted());
});
