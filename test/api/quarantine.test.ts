/** Leases that are left out because what is stored of them is not sound, as clients see them, on each database. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { type DatabaseKind, describeEachDatabase } from '../support/databases.ts';
import { apiOnStore } from './engine-api.ts';
import { type Answer, graphqlRequest } from './fixture.ts';

const id = (number: number) => btoa(`Lease:${number}`);

/** A server on a database; `restart` stops it and starts the next one, on the same hosts. */
async function serve(databases: DatabaseKind) {
  const place = await databases.create();
  const begin = async () => {
    const store = await place.open();
    const adapter = new SimulatedAdapter({ stateFile: join(place.dataDir, 'machines.json') });
    const api = await apiOnStore(store, adapter);
    const ask = async (query: string, variables?: Record<string, unknown>): Promise<Answer['data']> => {
      const response = await api.app.fetch(graphqlRequest(query, variables));
      const { data, errors } = (await response.json()) as Answer;
      expect(errors).toBeUndefined();
      return data;
    };
    const stop = async (): Promise<void> => {
      await api.engine.stop();
      await store.close();
    };
    return { ...api, adapter, ask, stop, store };
  };
  const first = await begin();
  return { first, begin };
}

type Server = Awaited<ReturnType<typeof serve>>['first'];

const request = async ({ ask }: Server, machines: number) =>
  (
    await ask(
      `mutation { requestLease(input: { type: IMMEDIATE, duration: "PT1H", machines: [
        { count: ${machines}, capacity: [{ type: "CPU", amount: 100 }] }] }) { lease { number } userErrors { code } } }`,
    )
  ).requestLease;
const discard = async ({ ask }: Server, lease: number) =>
  (
    await ask(
      `mutation { discardLease(input: { id: "${id(lease)}" }) {
        lease { number state stateReason { code message } reservations { totalCount } } userErrors { reason path } } }`,
    )
  ).discardLease;
const stateOf = async ({ ask }: Server, lease: number) =>
  (await ask(`{ lease(number: ${lease}) { state } }`)).lease.state;

/** The first value of a subscription. */
async function firstOf({ app }: Server, query: string): Promise<Answer['data']> {
  const stream = new AbortController();
  const plain = graphqlRequest(query);
  const headers = new Headers(plain.headers);
  headers.set('accept', 'text/event-stream');
  const response = await app.fetch(
    new Request(plain.url, {
      method: 'POST',
      headers,
      body: await plain.text(),
      signal: stream.signal,
    }),
  );
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk as Uint8Array);
    const data = /^data: ?(.+)$/m.exec(text)?.[1];
    if (data === undefined || !text.includes('\n\n')) continue;
    stream.abort();
    return (JSON.parse(data) as Answer).data;
  }
  throw new Error(`the subscription ended after: ${text}`);
}

