import { expect, it } from 'vitest';
import type { SiteRecord } from '../../src/core/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { action, batch, event, lease, newSite, noon, reservation, site, writerOf } from './site.ts';

const counters: SiteRecord = {
  lastLeaseId: 1,
  lastReservationId: 1,
  lastEventSequence: 2,
  lastActionId: 1,
  lastRecurrenceId: 0,
  lastRank: 2,
  cachedImages: [{ node: 1, image: { name: 'debian', sizeMb: 500 }, timeout: noon, users: [[1, 1]] }],
};
const everything = () =>
  batch(null, {
    site: counters,
    leases: [lease(1)],
    reservations: [reservation(1, 1)],
    events: [
      event(1, 1),
      event(2, 1, { from: 'PENDING', to: 'SCHEDULED', reason: { code: 'PLANNED', message: 'fits' } }),
    ],
    actions: [action(1, 1)],
  });

describeEachDatabase('a commit', (database) => {
  const begin = async () => {
    const { open } = await database.create();
    const store = await open();
    return { store, writer: await newSite(store), open };
  };

  it('is loaded again by this store and by the next', async () => {
    const { open } = await database.create();
    const store = await open();
    expect(await store.load()).toBeNull();
    const writer = await newSite(store);
    const first = everything();
    await store.commit(first, writer);
    const expected = {
      name: 'test',
      spec: site,
      lastCommit: first.id,
      snapshot: { site: counters, leases: first.changes.leases, reservations: first.changes.reservations },
      pendingActions: first.changes.actions,
      unreadable: [],
    };
    const loaded = await store.load();
    expect(loaded).toMatchObject(expected);
    expect(Math.abs((loaded?.createdAt ?? 0) - (await store.clock()))).toBeLessThan(60_000);
    expect(await store.events(0, 10)).toEqual(first.changes.events);
    await store.close();
    expect(await (await open()).load()).toMatchObject(expected);
  });

  it('replaces changed records and leaves the rest', async () => {
    const { store, writer } = await begin();
    const first = batch(null, {
      leases: [lease(1), lease(2)],
      reservations: [
        reservation(1, 1, { amounts: { 1: { CPU: 100 }, 2: { CPU: 50 } } }),
        reservation(2, 2),
        reservation(3, 2),
      ],
    });
    await store.commit(first, writer);
    const moved = lease(1, { state: 'ACTIVE', mapping: { 1: 3 }, actualStart: noon, isFuture: true });
    const changed = reservation(1, 1, { state: 'ACTIVE', amounts: { 2: { CPU: 75 }, 3: { CPU: 100 } } });
    await store.commit(batch(first.id, { leases: [moved], reservations: [changed], withdrawn: [2] }), writer);
    const loaded = await store.load();
    expect(loaded?.snapshot.leases).toEqual([moved, lease(2)]);
    expect(loaded?.snapshot.reservations).toEqual([changed, reservation(3, 2)]);
  });

  it('writes the nodes of reservations and machines only where the changes say that they are new', async () => {
    const { store, writer } = await begin();
    const [held, placed] = [reservation(1, 1), lease(1)];
    let last = batch(null, { leases: [placed], reservations: [held] });
    await store.commit(last, writer);
    const rows = async () => [await store.prisma.reservationNode.count(), await store.prisma.leaseMachine.count()];
    const before = await rows();
    await store.prisma.reservationNode.deleteMany();
    await store.prisma.leaseMachine.deleteMany();
    const changed = { leases: [{ ...placed, state: 'READY' as const }], reservations: [held] };
    last = batch(last.id, { ...changed, placedLeases: [], placedReservations: [] });
    await store.commit(last, writer);
    expect(await rows()).toEqual([0, 0]);
    await store.commit(batch(last.id, changed), writer);
    expect(await rows()).toEqual(before);
  });

  it('omits a reservation that was added and withdrawn within one turn', async () => {
    const { store, writer } = await begin();
    await store.commit(batch(null, { leases: [lease(1)], reservations: [reservation(1, 1)], withdrawn: [1] }), writer);
    expect((await store.load())?.snapshot.reservations).toEqual([]);
  });

  it('writes an interval that ends before it starts as an empty one', async () => {
    const { store, writer } = await begin();
    const backward = reservation(1, 1, { start: noon, end: noon - 1 });
    await store.commit(batch(null, { leases: [lease(1)], reservations: [backward] }), writer);
    const loaded = await store.load();
    expect(loaded?.snapshot.reservations).toMatchObject([{ id: 1, start: noon, end: noon }]);
  });

  it('changes nothing if any part of it fails', async () => {
    const { store, writer } = await begin();
    const first = everything();
    await store.commit(first, writer);
    const before = await store.load();
    const good = {
      site: { ...counters, lastLeaseId: 2, lastEventSequence: 3 },
      leases: [lease(1, { state: 'CANCELLED' }), lease(2)],
      reservations: [reservation(2, 2)],
      withdrawn: [1],
      events: [event(3, 2)],
      actions: [action(2, 2)],
    };
    const key = { principal: 'a', key: 'k', inputHash: 'h', number: 2 };
    const failing = [
      batch(first.id, { ...good, events: [event(2, 2)] }),
      batch(first.id, { ...good, events: [event(3, 99)] }),
      batch(first.id, { ...good, reservations: [reservation(2, 77)] }),
      batch(first.id, { ...good, reservations: [reservation(2, 2, { amounts: { 9: { CPU: 1 } } })] }),
      batch(first.id, { ...good, leases: [lease(2, { duration: -1 })] }),
      batch(first.id, { ...good, leases: [lease(2, { plannedStart: Number.NaN })] }),
      batch(first.id, { ...good, leases: [lease(2, { plannedStart: 8.64e15 })] }),
      batch(first.id, { ...good, actions: [action(1, 2)] }),
      batch(first.id, good, { idempotency: [key, key] }),
    ];
    for (const one of failing) {
      await expect(store.commit(one, writer)).rejects.toMatchObject({
        name: 'StoreError',
        kind: 'PERMANENT',
      });
      expect(await store.load()).toEqual(before);
      expect(await store.events(0, 10)).toEqual(first.changes.events);
    }
    expect(await store.idempotency([key])).toEqual([]);
    await store.commit(batch(first.id, good, { idempotency: [key] }), writer);
    expect((await store.load())?.snapshot.leases).toEqual([lease(2)]);
    expect(await store.idempotency([key, { principal: 'b', key: 'k' }])).toEqual([key]);
  });

  it('is written once even if it is repeated', async () => {
    const { store, writer } = await begin();
    const first = everything();
    await store.commit(first, writer);
    await store.commit(first, writer);
    expect(await store.events(0, 10)).toHaveLength(2);
    const second = batch(first.id, { events: [event(3, 1)] });
    await store.commit(second, writer);
    await expect(store.commit(first, writer)).rejects.toMatchObject({ kind: 'FENCED' });
    await store.commit(second, writer);
    expect(await store.events(0, 10)).toHaveLength(3);
  });

  it('is refused if it is based on an older state', async () => {
    const { store, writer } = await begin();
    const first = everything();
    await store.commit(first, writer);
    const stale = batch(null, { leases: [lease(1, { state: 'FAILED' })] });
    await expect(store.commit(stale, writer)).rejects.toMatchObject({ kind: 'FENCED' });
    expect((await store.load())?.snapshot.leases).toEqual([lease(1)]);
  });

  it('is refused from a writer that has been succeeded, even while it is in progress', async () => {
    const { store, writer } = await begin();
    expect(writer).toMatchObject({ epoch: 1, lastCommit: null });
    const first = everything();
    await store.commit(first, writer);
    const successor = await writerOf(store);
    expect(successor).toMatchObject({ epoch: 2, lastCommit: first.id });
    const late = batch(first.id, { leases: [lease(1, { state: 'FAILED' })] });
    await expect(store.commit(late, writer)).rejects.toMatchObject({ name: 'StoreError' });
    await expect(store.createSite('again', site, writer)).rejects.toMatchObject({ name: 'StoreError' });
    expect((await store.load())?.snapshot.leases).toEqual([lease(1)]);
    await store.commit(batch(first.id, { leases: [lease(1, { state: 'READY' })] }), successor);
    expect((await store.load())?.snapshot.leases).toEqual([lease(1, { state: 'READY' })]);
  });

  it('creates a site once', async () => {
    const { store, writer } = await begin();
    await expect(store.createSite('another', site, writer)).rejects.toThrow('holds a site already');
    expect(await store.load()).toMatchObject({ name: 'test', spec: site });
  });

  it('keeps the outcomes of actions, including those of the same commit', async () => {
    const { store, writer } = await begin();
    const first = batch(null, { leases: [lease(1)], actions: [action(1, 1), action(2, 1), action(3, 1)] });
    await store.commit(first, writer);
    const done = {
      state: 'SUCCEEDED' as const,
      error: null,
      attempts: 1,
      startedAt: null,
      output: null,
      finishedAt: noon,
    };
    const failed = {
      state: 'FAILED' as const,
      error: 'no such host',
      attempts: 3,
      startedAt: null,
      output: null,
      finishedAt: noon + 1,
    };
    await store.commit(
      batch(
        first.id,
        { actions: [action(4, 1, { kind: 'DESTROY', deadline: noon })] },
        {
          outcomes: [
            { actionId: 1, ...done },
            { actionId: 3, ...failed },
            { actionId: 4, ...done },
          ],
        },
      ),
      writer,
    );
    expect((await store.load())?.pendingActions).toEqual([action(2, 1)]);
    const rows = await store.prisma.action.findMany({ orderBy: { number: 'asc' } });
    expect(rows.map((row) => [row.state, row.attempts, row.error, row.finishedAt?.getTime() ?? null])).toEqual([
      ['SUCCEEDED', 1, null, noon],
      ['PENDING', 0, null, null],
      ['FAILED', 3, 'no such host', noon + 1],
      ['SUCCEEDED', 1, null, noon],
    ]);
  });

  it('accepts text that PostgreSQL would refuse', async () => {
    const { store, writer } = await begin();
    const name = 'a\0b\ud800c \\u0000 "quoted" \u2028 \u{1F600}';
    await store.commit(batch(null, { leases: [lease(1, { name })] }), writer);
    expect((await store.load())?.snapshot.leases[0]?.name).toBe('a\uFFFDb\uFFFDc \\u0000 "quoted" \u2028 \u{1F600}');
  });
});
