/**
 * The long run of test/faults: `npm run soak -- [kills] [seed]`, 1,000 kills where nothing else is said. In rounds,
 * each with a world of its own, in turn on PostgreSQL with two servers and on the embedded database with one. Ends with
 * status 1 at the first round after which something was wrong.
 */
import { chaos } from '../test/faults/chaos.ts';
import { Random } from '../test/faults/random.ts';
import { World } from '../test/faults/world.ts';
import { postgresMissing } from '../test/support/postgres.ts';

const KILLS_A_ROUND = 25;

const [kills = 1_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  console.error('usage: npm run soak -- [kills, from 1 on] [seed]');
  process.exit(2);
}
if (postgresMissing !== null) console.log(`only the embedded database: ${postgresMissing}`);

const random = new Random(seed);
console.log(`${kills} kills, seed ${seed}`);
let done = 0;
for (let round = 1; done < kills; round += 1) {
  const database = postgresMissing === null && round % 2 === 1 ? 'server' : 'embedded';
  const roundSeed = random.between(1, 2 ** 31 - 1);
  const world = await World.begin({
    database,
    servers: database === 'server' ? 2 : 1,
    callers: 6,
    pause: 100,
    failingPercent: 3,
    seed: roundSeed,
  });
  try {
    const wanted = Math.min(KILLS_A_ROUND, kills - done);
    const faults = await chaos(world, { kills: wanted });
    const wrong = await world.end();
    done += wanted;
    console.log(
      `round ${round} (${database}, seed ${roundSeed}): ${done} of ${kills} kills; ${world.summary()} ${JSON.stringify(faults)}`,
    );
    if (wrong.length > 0) {
      console.error(wrong.join('\n'));
      console.error(
        `run the round again with LEASEGRAPH_FAULT_SEED=${roundSeed} npx vitest run test/faults/faults.test.ts`,
      );
      process.exitCode = 1;
      break;
    }
  } finally {
    await world.dispose();
  }
}
