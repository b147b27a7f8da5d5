import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { action, batch, lease, newSite, noon, reservation } from './site.ts';

describeEachDatabase('loading', (database) => {
  const begin = async () => {
    const { open } = await database.create();
    const store = await open();
    return { store, writer: await newSite(store) };
  };

  it('returns only live leases', async () => {
    const { store, writer } = await begin();
    const transfer = reservation(5, 3, {
      kind: 'IMAGE_TRANSFER',
      machines: null,
      targets: {
        1: [
          [3, 1],
          [1, 1],
        ],
      },
    });
    await store.commit(
      batch(null, {
        leases: [
          lease(1),
          lease(2, { state: 'DONE', endedAt: noon }),
          lease(3, { state: 'CANCELLED' }),
          lease(4, { state: 'REJECTED' }),
          lease(5, { state: 'FAILED' }),
          lease(6, { state: 'REJECTED_BY_USER' }),
          lease(7, { state: 'QUEUED', queueRank: 3, mapping: null }),
        ],
        reservations: [
          reservation(1, 1, { state: 'DONE' }),
          reservation(2, 1, { state: 'CANCELLED' }),
          reservation(3, 1, { state: 'ACTIVE' }),
          reservation(4, 2, { state: 'DONE' }),
          transfer,
        ],
        actions: [action(1, 3, { kind: 'DESTROY' })],
      }),
      writer,
    );
    const loaded = await store.load();
    expect(loaded?.snapshot.leases.map((one) => one.id)).toEqual([1, 7]);
    expect(loaded?.snapshot.reservations.map((one) => one.id)).toEqual([3, 5]);
    expect(loaded?.pendingActions.map((one) => one.id)).toEqual([1]);
    expect(loaded?.unreadable).toEqual([]);
  });

  it('returns everything, however many leases live', async () => {
    const { store, writer } = await begin();
    const count = 4_001;
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    await store.commit(
      batch(null, {
        leases: ids.map((id) => lease(id)),
        reservations: ids.map((id) => reservation(id, id)),
        actions: ids.map((id) => action(id, id)),
      }),
      writer,
    );
    const loaded = await store.load();
    expect(loaded?.snapshot.leases.map(({ id }) => id)).toEqual(ids);
    expect(loaded?.snapshot.reservations.map(({ id }) => id)).toEqual(ids);
    expect(loaded?.pendingActions.map(({ id }) => id)).toEqual(ids);
  });

  it('omits malformed rows, reports each with its reason, and loads the rest', async () => {
    const { store, writer } = await begin();
    const count = 12;
    await store.commit(
      batch(null, {
        site: {
          lastLeaseId: count,
          lastReservationId: count,
          lastEventSequence: 0,
          lastActionId: 3,
          lastRecurrenceId: 0,
          lastRank: 0,
          cachedImages: [{ node: 1, image: { name: 'a', sizeMb: 1 }, timeout: null, users: [] }],
        },
        leases: Array.from({ length: count }, (_, index) => lease(index + 1)),
        reservations: Array.from({ length: count }, (_, index) => reservation(index + 1, index + 1)),
        actions: [action(1, 1), action(2, 2), action(3, 3)],
      }),
      writer,
    );
    for (const damage of [
      `DELETE FROM lease_machines WHERE lease_number = 2`,
      `UPDATE lease_machines SET index = 3 WHERE lease_number = 3`,
      `UPDATE lease_machines SET amounts = '{"CPU": "many"}' WHERE lease_number = 4`,
      `UPDATE leases SET placement = '{}' WHERE number = 5`,
      `UPDATE reservations SET plan = plan - 'vmId' WHERE number = 7`,
      `UPDATE reservations SET plan = 'null' WHERE number = 8`,
      `UPDATE reservation_nodes SET amounts = '[]' WHERE reservation_number = 9`,
      `UPDATE actions SET targets = '{}' WHERE number = 2`,
      `UPDATE sites SET cached_images = cached_images || '[{"node": "x"}]'`,
    ]) {
      expect(await store.prisma.$executeRawUnsafe(damage)).toBe(1);
    }
    const loaded = await store.load();
    // What is left is still checked by the engine: a lease without all its rows is not planned.
    expect(loaded?.snapshot.leases.map((one) => one.id)).toEqual([1, 6, 7, 8, 9, 10, 11, 12]);
    expect(loaded?.snapshot.reservations.map((one) => one.id)).toEqual([1, 2, 3, 4, 5, 6, 10, 11, 12]);
    expect(loaded?.pendingActions.map((one) => one.id)).toEqual([1, 3]);
    expect(loaded?.snapshot.site.cachedImages).toHaveLength(1);
    expect(loaded?.unreadable.map(({ leaseId, message }) => [leaseId, message])).toEqual([
      [2, expect.stringMatching(/^Lease 2: machines: /)],
      [3, 'Lease 3: machines: indices are not 1, 2, 3 ….'],
      [4, expect.stringMatching(/^Lease 4: machines\.0\.1\.CPU: /)],
      [5, expect.stringMatching(/^Lease 5: placement\.mapping: .*; placement\.memoryAt: /)],
      [7, expect.stringMatching(/^Reservation 7 of lease 7: plan\.vmId: /)],
      [8, expect.stringMatching(/^Reservation 8 of lease 8: plan: /)],
      [9, expect.stringMatching(/^Reservation 9 of lease 9: amounts\.1: /)],
      [null, expect.stringMatching(/^Cached image 2: node: /)],
      [null, expect.stringMatching(/^Action 2 of lease 2: targets: /)],
    ]);
  });

  it('reads one consistent state during commits', async () => {
    const { store, writer } = await begin();
    let previous: string | null = null;
    const writing = (async () => {
      for (let id = 1; id <= 40; id++) {
        const next: ReturnType<typeof batch> = batch(previous, {
          site: {
            lastLeaseId: id,
            lastReservationId: id,
            lastEventSequence: 0,
            lastActionId: id,
            lastRecurrenceId: 0,
            lastRank: 0,
            cachedImages: [],
          },
          leases: [lease(id)],
          reservations: [reservation(id, id)],
          actions: [action(id, id)],
        });
        await store.commit(next, writer);
        previous = next.id;
      }
    })();
    for (let done = false; !done; ) {
      const loaded = await store.load();
      const last = loaded?.snapshot.site.lastLeaseId;
      expect(loaded?.snapshot.leases).toHaveLength(last ?? -1);
      expect(loaded?.snapshot.reservations).toHaveLength(last ?? -1);
      expect(loaded?.pendingActions).toHaveLength(last ?? -1);
      done = last === 40;
    }
    await writing;
    expect((await store.load())?.lastCommit).toBe(previous);
  });

  it('is refused when the database has been restored to an older state, and accepted by a new start', async () => {
    const { open } = await database.create();
    const store = await open();
    const writer = await newSite(store);
    expect(await store.load()).not.toBeNull();
    const counters = {
      lastLeaseId: 1,
      lastReservationId: 0,
      lastActionId: 0,
      lastRecurrenceId: 0,
      lastRank: 0,
      cachedImages: [],
    };
    const site = { ...counters, lastEventSequence: 5 };
    await store.commit(batch(null, { site, leases: [lease(1)] }), writer);
    const refused = {
      kind: 'PERMANENT',
      message: expect.stringContaining('it was restored to an earlier state'),
    };
    await store.prisma.site.updateMany({ data: { lastEventSequence: 4 } });
    await expect(store.load()).rejects.toMatchObject(refused);
    await store.prisma.site.deleteMany();
    await expect(store.load()).rejects.toMatchObject(refused);
    await store.close();
    expect(await (await open()).load()).toBeNull();
  });
});
