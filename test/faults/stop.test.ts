/** SIGTERM while callers send requests and subscribers watch. */
import { afterEach, expect, it, onTestFailed } from 'vitest';
import { postgresMissing } from '../support/postgres.ts';
import { faultSeed } from './random.ts';
import { World, type WorldOptions } from './world.ts';

let world: World | null = null;
afterEach(async () => {
  await world?.dispose();
  world = null;
});

const stopsUnderLoad = async (database: WorldOptions['database']): Promise<void> => {
  const seed = faultSeed();
  onTestFailed(() => console.error(`run it again with LEASEGRAPH_FAULT_SEED=${seed}`));
  const present = await World.begin({ database, servers: 1, callers: 16, pause: 0, failingPercent: 0, seed });
  world = present;
  const [server] = present.servers;
  const took: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    for (let answers = 0; answers < 50; answers += 1) await present.load.progress();
    const stopped = await server?.stop();
    expect(stopped?.code).toBe(0);
    took.push(Math.round(stopped?.milliseconds ?? 0));
    server?.start();
  }
  const wrong = await present.end();
  console.log(`SIGTERM under load, ${database} database: ended after ${took.join(', ')} ms; ${present.summary()}`);
  expect(wrong).toEqual([]);
};

const options = { timeout: 300_000 };

it('loses nothing on the embedded database', options, () => stopsUnderLoad('embedded'));

it.skipIf(postgresMissing !== null)(
  `loses nothing on PostgreSQL${postgresMissing ? `: ${postgresMissing}` : ''}`,
  options,
  () => stopsUnderLoad('server'),
);
