import { expect, it } from 'vitest';
import type { RecurrenceRecord } from '../../src/core/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { batch, lease, newSite } from './site.ts';

const recurrence: RecurrenceRecord = {
  id: 1,
  name: null,
  machines: [{ CPU: 1 }],
  preemptible: false,
  image: null,
  owner: null,
  project: null,
  collisions: 'SKIP',
  ...{ rule: 'FREQ=DAILY', timeZone: 'UTC', firstStart: '2030-01-01T00:00' },
  createdAt: 0,
  terms: [{ from: 1, duration: 1_000, shift: 0 }],
  next: null,
  lastIndex: null,
  skipped: [],
  cancelledAt: null,
};
const occurrence = (id: number, index: number) => lease(id, { occurrenceOf: { recurrence: 1, index } });

describeEachDatabase('recurrences in the database', (database) => {
  it('have each occurrence once', async () => {
    const store = await (await database.create()).open();
    const writer = await newSite(store);
    const first = batch(null, { recurrences: [recurrence], leases: [occurrence(1, 1)] });
    await store.commit(first, writer);
    const again = batch(first.id, { leases: [occurrence(2, 1)] });
    await expect(store.commit(again, writer)).rejects.toMatchObject({ kind: 'PERMANENT' });
    const second = batch(first.id, { leases: [occurrence(2, 2)] });
    await store.commit(second, writer);
    const loaded = await store.load();
    expect(loaded?.snapshot.recurrences).toEqual([recurrence]);
    expect(loaded?.snapshot.leases.map(({ occurrenceOf }) => occurrenceOf?.index)).toEqual([1, 2]);
    await store.close();
  });
});
