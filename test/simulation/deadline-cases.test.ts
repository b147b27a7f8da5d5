/**
 * Workloads of leases with deadlines, in minutes, and which of them must be done or rejected. Outcomes count, not the
 * exact schedule.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { siteOf, tell, WHOLE, withDeadline } from '../support/story.ts';

interface Case {
  readonly nodes: number;
  readonly suspension: 'all' | 'none' | 'serial-only';
  readonly leases: readonly {
    readonly machines: number;
    readonly arrival: number;
    readonly start: number;
    readonly duration: number;
    readonly deadline: number;
    /** How long it really runs. */
    readonly real?: number;
  }[];
  readonly done: readonly number[];
  readonly rejected: readonly number[];
}

const cases = Object.entries(
  JSON.parse(readFileSync(new URL('./data/deadline-cases.json', import.meta.url), 'utf8')) as Record<string, Case>,
);

describe('deadline workload', () => {
  it.each(cases)('%s', (_name, { nodes, suspension, leases, done, rejected }) => {
    const story = tell(
      leases.map(({ machines, arrival, start, duration, deadline, real }) =>
        withDeadline(arrival * 60, start * 60, deadline * 60, machines, duration * 60, {
          ...(real === undefined ? {} : { known: real * 60 }),
        }),
      ),
      { site: siteOf([nodes, WHOLE]), config: { preemption: 'ar-preempts-everything', suspension } },
    );
    const states = story.result.leases.map(({ id, state }) => [id, state]);
    expect(states).toEqual(
      [...done.map((id) => [id, 'DONE']), ...rejected.map((id) => [id, 'REJECTED'])].sort(
        ([a], [b]) => Number(a) - Number(b),
      ),
    );
    for (const { id, end } of story.result.leases) {
      const { deadline } = leases[id - 1] as Case['leases'][number];
      expect(end ?? 0).toBeLessThanOrEqual(deadline * 60);
    }
  });
});
