/**
 * Servers are killed, their database is taken away, their connections are cut and their commits fail, while callers
 * request and cancel and subscribers watch: nothing acknowledged is lost or duplicated. The long run is `npm run
 * soak`.
 */
import { afterEach, expect, it, onTestFailed } from 'vitest';
import { postgresMissing } from '../support/postgres.ts';
import { chaos } from './chaos.ts';
import { faultSeed } from './random.ts';
import { World, type WorldOptions } from './world.ts';

let world: World | null = null;
afterEach(async () => {
  await world?.dispose();
  world = null;
});

const survives = async (kills: number, options: Omit<WorldOptions, 'seed'>): Promise<void> => {
  const seed = faultSeed();
  let last = 'none';
  onTestFailed(() => {
    console.error(`run it again with LEASEGRAPH_FAULT_SEED=${seed}; last fault: ${last}`);
    for (const { name, lastLines } of world?.servers ?? []) console.error(`${name}:\n${lastLines.join('\n')}`);
  });
  world = await World.begin({ ...options, seed });
  const faults = await chaos(world, {
    kills,
    report: (fault, count) => {
      last = `${fault}, after ${count} kills`;
    },
  });
  const wrong = await world.end();
  console.log(`seed ${seed}: ${world.summary()}\n${JSON.stringify(faults)}`);
  expect(wrong).toEqual([]);
};

const load = { callers: 4, pause: 150, failingPercent: 3 };
/** A busy machine takes many times as long. */
const timeout = 600_000;

it('survives 8 kills on the embedded database', { timeout }, () =>
  survives(8, { ...load, database: 'embedded', servers: 1 }),
);

it.skipIf(postgresMissing !== null)(
  `survives 18 kills, and what happens to the database, with two servers on PostgreSQL${postgresMissing ? `: ${postgresMissing}` : ''}`,
  { timeout },
  () => survives(18, { ...load, database: 'server', servers: 2 }),
);
