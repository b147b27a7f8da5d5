import { expect, it, onTestFinished } from 'vitest';
import { defaultSchedulerConfig, type NodeSpec } from '../../src/core/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import { createIdentity } from '../../src/identity/index.ts';
import { createApp } from '../../src/server/app.ts';
import { isOutage } from '../../src/store/index.ts';
import { type DatabaseKind, describeEachDatabase } from '../support/databases.ts';
import { type Answer, graphqlRequest, token, webhooksOn } from './fixture.ts';

type Database = Awaited<ReturnType<DatabaseKind['create']>>;

/** The API on an engine, without a port. */
async function serve(database: Database) {
  const store = await database.open();
  const spec = {
    resourceTypes: ['CPU', 'Memory'],
    nodes: [{ number: 1, hostname: 'node-1', capacity: { CPU: 100, Memory: 1024 } }],
  };
  let nodes: readonly NodeSpec[] = [];
  const engine = await createEngine({
    store,
    adapter: new SimulatedAdapter(),
    site: { name: 'lab', spec },
    scheduler: defaultSchedulerConfig,
    onNodes: (now) => {
      nodes = now;
    },
  });
  const { prisma } = store;
  const site = {
    name: 'lab',
    resourceTypes: spec.resourceTypes,
    clockSpeed: 1,
    acceptsKnownDurations: false,
  };
  const identity = createIdentity({ prisma, adminToken: token });
  const app = createApp({
    isOutage,
    services: { prisma, leases: engine, site, identity, webhooks: webhooksOn(prisma) },
  });
  onTestFinished(() => engine.stop());
  const ask = async (query: string, variables?: Record<string, unknown>): Promise<Answer['data']> => {
    const { data, errors } = (await (await app.fetch(graphqlRequest(query, variables))).json()) as Answer;
    expect(errors).toBeUndefined();
    return data;
  };
  return {
    stop: async () => {
      await engine.stop();
      await store.close();
    },
    known: () => nodes.map(({ hostname }) => hostname),
    listed: async () => (await ask('{ nodes { totalCount nodes { id number hostname state } } }')).nodes,
    add: async (...added: readonly object[]) =>
      (
        await ask(
          `mutation ($input: AddNodesInput!) { addNodes(input: $input) {
            nodes { id number hostname capacity { type amount } labels { key value } } userErrors { code path } } }`,
          { input: { nodes: added } },
        )
      ).addNodes,
    update: async (input: object) =>
      (
        await ask(
          `mutation ($input: UpdateNodeInput!) { updateNode(input: $input) {
            node { capacity { type amount } labels { key value } } userErrors { code path } } }`,
          { input },
        )
      ).updateNode,
    remove: async (id: string) =>
      (
        await ask(
          'mutation ($id: ID!) { removeNode(input: { id: $id }) { node { hostname } userErrors { code path } } }',
          { id },
        )
      ).removeNode,
    setState: async (id: string, state: string) =>
      (
        await ask('mutation ($input: SetNodeStateInput!) { setNodeState(input: $input) { userErrors { code } } }', {
          input: { id, state },
        })
      ).setNodeState,
    /** The nodes that a lease of one whole machine per count was given, and its state. */
    request: async (count: number) => {
      const input = { type: 'IMMEDIATE', duration: 'PT1H', machines: [{ count, capacity: capacity(100) }] };
      const { lease } = (
        await ask(
          `mutation ($input: RequestLeaseInput!) { requestLease(input: $input) {
            lease { id state machines { node { number } } } } }`,
          { input },
        )
      ).requestLease;
      return { ...lease, nodes: lease.machines.flatMap((machine: Machine) => machine.node?.number ?? []) };
    },
    cancel: (id: string) =>
      ask('mutation ($id: ID!) { cancelLease(input: { id: $id }) { userErrors { code } } }', { id }),
  };
}

interface Machine {
  readonly node: { readonly number: number } | null;
}

const capacity = (cpu: number, memory = 512) => [
  { type: 'CPU', amount: cpu },
  { type: 'Memory', amount: memory },
];
const idOf = (number: number) => btoa(`ComputeNode:${number}`);

