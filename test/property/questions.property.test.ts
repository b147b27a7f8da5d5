import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LeaseRequest, Scheduler, SECOND, type Snapshot } from '../../src/core/index.ts';
import { PATIENT, Run, runs } from './run.ts';
import { leaseRequests, scenarios } from './scenario.ts';

/** Runs a scenario for some steps, and returns how late it is then. */
function busy(run: Run, steps: number): number {
  let at = run.at;
  for (const step of run) {
    at = step.at;
    if (--steps <= 0) break;
  }
  return at;
}

const settings = scenarios({ cancellations: false }).chain((scenario) =>
  fc.record({
    scenario: fc.constant(scenario),
    steps: fc.integer({ min: 1, max: 30 }),
    request: leaseRequests(scenario.site, 0),
    wait: fc.constantFrom(0, 1, 60, 600, 1800),
  }),
);

const asking = ({ type, start, ...request }: LeaseRequest, now: number, wait: number): LeaseRequest => ({
  ...request,
  type,
  start: start == null ? null : now + wait * SECOND,
});

describe('a dry run', () => {
  it('returns what the request would return, and leaves no trace', PATIENT, () => {
    fc.assert(
      fc.property(settings, ({ scenario, steps, request, wait }) => {
        fc.pre(request.type !== 'BEST_EFFORT');
        const run = new Run(scenario);
        const now = busy(run, steps);
        const asked = asking(request, now, wait);
        const before = JSON.stringify(run.scheduler.snapshot());
        const told = run.scheduler.dryRun(now, asked);
        expect(JSON.stringify(run.scheduler.snapshot())).toBe(before);
        expect(run.scheduler.takeChanges()).toMatchObject({
          leases: [],
          reservations: [],
          events: [],
          actions: [],
        });
        const twin = Scheduler.restore(scenario.site, scenario.config, JSON.parse(before) as Snapshot);
        const { id } = twin.request(now, asked);
        twin.schedule(now);
        const record = twin.takeChanges().leases.find((lease) => lease.id === id);
        expect(told.accepted).toBe(record?.state !== 'REJECTED');
        expect([told.start, told.machines]).toEqual([record?.plannedStart, record?.mapping]);
        if (!told.accepted) expect(told.reason).toEqual(record?.reason);
      }),
      { numRuns: runs(300) },
    );
  });
});
