import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { batch, event, lease, newSite, noon } from './site.ts';

describeEachDatabase('events', (database) => {
  const begin = async (count: number) => {
    const { open } = await database.create();
    const store = await open();
    const writer = await newSite(store);
    const events = Array.from({ length: count }, (_, index) =>
      event(index + 1, 1 + (index % 2), { at: noon + 1_000 * index }),
    );
    await store.commit(batch(null, { leases: [lease(1), lease(2)], events }), writer);
    return { store, events };
  };

  it('are read from any sequence number, for all leases or one', async () => {
    const { store, events } = await begin(10);
    expect(await store.events(0, 100)).toEqual(events);
    expect(await store.events(4, 3)).toEqual(events.slice(4, 7));
    expect(await store.events(10, 3)).toEqual([]);
    expect((await store.events(0, 100, 2)).map((one) => one.sequence)).toEqual([2, 4, 6, 8, 10]);
    expect((await store.events(4, 2, 2)).map((one) => one.sequence)).toEqual([6, 8]);
    expect(await store.events(0, 100, 3)).toEqual([]);
  });

  it('have no range before the first one', async () => {
    const { store } = await begin(0);
    expect(await store.eventRange()).toBeNull();
    expect(await store.deleteEventsBefore(noon, 10)).toBe(0);
  });

  it('are deleted from the oldest in batches, and the rest has no gaps', async () => {
    const { store } = await begin(10);
    expect(await store.deleteEventsBefore(noon, 10)).toBe(0);
    expect(await store.deleteEventsBefore(noon + 5_000, 3)).toBe(3);
    expect(await store.eventRange()).toEqual({ oldest: 4, newest: 10 });
    expect(await store.deleteEventsBefore(noon + 5_000, 3)).toBe(2);
    expect(await store.deleteEventsBefore(noon + 5_000, 3)).toBe(0);
    expect(await store.eventRange()).toEqual({ oldest: 6, newest: 10 });
    expect(await store.prisma.lease.count()).toBe(2);
  });

  it('keep the newest one, so that the range stays known', async () => {
    const { store, events } = await begin(4);
    expect(await store.deleteEventsBefore(noon + 1e9, 100)).toBe(3);
    expect(await store.deleteEventsBefore(noon + 1e9, 100)).toBe(0);
    expect(await store.eventRange()).toEqual({ oldest: 4, newest: 4 });
    expect(await store.events(0, 10)).toEqual(events.slice(3));
  });

  it('are not deleted beyond the first young one, even if the clock jumped back', async () => {
    const { open } = await database.create();
    const store = await open();
    const writer = await newSite(store);
    const at = [noon, noon + 9_000, noon + 1_000, noon + 10_000];
    await store.commit(
      batch(null, { leases: [lease(1)], events: at.map((when, index) => event(index + 1, 1, { at: when })) }),
      writer,
    );
    expect(await store.deleteEventsBefore(noon + 5_000, 100)).toBe(1);
    expect(await store.eventRange()).toEqual({ oldest: 2, newest: 4 });
  });
});
