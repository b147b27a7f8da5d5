/** The behaviour that all stores share, including the in-memory store of the engine's tests. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { NoticeRecord, Store } from '../../src/engine/ports.ts';
import type { SqlStore } from '../../src/store/store.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { MemoryDatabase, MemoryStore } from '../support/memory-store.ts';
import { action, batch, event, lease, newSite, noon, reservation, site, writerOf } from './site.ts';

/**
 * A new database without a site. `another` opens a second store on it, like another process; the same one if there
 * can be only one.
 */
interface Opened {
  readonly store: Store;
  readonly another: () => Promise<Store>;
}

const later = () => AbortSignal.timeout(120_000);

/** The waiting commands, once there are as many as given. */
async function waiting(store: Store, count: number) {
  const notices = new EventTarget();
  await using _ = await store.listen(() => notices.dispatchEvent(new Event('notice')));
  for (;;) {
    const noticed = once(notices, 'notice');
    const commands = await store.forwarded(100);
    if (commands.length >= count) return commands;
    await noticed;
  }
}

function conformance(open: () => Promise<Opened>): void {
  const begin = async () => {
    const opened = await open();
    return { ...opened, writer: await newSite(opened.store) };
  };

  describe('a commit', () => {
    it('is loaded as it was written, without ended leases', async () => {
      const { store, writer } = await begin();
      const counters = {
        ...{
          lastLeaseId: 2,
          lastReservationId: 2,
          lastEventSequence: 1,
          lastActionId: 2,
          lastRecurrenceId: 0,
          lastRank: 2,
        },
        cachedImages: [{ node: 1, image: { name: 'debian', sizeMb: 500 }, timeout: noon, users: [] }],
      };
      const written = batch(null, {
        site: counters,
        leases: [lease(1), lease(2, { state: 'DONE', endedAt: noon })],
        reservations: [reservation(1, 1), reservation(2, 2, { state: 'DONE' })],
        events: [event(1, 1, { reason: { code: 'PLANNED', message: 'fits' } })],
        actions: [action(1, 1), action(2, 2)],
      });
      await store.commit(written, writer);
      const outcome = {
        actionId: 1,
        state: 'FAILED' as const,
        error: 'gone',
        attempts: 2,
        startedAt: null,
        output: null,
        finishedAt: noon,
      };
      const second = batch(written.id, {}, { outcomes: [outcome] });
      await store.commit(second, writer);
      expect(await store.load()).toMatchObject({
        name: 'test',
        spec: site,
        lastCommit: second.id,
        snapshot: { site: counters, leases: [lease(1)], reservations: [reservation(1, 1)] },
        pendingActions: [action(2, 2)],
      });
      expect(await store.events(0, 10)).toEqual(written.changes.events);
    });

    it('knows the pending removals that have failed', async () => {
      const { store, writer } = await begin();
      const actions = [1, 2, 3, 4].map((id) => action(id, 1, { kind: id === 4 ? 'START' : 'DESTROY' }));
      const failed = { error: 'not removed', startedAt: noon, output: null, attempts: 1 };
      const outcomes = [
        { actionId: 1, ...failed, state: 'PENDING' as const, finishedAt: null },
        { actionId: 3, ...failed, state: 'FAILED' as const, finishedAt: noon },
        { actionId: 4, ...failed, state: 'PENDING' as const, finishedAt: null },
      ];
      await store.commit(batch(null, { leases: [lease(1)], actions }, { outcomes }), writer);
      const loaded = await store.load();
      expect(loaded?.pendingActions.map(({ id }) => id)).toEqual([1, 2, 4]);
      expect(loaded?.failedRemovals).toEqual([1]);
    });

    it('keeps what hosts are told of leases, also when they have ended', async () => {
      const { store, writer } = await begin();
      const ended = lease(2, { name: 'nightly build', owner: 'ada', state: 'DONE', endedAt: noon });
      await store.commit(batch(null, { leases: [lease(1, { name: null }), ended] }), writer);
      expect(await Promise.all([1, 2, 3].map((number) => store.leaseFacts(number)))).toEqual([
        { name: null, owner: null, project: null, start: null, end: null },
        { name: 'nightly build', owner: 'ada', project: null, start: null, end: null },
        null,
      ]);
    });

    it('replaces records and removes withdrawn reservations', async () => {
      const { store, writer } = await begin();
      const first = batch(null, { leases: [lease(1)], reservations: [reservation(1, 1), reservation(2, 1)] });
      await store.commit(first, writer);
      const changed = reservation(1, 1, { state: 'ACTIVE', end: noon + 1_000 });
      await store.commit(
        batch(first.id, { leases: [lease(1, { state: 'ACTIVE' })], reservations: [changed], withdrawn: [2] }),
        writer,
      );
      const loaded = await store.load();
      expect(loaded?.snapshot.leases).toEqual([lease(1, { state: 'ACTIVE' })]);
      expect(loaded?.snapshot.reservations).toEqual([changed]);
    });

    it('keeps the states of nodes, and maintenance until it ends', async () => {
      const { store, writer } = await begin();
      const maintenance = (name: string, start: number, end: number) => ({
        ...{ name, nodes: [1, 2], start: noon + start, end: noon + end },
      });
      const first = batch(null, {
        leases: [lease(1)],
        events: [event(1, 1, { at: noon + 1_000 })],
        nodes: [
          { number: 1, state: 'DOWN' },
          { number: 2, state: 'DRAINING' },
        ],
        maintenance: [
          maintenance('over', 0, 1_000),
          maintenance('going on', 500, 1_500),
          maintenance('to come', 100, 2_000),
          maintenance('ended before it began', 3_000, 3_000),
        ],
      });
      await store.commit(first, writer);
      const snapshot = async () => (await store.load())?.snapshot;
      expect(await snapshot()).toMatchObject({
        nodes: [
          { number: 1, state: 'DOWN' },
          { number: 2, state: 'DRAINING' },
        ],
        maintenance: [maintenance('to come', 100, 2_000), maintenance('going on', 500, 1_500)],
      });
      const second = batch(first.id, {
        nodes: [{ number: 1, state: 'UP' }],
        maintenance: [maintenance('to come', 100, 1_000)],
      });
      await store.commit(second, writer);
      expect(await snapshot()).toMatchObject({
        nodes: [{ number: 2, state: 'DRAINING' }],
        maintenance: [maintenance('going on', 500, 1_500)],
      });
    });

    it('adds and changes nodes, with their new states', async () => {
      const { store, writer } = await begin();
      const capacity = { CPU: 200, Memory: 1024 };
      const changed = { number: 2, hostname: 'node-2', capacity, labels: { rack: 'b' } };
      const added = { number: 5, hostname: 'node-5', capacity, address: '192.0.2.5' };
      const first = batch(null, {
        inventory: [
          { ...changed, state: 'UP' },
          { ...added, state: 'DRAINING' },
        ],
        nodes: [
          { number: 1, state: 'DOWN' },
          { number: 5, state: 'DRAINING' },
        ],
      });
      await store.commit(first, writer);
      const loaded = await store.load();
      const [one, , three, four] = site.nodes;
      expect(loaded?.spec.nodes).toEqual([one, changed, three, four, added]);
      expect(loaded?.snapshot.nodes).toEqual([
        { number: 1, state: 'DOWN' },
        { number: 5, state: 'DRAINING' },
      ]);
    });

    it('keeps the quotas of projects, and the usage that counts towards them', async () => {
      const { store, writer } = await begin();
      const quota = {
        ...{ type: 'CPU', amount: 200, amountHours: 1_000.5, period: 3_600_000 },
        ...{ maxDuration: null, maxLeases: 3 },
      };
      const one = { project: 1, quotas: [quota], usage: [] };
      const two = { project: 2, quotas: [quota], usage: [] };
      const used = { type: 'CPU', periodStart: noon, used: 12_345 };
      // The store in memory has no table of projects.
      const { prisma } = store as Partial<SqlStore>;
      await prisma?.project.createMany({ data: [{ name: 'a' }, { name: 'b' }] });
      const first = batch(null, { quotas: [one, two] });
      await store.commit(first, writer);
      expect((await store.load())?.snapshot.quotas).toEqual([one, two]);
      const changed = { project: 1, quotas: [quota], usage: [used] };
      const second = batch(first.id, { quotas: [changed, { project: 2, quotas: [], usage: [] }] });
      await store.commit(second, writer);
      expect((await store.load())?.snapshot.quotas).toEqual([changed]);
    });

    it('changes nothing when a part of it is refused', async () => {
      const { store, writer } = await begin();
      const key = { principal: 'a', key: 'k', inputHash: 'h', number: 1 };
      const first = batch(
        null,
        { leases: [lease(1)], events: [event(1, 1)], actions: [action(1, 1)] },
        { idempotency: [key] },
      );
      await store.commit(first, writer);
      const before = await store.load();
      const good = { leases: [lease(1, { state: 'CANCELLED' }), lease(2)] };
      for (const refused of [
        batch(first.id, { ...good, events: [event(1, 2)] }),
        batch(first.id, { ...good, events: [event(2, 9)] }),
        batch(first.id, { ...good, reservations: [reservation(2, 9)] }),
        batch(first.id, { ...good, actions: [action(1, 2)] }),
        batch(first.id, good, { idempotency: [key] }),
      ]) {
        await expect(store.commit(refused, writer)).rejects.toMatchObject({ kind: 'PERMANENT' });
        expect(await store.load()).toEqual(before);
      }
    });

    it('is written once even if it is repeated', async () => {
      const { store, writer } = await begin();
      const first = batch(null, { leases: [lease(1)], events: [event(1, 1)] });
      await store.commit(first, writer);
      await store.commit(first, writer);
      expect(await store.events(0, 10)).toEqual([event(1, 1)]);
    });

    it('is refused as FENCED if it is based on an older commit or comes from an older writer', async () => {
      const { store, writer } = await begin();
      const first = batch(null, { leases: [lease(1)] });
      await store.commit(first, writer);
      await expect(store.commit(batch(null), writer)).rejects.toMatchObject({ kind: 'FENCED' });
      await expect(store.confirm(null, writer)).rejects.toMatchObject({ kind: 'FENCED' });
      await store.confirm(first.id, writer);
      const successor = await writerOf(store);
      expect(successor).toMatchObject({ epoch: writer.epoch + 1, lastCommit: first.id });
      await expect(store.commit(batch(first.id), writer)).rejects.toMatchObject({ name: 'StoreError' });
      await expect(store.createSite('x', site, writer)).rejects.toMatchObject({ name: 'StoreError' });
      await store.commit(batch(first.id), successor);
    });
  });

  describe('the right to write', () => {
    it('is lost when it is released and when it is taken again', async () => {
      const { store, writer } = await begin();
      const second = await writerOf(store);
      expect([writer.lost.aborted, second.lost.aborted]).toEqual([true, false]);
      await second.release();
      expect(second.lost.aborted).toBe(true);
      expect((await writerOf(store)).epoch).toBe(writer.epoch + 2);
    });

    it('creates a site once', async () => {
      const { store, writer } = await begin();
      await expect(store.createSite('x', site, writer)).rejects.toMatchObject({ kind: 'PERMANENT' });
      expect((await store.load())?.name).toBe('test');
    });
  });

  describe('events', () => {
    it('are read from any sequence number, for all leases or one', async () => {
      const { store, writer } = await begin();
      const events = [1, 2, 3, 4, 5].map((sequence) => event(sequence, 1 + (sequence % 2)));
      await store.commit(batch(null, { leases: [lease(1), lease(2)], events }), writer);
      expect(await store.events(1, 2)).toEqual(events.slice(1, 3));
      expect((await store.events(1, 9, 2)).map(({ sequence }) => sequence)).toEqual([3, 5]);
      expect(await store.eventRange()).toEqual({ oldest: 1, newest: 5 });
    });

    it('are deleted from the oldest up to the first young one; the newest is always kept', async () => {
      const { store, writer } = await begin();
      expect(await store.eventRange()).toBeNull();
      const times = [0, 9, 1, 2, 3];
      const events = times.map((at, index) => event(index + 1, 1, { at: noon + at * 1_000 }));
      await store.commit(batch(null, { leases: [lease(1)], events }), writer);
      expect(await store.deleteEventsBefore(noon, 100)).toBe(0);
      expect(await store.deleteEventsBefore(noon + 5_000, 100)).toBe(1);
      expect(await store.eventRange()).toEqual({ oldest: 2, newest: 5 });
      expect(await store.deleteEventsBefore(noon + 60_000, 2)).toBe(2);
      expect(await store.deleteEventsBefore(noon + 60_000, 100)).toBe(1);
      expect(await store.deleteEventsBefore(noon + 60_000, 100)).toBe(0);
      expect(await store.events(0, 10)).toEqual(events.slice(4));
    });
  });

  describe('notices', () => {
    const notice = (sequence: number, rest: Partial<NoticeRecord> = {}): NoticeRecord => ({
      ...{ sequence, at: noon + sequence * 1_000, kind: 'NODE_DOWN', message: `notice ${sequence}` },
      ...{ leaseId: null, project: null, node: 1, maintenance: null, reason: null, facts: {} },
      ...rest,
    });

    it('are written with their commit, together with their position', async () => {
      const { store, writer } = await begin();
      expect((await store.load())?.notices).toEqual({ last: 0, givenUntil: null });
      const notices = [
        notice(1),
        notice(2, {
          ...{ kind: 'LEASE_MOVED', leaseId: 1, project: 3, node: null },
          reason: { code: 'MAINTENANCE', message: 'm', data: { start: noon } },
          facts: { start: noon, previousStart: noon - 1 },
        }),
        notice(3, {
          kind: 'MAINTENANCE_SOON',
          maintenance: 'm',
          node: null,
          facts: { nodes: [1, 2], end: noon },
        }),
      ];
      const first = batch(null, { leases: [lease(1)] }, { notices, noticesGivenUntil: noon });
      await store.commit(first, writer);
      await store.commit(batch(first.id, { leases: [lease(1)] }), writer);
      expect(await store.notices(0, 10)).toEqual(notices);
      expect(await store.notices(1, 1)).toEqual(notices.slice(1, 2));
      expect(await store.noticeRange()).toEqual({ oldest: 1, newest: 3 });
      expect((await store.load())?.notices).toEqual({ last: 3, givenUntil: noon });
      await expect(
        store.commit(batch(null, {}, { notices: [notice(4)], noticesGivenUntil: noon + 1 }), writer),
      ).rejects.toMatchObject({ kind: 'FENCED' });
      expect((await store.load())?.notices).toEqual({ last: 3, givenUntil: noon });
    });

    it('are deleted from the oldest; the newest is always kept', async () => {
      const { store, writer } = await begin();
      expect(await store.noticeRange()).toBeNull();
      await store.commit(batch(null, {}, { notices: [1, 2, 3].map((each) => notice(each)) }), writer);
      expect(await store.deleteNoticesBefore(noon + 1_000, 10)).toBe(0);
      expect(await store.deleteNoticesBefore(noon + 60_000, 1)).toBe(1);
      expect(await store.deleteNoticesBefore(noon + 60_000, 10)).toBe(1);
      expect(await store.deleteNoticesBefore(noon + 60_000, 10)).toBe(0);
      expect(await store.noticeRange()).toEqual({ oldest: 3, newest: 3 });
    });
  });

  describe('idempotency keys', () => {
    it('belong to their principals', async () => {
      const { store, writer } = await begin();
      const mine = { principal: 'a', key: 'k', inputHash: 'h', number: 1 };
      const other = { ...mine, principal: 'b', number: 2 };
      await store.commit(batch(null, { leases: [lease(1), lease(2)] }, { idempotency: [mine, other] }), writer);
      expect(await store.idempotency([{ principal: 'b', key: 'k' }])).toEqual([other]);
      expect(await store.idempotency([{ principal: 'c', key: 'k' }])).toEqual([]);
      expect(await store.idempotency([])).toEqual([]);
    });
  });

  describe('forwarded commands', () => {
    it('are read in order until they are answered, and never again', async () => {
      const { store, another, writer } = await begin();
      const standby = await another();
      const answers: Promise<unknown>[] = [];
      for (const number of [1, 2, 3]) {
        answers.push(standby.forward({ number }, later()));
        await waiting(store, number);
      }
      const commands = await store.forwarded(100);
      expect(commands.map(({ payload }) => payload)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
      expect(await store.forwarded(2)).toEqual(commands.slice(0, 2));
      const answer = (index: number) => ({ commandId: commands[index]?.id ?? '', answer: { answer: index } });
      const first = batch(null, {}, { answers: [answer(0), answer(2)] });
      await store.commit(first, writer);
      expect(await store.forwarded(100)).toEqual(commands.slice(1, 2));
      await store.commit(batch(first.id, {}, { answers: [answer(1)] }), writer);
      expect(await store.forwarded(100)).toEqual([]);
      expect(await Promise.all(answers)).toEqual([{ answer: 0 }, { answer: 1 }, { answer: 2 }]);
    });

    it('are withdrawn when their callers stop waiting', async () => {
      const { store, another } = await begin();
      const standby = await another();
      const caller = new AbortController();
      const answer = standby.forward('late', caller.signal);
      await waiting(store, 1);
      caller.abort(new Error('given up'));
      await expect(answer).rejects.toThrow('given up');
      await expect(standby.forward('never', caller.signal)).rejects.toThrow('given up');
      await expect.poll(() => store.forwarded(10)).toEqual([]);
    });

    it('fail when the store of their caller closes', async () => {
      const { store, another } = await begin();
      const standby = await another();
      const failure = expect(standby.forward('wait', later())).rejects.toMatchObject({ kind: 'TRANSIENT' });
      await waiting(store, 1);
      await standby.close();
      await failure;
    });
  });

  describe('retention', () => {
    it('keeps unfinished actions', async () => {
      const { store, writer } = await begin();
      const outcomes = [2, 3].map((actionId) => ({
        ...{
          actionId,
          state: 'SUCCEEDED' as const,
          error: null,
          attempts: 1,
          startedAt: null,
          output: null,
          finishedAt: noon + actionId,
        },
      }));
      const actions = [1, 2, 3].map((id) => action(id, 1));
      await store.commit(batch(null, { leases: [lease(1)], actions }, { outcomes }), writer);
      expect(await store.deleteBefore('actions', noon + 3, 10)).toBe(1);
      expect(await store.deleteBefore('actions', noon + 60_000, 10)).toBe(1);
      expect((await store.load())?.pendingActions).toEqual([action(1, 1)]);
    });

    it('deletes ended leases once their events are gone', async () => {
      const { store, writer } = await begin();
      const ended = [1, 2].map((id) => lease(id, { state: 'DONE', endedAt: noon + id }));
      const events = [1, 2, 3].map((id) => event(id, Math.min(id, 2), { at: noon + id }));
      await store.commit(batch(null, { leases: ended, events }), writer);
      expect(await store.deleteBefore('leases', noon + 60_000, 10)).toBe(0);
      expect(await store.deleteEventsBefore(noon + 2, 10)).toBe(1);
      expect(await store.deleteBefore('leases', noon + 60_000, 10)).toBe(1);
      expect(await store.deleteBefore('leases', noon + 60_000, 10)).toBe(0);
    });

    it("deletes keys by the database's clock", async () => {
      const { store, writer } = await begin();
      const key = { principal: 'a', key: 'k', inputHash: 'h', number: 1 };
      await store.commit(batch(null, { leases: [lease(1)] }, { idempotency: [key] }), writer);
      const now = await store.clock();
      expect(await store.deleteBefore('idempotencyKeys', now - 60_000, 10)).toBe(0);
      expect(await store.deleteBefore('idempotencyKeys', now + 60_000, 10)).toBe(1);
      expect(await store.idempotency([key])).toEqual([]);
    });
  });
}

describe('a store (in memory)', () => {
  conformance(async () => {
    const database = new MemoryDatabase();
    return { store: new MemoryStore(database), another: async () => new MemoryStore(database) };
  });
});

describeEachDatabase('a store', ({ create, kind }) => {
  conformance(async () => {
    const { open } = await create();
    const store = await open();
    return { store, another: async () => (kind === 'server' ? open() : store) };
  });
});
