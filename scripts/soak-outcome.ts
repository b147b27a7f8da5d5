/**
 * The long run of test/faults/outcome.test.ts: `npm run soak-outcome -- [rounds] [seed]`, 20 rounds where nothing else
 * is said. Each round draws a scenario, and carries it out in turn with two servers on PostgreSQL and with one on the
 * embedded database, with kill -9 in between. Ends with status 1 at the first outcome that differs from simulation's.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { simulatedOutcome } from '../test/faults/outcome/outcome.ts';
import { scenarioOf } from '../test/faults/outcome/scenario.ts';
import { Stage } from '../test/faults/outcome/stage.ts';
import { Random } from '../test/faults/random.ts';
import { postgresMissing } from '../test/support/postgres.ts';

const [rounds = 20, seed = Date.now() % 1_000_000, kills = 0.3] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed) || !(kills >= 0 && kills <= 1)) {
  console.error('usage: npm run soak-outcome -- [rounds, from 1 on] [seed] [share of commands with a kill]');
  process.exit(2);
}
if (postgresMissing !== null) console.log(`only the embedded database: ${postgresMissing}`);

const random = new Random(seed);
console.log(`${rounds} rounds, seed ${seed}`);
for (let round = 1; round <= rounds; round += 1) {
  const database = postgresMissing === null && round % 2 === 1 ? 'server' : 'embedded';
  const scenario = scenarioOf(random.between(1, 2 ** 31 - 1), 20, 25, 900);
  const stage = await Stage.begin(database, scenario, { killing: kills, maxKills: Number.POSITIVE_INFINITY });
  try {
    const { live, expected } = await stage.run.run();
    deepStrictEqual(live, simulatedOutcome(expected.result));
    deepStrictEqual(stage.strange, []);
    const accepted = live.commands.filter((command) => command.accepted).length;
    console.log(
      `round ${round} (${database}, seed ${scenario.seed}): ${live.leases.length} leases, ${live.commands.length} commands (${accepted} accepted), ${live.events.length} events, ${stage.run.kills} kills: equal`,
    );
  } catch (error) {
    console.error(`round ${round} (${database}, seed ${scenario.seed}):`, error, stage.log());
    process.exitCode = 1;
    break;
  } finally {
    await stage.dispose();
  }
}
