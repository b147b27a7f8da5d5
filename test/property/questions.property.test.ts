import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LeaseRequest, Scheduler, SECOND, type Snapshot } from '../../src/core/index.ts';
import { PATIENT, Run, runs } from './run.ts';
import { configs, leaseRequests, plainConfigs, scenarios } from './scenario.ts';

/** Runs a scenario for some steps, and says how late it is then. */
function busy(run: Run, steps: number): number {
  let at = run.at;
  for (const step of run) {
    at = step.at;
    if (--steps <= 0) break;
  }
  return at;
}

const settings = (config: typeof configs) =>
  scenarios({ configs: config, cancellations: false }).chain((scenario) =>
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
  it('answers what the request is answered, and leaves no trace', PATIENT, () => {
    fc.assert(
      fc.property(settings(configs), ({ scenario, steps, request, wait }) => {
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

describe('availability', () => {
  it('names the starts at which an advance reservation is accepted, and leaves no trace', PATIENT, () => {
    fc.assert(
      fc.property(settings(plainConfigs), ({ scenario, steps, request: { machines, duration } }) => {
        const run = new Run(scenario);
        const now = busy(run, steps);
        const before = JSON.stringify(run.scheduler.snapshot());
        const to = now + 7200 * SECOND;
        const question = { machines, duration, preemptible: false, from: now, to };
        const { earliestStart, windows } = run.scheduler.availability(now, question);
        expect(JSON.stringify(run.scheduler.snapshot())).toBe(before);
        const isAccepted = (start: number) =>
          run.scheduler.dryRun(now, {
            type: 'ADVANCE_RESERVATION',
            machines,
            duration,
            preemptible: false,
            start,
          }).accepted;
        if (earliestStart !== null) expect(isAccepted(earliestStart)).toBe(true);
        if (windows[0]) expect(windows[0].start).toBe(earliestStart);
        let free = now;
        for (const { start, end } of windows) {
          expect([start, end - 1].map(isAccepted)).toEqual([true, true]);
          if (start > free) expect([free, start - 1].map(isAccepted)).toEqual([false, false]);
          free = end;
        }
        if (free < to) expect([free, to - 1].map(isAccepted)).toEqual([false, false]);
      }),
      { numRuns: runs(150) },
    );
  });
});
