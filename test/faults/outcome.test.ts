/**
 * The same requests and commands, in a simulation and through GraphQL on real servers that are killed in between: the
 * outcome is equal, to the millisecond. The servers' clock runs at 60 times the usual speed and stands still at each
 * instant of the simulation until the writer has nothing left to do there (outcome/held-clock.mjs): latencies of the
 * machine take no time of the site, so that equality is exact and has no tolerance. The long run is `npm run soak`.
 */
import { expect, it, onTestFailed, onTestFinished } from 'vitest';
import { postgresMissing } from '../support/postgres.ts';
import { simulatedOutcome } from './outcome/outcome.ts';
import { scenarioOf } from './outcome/scenario.ts';
import { Stage } from './outcome/stage.ts';

/** A busy machine takes many times as long. */
const timeout = 600_000;

const comesOutAsSimulated = async (database: 'embedded' | 'server', seed: number): Promise<void> => {
  const stage = await Stage.begin(database, scenarioOf(seed, 10, 12, 300), {
    killing: 0.4,
    maxKills: 3,
  });
  onTestFinished(() => stage.dispose());
  onTestFailed(() => console.error(stage.log()));
  const { live, expected } = await stage.run.run();
  expect(live).toEqual(simulatedOutcome(expected.result));
  expect(stage.strange).toEqual([]);
  // What was compared: commands of both outcomes and of every kind of update, on servers that were killed.
  expect(stage.run.kills).toBe(3);
  expect(new Set(live.commands.map(({ accepted }) => accepted))).toEqual(new Set([true, false]));
  const changed = expected.commands.flatMap((each) => (each.kind === 'update' ? Object.keys(each.terms) : []));
  expect([...new Set(changed)].sort()).toEqual(['deadline', 'duration', 'start']);
};

it('comes out as simulated on the embedded database, with kill -9 in between', { timeout }, () =>
  comesOutAsSimulated('embedded', 8),
);

it.skipIf(postgresMissing !== null)(
  `comes out as simulated with two servers on PostgreSQL, with kill -9 in between${postgresMissing ? `: ${postgresMissing}` : ''}`,
  { timeout },
  () => comesOutAsSimulated('server', 54),
);
