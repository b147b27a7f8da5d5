import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readUtilization, type Sample, type Steps } from '../../src/api/read/utilization.ts';
import { viewOf } from '../../src/api/read/view.ts';
import {
  type Amounts,
  isFinal,
  type ReservationRecord,
  Scheduler,
  SECOND,
  type SiteSpec,
} from '../../src/core/index.ts';
import { administrator } from '../../src/identity/index.ts';
import type { OpenStore } from '../../src/store/index.ts';
import { readMigrations } from '../../src/store/migrate.ts';
import { Ledger } from '../property/ledger.ts';
import { Run, runs } from '../property/run.ts';
import { START, scenarios } from '../property/scenario.ts';
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

const shares = {
  VM: 'used',
  SUSPENSION: 'suspending',
  RESUMPTION: 'resuming',
  SHUTDOWN: 'shuttingDown',
} as const;

const total = (amounts: Amounts | undefined, type: string): number =>
  [amounts?.[type] ?? 0].flat().reduce((sum: number, amount) => sum + amount, 0);

/** Utilization as it is defined: each reservation with what it holds, for as long as it is within each sample. */
function integrated({ nodes }: SiteSpec, reservations: readonly ReservationRecord[], type: string, steps: Steps) {
  const { from, to, step } = steps;
  const capacity = nodes.reduce((sum, node) => sum + total(node.capacity, type), 0);
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => {
    const start = from + index * step;
    const end = Math.min(start + step, to);
    const sample = { used: 0, suspending: 0, resuming: 0, shuttingDown: 0 };
    for (const { amounts, kind, ...held } of reservations) {
      const share = kind in shares ? shares[kind as keyof typeof shares] : null;
      const length = Math.min(end, held.end) - Math.max(start, held.start);
      if (share === null || length <= 0 || capacity === 0) continue;
      const amount = Object.values(amounts).reduce((sum, each) => sum + total(each, type), 0);
      sample[share] += (amount * length) / (capacity * (end - start));
    }
    const { used, suspending, resuming, shuttingDown } = sample;
    const free = capacity === 0 ? 0 : 1 - used - suspending - resuming - shuttingDown;
    return { start, end, ...sample, free };
  });
}

/** Steps of seconds to days, that begin and end anywhere. */
const someSteps: fc.Arbitrary<Steps> = fc
  .record({
    from: fc.integer({ min: -7_200, max: 14_400 }),
    step: fc.constantFrom(0.25, 37, 60, 600, 3_600, 5_000, 7_200, 86_400),
    samples: fc.integer({ min: 1, max: 40 }),
    /** Of the last sample. */
    part: fc.constantFrom(1, 0.5, 0.004),
  })
  .map(({ from, part, samples, step }) => {
    const start = START + from * SECOND;
    return { from: start, to: start + (samples - 1 + part) * step * SECOND, step: step * SECOND };
  });

describeEachDatabase('a scheduler', (database) => {
  it('continues from the database as if it had not stopped, at any step', async () => {
    const { open } = await database.create();
    let store = await open();
    await fc.assert(
      fc.asyncProperty(scenarios(), fc.infiniteStream(fc.boolean()), someSteps, async (scenario, coin, steps) => {
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
        const ledger = new Ledger(kept.scheduler.snapshot().site);
        const expectUtilization = async () => {
          const source = { prisma: store.prisma, view: viewOf(administrator, 'all') };
          for (const type of ['CPU', 'Memory']) {
            const samples = await readUtilization(source, type, steps, null);
            const expected = integrated(scenario.site, [...ledger.reservations.values()], type, steps);
            const differs = (sample: Sample, index: number): boolean =>
              Object.entries(expected[index] ?? {}).some(
                ([name, value]) => Math.abs(sample[name as keyof Sample] - value) > 1e-9,
              );
            expect(samples.filter(differs), type).toEqual([]);
            expect(samples).toHaveLength(expected.length);
          }
        };
        let actions = 0;
        let sequence = 0;
        for (const step of kept) {
          expectEqual(step, straight.next().value);
          const written: ReturnType<typeof batch> = batch(previous, step.changes);
          await store.commit(written, writer);
          previous = written.id;
          ledger.apply(step.changes);
          actions += step.changes.actions.length;
          expectEqual(await store.events(sequence, 1_000), step.changes.events);
          sequence += step.changes.events.length;
          if (!coin.next().value) continue;
          if (coin.next().value) await expectUtilization();
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
        await expectUtilization();
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
