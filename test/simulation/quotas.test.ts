import { describe, expect, it } from 'vitest';
import { HOUR } from '../../src/core/index.ts';
import { simulate } from '../../src/simulation/run.ts';
import type { UserQuota } from '../../src/simulation/workload.ts';
import { configOf, workloadOf } from './small-run.ts';

const workload = workloadOf(
  [
    { type: 'BEST_EFFORT', arrival: 0, duration: 1000, user: 'ann' },
    { type: 'BEST_EFFORT', arrival: 0, duration: 1000, user: 'ann' },
    { type: 'BEST_EFFORT', arrival: 0, duration: 1000, user: 'bob' },
    { type: 'BEST_EFFORT', arrival: 0, duration: 5000, user: 'ann' },
    { type: 'BEST_EFFORT', arrival: 0, duration: 1000 },
  ],
  '4 CPU:100 Memory:1024',
);
const none = { amount: null, amountHours: null, period: null, maxDuration: null, maxLeases: null };

function run(quotas: readonly UserQuota[]) {
  const config = configOf(workload, { quotas });
  const { leases } = simulate({ workload, config });
  return leases.map(({ id, state, start }) => [id, state, start]);
}

describe("quotas of a trace's users", () => {
  it('limit concurrent use and the duration of leases', () => {
    const hour = { user: '*', type: 'CPU', ...none, maxDuration: HOUR };
    expect(run([{ ...hour, user: 'ann', amount: 100 }, hour])).toEqual([
      [1, 'DONE', 0],
      [2, 'DONE', 1000],
      [3, 'DONE', 0],
      [4, 'REJECTED', null],
      [5, 'DONE', 0],
    ]);
  });

  it('delay leases until the next period', () => {
    const quota = { user: 'ann', type: 'CPU', ...none, amountHours: 50, period: HOUR, maxDuration: HOUR };
    // Two leases of 1000 s need 55.6 CPU hours; the run begins at a full hour.
    expect(run([quota])[1]).toEqual([2, 'DONE', 3600]);
  });
});
