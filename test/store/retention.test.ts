import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { action, batch, event, lease, newSite, noon, reservation } from './site.ts';

describeEachDatabase('retention', (database) => {
  const begin = async () => {
    const { open } = await database.create();
    const store = await open();
    return { store, writer: await newSite(store) };
  };

  it('deletes idempotency keys from the oldest, in batches', async () => {
    const { store, writer } = await begin();
    const idempotency = ['a', 'b', 'c', 'd'].map((key) => ({
      ...{ principal: 'admin', key, inputHash: 'x', number: 1 },
    }));
    await store.commit(batch(null, { leases: [lease(1)] }, { idempotency }), writer);
    for (const [index, { key }] of idempotency.entries()) {
      const createdAt = new Date(noon + index * 1_000);
      await store.prisma.idempotencyKey.update({
        where: { principal_key: { principal: 'admin', key } },
        data: { createdAt },
      });
    }
    const kept = async () => (await store.idempotency(idempotency)).map(({ key }) => key).sort();
    expect(await store.deleteBefore('idempotencyKeys', noon, 10)).toBe(0);
    expect(await store.deleteBefore('idempotencyKeys', noon + 3_000, 2)).toBe(2);
    expect(await kept()).toEqual(['c', 'd']);
    expect(await store.deleteBefore('idempotencyKeys', noon + 3_000, 2)).toBe(1);
    expect(await store.deleteBefore('idempotencyKeys', noon + 3_000, 2)).toBe(0);
    expect(await kept()).toEqual(['d']);
    expect(await store.prisma.lease.count()).toBe(1);
  });

  it('deletes finished actions from the oldest; unfinished ones stay at any age', async () => {
    const { store, writer } = await begin();
    const outcomes = [2, 3, 4, 5].map((actionId) => ({
      ...{
        actionId,
        state: 'SUCCEEDED' as const,
        error: null,
        attempts: 1,
        startedAt: null,
        output: null,
        finishedAt: noon + actionId * 1_000,
      },
    }));
    const actions = [1, 2, 3, 4, 5].map((id) => action(id, 1));
    await store.commit(batch(null, { leases: [lease(1)], actions }, { outcomes }), writer);
    const kept = async () =>
      (await store.prisma.action.findMany({ orderBy: { number: 'asc' } })).map(({ number }) => Number(number));
    expect(await store.deleteBefore('actions', noon + 2_000, 10)).toBe(0);
    expect(await store.deleteBefore('actions', noon + 5_000, 2)).toBe(2);
    expect(await kept()).toEqual([1, 4, 5]);
    expect(await store.deleteBefore('actions', noon + 5_000, 2)).toBe(1);
    expect(await store.deleteBefore('actions', noon + 5_000, 2)).toBe(0);
    expect(await kept()).toEqual([1, 5]);
    expect((await store.load())?.pendingActions.map(({ id }) => id)).toEqual([1]);
  });

  it('deletes forwarded commands from the oldest, answered or not', async () => {
    const { store } = await begin();
    for (const [index, answered] of [true, false, true].entries()) {
      await store.prisma.command.create({
        data: {
          ...{ id: crypto.randomUUID(), payload: {}, createdAt: new Date(noon + index * 1_000) },
          ...(answered && { answer: {}, answeredAt: new Date() }),
        },
      });
    }
    expect(await store.deleteBefore('commands', noon + 2_000, 1)).toBe(1);
    expect(await store.deleteBefore('commands', noon + 2_000, 10)).toBe(1);
    expect(await store.prisma.command.count()).toBe(1);
  });

  it('deletes leases in the order of their ends, once their events are deleted', async () => {
    const { store, writer } = await begin();
    const ended = (id: number) => lease(id, { state: 'DONE', endedAt: noon + id * 1_000, plannedStart: null });
    const transfer = { kind: 'IMAGE_TRANSFER', machines: null, targets: { 1: [[5, 1]] } } as const;
    await store.commit(
      batch(null, {
        leases: [ended(1), ended(2), ended(3), ended(4), lease(5)],
        reservations: [
          ...[1, 3, 4].map((id) => reservation(id, id, { state: 'DONE' })),
          // It goes on for lease 5.
          reservation(2, 2, { ...transfer, state: 'ACTIVE' }),
        ],
        events: [1, 2, 3, 4, 5].map((id) => event(id, id, { at: noon + id * 1_000 })),
      }),
      writer,
    );
    const kept = async () =>
      (await store.prisma.lease.findMany({ orderBy: { number: 'asc' } })).map(({ number }) => number);
    // All events are kept.
    expect(await store.deleteBefore('leases', noon + 60_000, 10)).toBe(0);
    expect(await store.deleteEventsBefore(noon + 4_000, 10)).toBe(3);
    expect(await store.deleteBefore('leases', noon + 1_000, 10)).toBe(0);
    expect(await store.deleteBefore('leases', noon + 60_000, 1)).toBe(1);
    expect(await kept()).toEqual([2, 3, 4, 5]);
    expect(await store.deleteBefore('leases', noon + 60_000, 10)).toBe(1);
    expect(await kept()).toEqual([2, 4, 5]);
    expect(await store.prisma.reservation.count()).toBe(2);
    expect(await store.prisma.leaseMachine.count()).toBe(3);
    // What they used is still known.
    const hours = await store.prisma.utilizationHour.findMany({ where: { resource: 'CPU' } });
    expect(hours.map(({ hour, area }) => [hour.getTime(), Number(area)])).toEqual([[noon, 3 * 100 * 3_600_000]]);
  });
});
