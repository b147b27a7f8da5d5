import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFinal, Scheduler } from '../../src/core/index.ts';
import type { OpenStore } from '../../src/store/index.ts';
import { readMigrations } from '../../src/store/migrate.ts';
import { Run, runs } from '../property/run.ts';
import { scenarios } from '../property/scenario.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { batch, writerOf } from './site.ts';

const expectEqual = (actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
};

function utilizationHours({ prisma }: OpenStore) {
  return prisma.utilizationHour.findMany({
    orderBy: [{ hour: 'asc' }, { resource: 'asc' }, { kind: 'asc' }],
  });
}

/** The sums per hour, made anew from all finished reservations by the statement of the migration. */
async function fromReservations(store: OpenStore) {
  const { prisma } = store;
  const sql = (await readMigrations()).find(({ name }) => name === '0008_windows')?.sql ?? '';
  await prisma.utilizationHour.deleteMany();
  await prisma.$executeRawUnsafe(/^INSERT INTO "utilization_hours"[^;]*;/m.exec(sql)?.[0] ?? '');
  return utilizationHours(store);
}

describeEachDatabase('a scheduler', (database) => {
  it('continues from the database as if it had not stopped, at any step', async () => {
    const { open } = await database.create();
    let store = await open();
    await fc.assert(
      fc.asyncProperty(scenarios(), fc.infiniteStream(fc.boolean()), async (scenario, coin) => {
        await store.prisma.$executeRaw`TRUNCATE sites, nodes, leases, actions, utilization_hours CASCADE`;
        await store.prisma.writer.update({ where: { id: 1 }, data: { lastCommit: null } });
        // A store refuses a database that has gone back.
        await store.close();
        store = await open();
        const writer = await writerOf(store);
        await store.createSite('site', scenario.site, writer);
        const straight = new Run(scenario)[Symbol.iterator]();
        const kept = new Run(scenario);
        let previous: string | null = null;
        let actions = 0;
        let sequence = 0;
        for (const step of kept) {
          expectEqual(step, straight.next().value);
          const written: ReturnType<typeof batch> = batch(previous, step.changes);
          await store.commit(written, writer);
          previous = written.id;
          actions += step.changes.actions.length;
          expectEqual(await store.events(sequence, 1_000), step.changes.events);
          sequence += step.changes.events.length;
          if (!coin.next().value) continue;
          const loaded = await store.load();
          expect(loaded?.unreadable).toEqual([]);
          expectEqual(loaded?.spec, scenario.site);
          expectEqual(loaded?.snapshot, {
            ...{ nodes: [], maintenance: [], recurrences: [] },
            ...kept.scheduler.snapshot(),
          });
          expect(loaded?.pendingActions).toHaveLength(actions);
          if (loaded === null) throw new Error('the site has gone');
          kept.scheduler = Scheduler.restore(scenario.site, scenario.config, loaded.snapshot);
        }
        expect(straight.next().done).toBe(true);
        const states = await store.prisma.lease.findMany({ select: { number: true, state: true } });
        const hours = await utilizationHours(store);
        expect(hours).toEqual(await fromReservations(store));
        expect(states.filter(({ state }) => !isFinal(state)).map(({ number }) => number)).toEqual(
          kept.scheduler.snapshot().leases.map(({ id }) => id),
        );
      }),
      { numRuns: runs(25), interruptAfterTimeLimit: 60_000 },
    );
  }, 180_000);
});