describeEachDatabase('the nodes of a site', (databases) => {
  it('are added, changed and removed while it runs, and after a restart are as they were', async () => {
    const database = await databases.create();
    const site = await serve(database);
    expect((await site.request(2)).state).toBe('REJECTED');

    const labels = [{ key: 'rack', value: 'b' }];
    const added = await site.add({ hostname: 'node-2', capacity: capacity(100), labels });
    expect(added).toEqual({
      nodes: [{ id: idOf(2), number: 2, hostname: 'node-2', capacity: capacity(100), labels }],
      userErrors: [],
    });
    expect(site.known()).toEqual(['node-1', 'node-2']);
    const lease = await site.request(2);
    expect([...lease.nodes].sort()).toEqual([1, 2]);

    // Nothing changes while leases hold something there, except what does not concern them.
    const inUse = { node: null, userErrors: [{ code: 'NODE_IN_USE', path: ['input', 'id'] }] };
    expect(await site.remove(idOf(2))).toEqual(inUse);
    expect(await site.update({ id: idOf(2), capacity: capacity(200) })).toEqual(inUse);
    expect(await site.update({ id: idOf(2), labels: [] })).toEqual({
      node: { capacity: capacity(100), labels: [] },
      userErrors: [],
    });
    await site.cancel(lease.id);
    expect((await site.update({ id: idOf(1), capacity: capacity(200, 1024) })).node.capacity).toEqual(
      capacity(200, 1024),
    );

    expect((await site.remove(idOf(2))).userErrors).toEqual([]);
    const again = await site.add({ hostname: 'node-2', capacity: capacity(100), address: '192.0.2.3' });
    expect(again.nodes).toMatchObject([{ number: 3, hostname: 'node-2' }]);
    expect(await site.setState(idOf(3), 'DRAINING')).toEqual({ userErrors: [] });
    const listed = {
      totalCount: 2,
      nodes: [
        { id: idOf(1), number: 1, hostname: 'node-1', state: 'UP' },
        { id: idOf(3), number: 3, hostname: 'node-2', state: 'DRAINING' },
      ],
    };
    expect(await site.listed()).toEqual(listed);
    await site.stop();

    const restarted = await serve(database);
    expect(await restarted.listed()).toEqual(listed);
    expect(restarted.known()).toEqual(['node-1', 'node-2 (removed 2)', 'node-2']);
    expect((await restarted.request(2)).nodes).toEqual([1, 1]);
    expect((await restarted.request(1)).state).toBe('REJECTED');
    expect((await restarted.add({ hostname: 'node-4', capacity: capacity(100) })).nodes).toMatchObject([{ number: 4 }]);
  });

  it('stay as they are when a change is refused', async () => {
    const site = await serve(await databases.create());
    const one = { hostname: 'node-2', capacity: capacity(100) };
    const refused = async (...nodes: readonly object[]) => (await site.add(...nodes)).userErrors;
    const at = (...path: readonly string[]) => ['input', 'nodes', ...path];
    expect(await refused()).toEqual([{ code: 'INVALID_REQUEST', path: at() }]);
    expect(await refused(one, one)).toEqual([{ code: 'NAME_TAKEN', path: at('1', 'hostname') }]);
    expect(await refused({ ...one, hostname: 'node-1' })).toEqual([{ code: 'NAME_TAKEN', path: at('0', 'hostname') }]);
    const twice = [
      { key: 'rack', value: 'b' },
      { key: 'rack', value: 'c' },
    ];
    expect(await refused({ ...one, labels: twice })).toEqual([
      { code: 'INVALID_REQUEST', path: at('0', 'labels', '1', 'key') },
    ]);
    for (const hostname of [' ', '-x', '../x', 'a;rm', 'a b']) {
      expect(await refused({ ...one, hostname })).toEqual([{ code: 'INVALID_REQUEST', path: at('0', 'hostname') }]);
    }
    for (const address of ['host/system?command=/x#', 'a b;$(x)', '-oProxyCommand=x']) {
      expect(await refused({ ...one, address })).toEqual([{ code: 'INVALID_REQUEST', path: at('0', 'address') }]);
    }
    expect(await refused({ ...one, capacity: [{ type: 'GPU', amount: 1 }] })).toEqual([
      { code: 'INVALID_REQUEST', path: at('0', 'capacity', '0', 'type') },
    ]);
    // The site counts one instance of CPU.
    expect(await refused({ ...one, capacity: [...capacity(100), ...capacity(100)] })).toEqual([
      { code: 'INVALID_REQUEST', path: at() },
    ]);
    expect(await refused({ ...one, labels: [{ key: '', value: 'b' }] })).toEqual([
      { code: 'INVALID_REQUEST', path: at('0', 'labels', '0', 'key') },
    ]);
    expect((await site.remove(idOf(2))).userErrors).toEqual([{ code: 'NODE_NOT_FOUND', path: ['input', 'id'] }]);
    expect((await site.listed()).totalCount).toBe(1);

    await site.add(one);
    await site.remove(idOf(2));
    for (const answer of [
      await site.remove(idOf(2)),
      await site.update({ id: idOf(2), capacity: capacity(100) }),
      await site.setState(idOf(2), 'UP'),
    ]) {
      expect(answer.userErrors).toMatchObject([{ code: 'NODE_NOT_FOUND' }]);
    }
  });
});