describeEachDatabase('quarantined leases', (databases) => {
  it('are shown as such on every path, and are discarded with their machines', async () => {
    const { first, begin } = await serve(databases);
    for (const lease of [1, 2]) {
      expect(await request(first, 1)).toEqual({ lease: { number: lease }, userErrors: [] });
      await expect.poll(() => stateOf(first, lease)).toBe('ACTIVE');
    }
    await first.store.prisma.$executeRawUnsafe(
      'DELETE FROM reservation_nodes WHERE reservation_number IN (SELECT number FROM reservations WHERE lease_number = 1)',
    );
    await first.store.prisma.$executeRawUnsafe(`UPDATE leases SET placement = '{}' WHERE number = 2`);
    await first.stop();

    const server = await begin();
    const seen = await server.ask(`{
      lease(number: 1) { state waiting { code } }
      objects(ids: ["${id(2)}"]) { ... on Lease { state } }
      all: leases { totalCount nodes { number state } }
      quarantined: leases(filter: { states: [QUARANTINED] }) { totalCount nodes { number } }
      active: leases(filter: { states: [ACTIVE] }) { totalCount }
      both: leases(filter: { states: [ACTIVE, QUARANTINED] }) { totalCount }
      live: leases(filter: { live: true, states: [QUARANTINED] }) { totalCount }
      reservations { nodes { lease { number state } } }
      events(filter: { to: [QUARANTINED] }) { nodes { sequence } }
    }`);
    expect(seen).toMatchObject({
      lease: { state: 'QUARANTINED', waiting: { code: 'QUARANTINED' } },
      objects: [{ state: 'QUARANTINED' }],
      all: { totalCount: 2, nodes: [{ state: 'QUARANTINED' }, { state: 'QUARANTINED' }] },
      quarantined: { totalCount: 2, nodes: [{ number: 1 }, { number: 2 }] },
      active: { totalCount: 0 },
      both: { totalCount: 2 },
      live: { totalCount: 2 },
      events: { nodes: [] },
    });
    expect(seen.reservations.nodes).toContainEqual({ lease: { number: 2, state: 'QUARANTINED' } });
    expect(await firstOf(server, `subscription { leaseChanged(id: "${id(1)}") { state } }`)).toEqual({
      leaseChanged: { state: 'QUARANTINED' },
    });

    const { lease: discarded, userErrors } = await discard(server, 1);
    expect(userErrors).toEqual([]);
    expect(discarded).toEqual({
      ...{ number: 1, state: 'FAILED', stateReason: { code: 'DISCARDED', message: expect.any(String) } },
      reservations: { totalCount: 0 },
    });
    expect((await discard(server, 2)).lease).toMatchObject({ state: 'FAILED' });
    const { events } = await server.ask(
      `{ events(filter: { to: [FAILED] }) { nodes { from reason { code } lease { number } } } }`,
    );
    expect(events.nodes).toEqual(
      [1, 2].map((number) => ({ from: 'ACTIVE', reason: { code: 'DISCARDED' }, lease: { number } })),
    );
    const { notices } = await server.ask('{ notices { nodes { kind message reason { code } lease { number } } } }');
    expect(notices.nodes).toEqual(
      [1, 2].map((number) => ({
        kind: 'LEASE_FAILED',
        message: `Lease ${number} has failed: ${discarded.stateReason.message}.`,
        reason: { code: 'DISCARDED' },
        lease: { number },
      })),
    );
    // Their machines leave their nodes, which the next lease has then.
    expect(await request(server, 2)).toEqual({ lease: { number: 3 }, userErrors: [] });
    await expect.poll(() => stateOf(server, 3)).toBe('ACTIVE');
    const destroyed = async () =>
      (await server.ask('{ leases(first: 2) { nodes { actions(last: 1) { nodes { kind state } } } } }')).leases.nodes;
    const gone = { actions: { nodes: [{ kind: 'DESTROY', state: 'SUCCEEDED' }] } };
    await expect.poll(destroyed).toEqual([gone, gone]);
    const running = async () =>
      (await Promise.all([1, 2].map((node) => server.adapter.list(node, new AbortController().signal))))
        .flat()
        .map(({ leaseId, status }) => `${leaseId} ${status}`);
    await expect.poll(running).toEqual(['3 running', '3 running']);
    for (const [lease, reason] of [
      [1, 'LEASE_ENDED'],
      [3, 'LEASE_NOT_QUARANTINED'],
      [9, 'LEASE_NOT_FOUND'],
    ] as const)
      expect(await discard(server, lease)).toEqual({
        lease: null,
        userErrors: [{ reason, path: ['input', 'id'] }],
      });
    await server.stop();

    const last = await begin();
    expect(await last.ask('{ leases { nodes { state } } }')).toEqual({
      leases: { nodes: [{ state: 'FAILED' }, { state: 'FAILED' }, { state: 'ACTIVE' }] },
    });
  });

  it('are what they were once what is stored of them is repaired', async () => {
    const { first, begin } = await serve(databases);
    await request(first, 1);
    await expect.poll(() => stateOf(first, 1)).toBe('ACTIVE');
    await first.store.prisma.$executeRawUnsafe('UPDATE leases SET duration = 0 WHERE number = 1');
    await first.stop();
    const server = await begin();
    expect(await stateOf(server, 1)).toBe('QUARANTINED');
    await server.store.prisma.$executeRawUnsafe('UPDATE leases SET duration = 3600000 WHERE number = 1');
    await server.stop();
    expect(await stateOf(await begin(), 1)).toBe('ACTIVE');
  });
});
