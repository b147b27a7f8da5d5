import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { action, batch, event, lease, newSite, noon, reservation, site } from './site.ts';

describeEachDatabase('a commit', (database) => {
  it('is there when it is loaded again', async () => {
    const { open } = await database.create();
    const store = await open();
    expect(await store.load()).toBeNull();
    const writer = await newSite(store);
    const first = batch(null, {
      site: {
        lastLeaseId: 1,
        lastReservationId: 1,
        lastEventSequence: 2,
        lastActionId: 1,
        lastRank: 2,
        cachedImages: [{ node: 1, image: { name: 'debian', sizeMb: 500 }, timeout: noon, users: [[1, 1]] }],
      },
      leases: [lease(1)],
      reservations: [reservation(1, 1)],
      events: [
        event(1, 1),
        event(2, 1, { from: 'PENDING', to: 'SCHEDULED', reason: { code: 'X', message: 'y' } }),
      ],
      actions: [action(1, 1)],
    });
    await store.commit(first, writer);

    const loaded = await store.load();
    expect(loaded).toMatchObject({
      name: 'test',
      spec: site,
      lastCommit: first.id,
      snapshot: {
        site: first.changes.site,
        leases: first.changes.leases,
        reservations: first.changes.reservations,
      },
      pendingActions: first.changes.actions,
      quarantined: [],
    });
    expect(await store.events(0, 10)).toEqual(first.changes.events);
    expect(await store.events(1, 10)).toEqual(first.changes.events.slice(1));
  });
});
