/** `availability` agrees with the answer to a request at each start. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amounts, type Instant, joinAvailability, type Millis, SECOND } from '../../src/core/index.ts';
import { LiveRun } from './live-commands.ts';
import { liveScenarios } from './live-scenarios.ts';
import { PATIENT, runs } from './run.ts';
import { leaseRequests } from './scenario.ts';

/** The end of the period that is queried. */
const ahead = 7200 * SECOND;

const questions = liveScenarios.chain((scenario) =>
  fc.record({
    scenario: fc.constant(scenario),
    instants: fc.integer({ min: 1, max: 30 }),
    request: leaseRequests(scenario.site, 0),
    wait: fc.constantFrom(0, 1, 60, 600).map((seconds) => seconds * SECOND),
    samples: fc.array(fc.nat({ max: ahead - 1 }), { minLength: 4, maxLength: 8 }),
  }),
);

/** Whether an advance reservation is accepted, tried on a copy. */
function isAccepted(run: LiveRun, now: Instant, start: Instant, machines: readonly Amounts[], duration: Millis) {
  const scheduler = run.copy();
  const { id } = scheduler.request(now, {
    type: 'ADVANCE_RESERVATION',
    machines,
    duration,
    start,
    preemptible: false,
  });
  scheduler.schedule(now);
  return scheduler.takeChanges().leases.find((lease) => lease.id === id)?.state !== 'REJECTED';
}

describe('availability, while leases, deadlines, nodes and maintenance change', () => {
  it('names exactly the starts at which a request is accepted', PATIENT, () => {
    fc.assert(
      fc.property(questions, ({ scenario, instants, request: { machines, duration }, wait, samples }) => {
        const run = new LiveRun(scenario, 0);
        const now = run.pass(instants);
        const [from, to] = [now + wait, now + wait + ahead];
        const before = JSON.stringify(run.scheduler.snapshot());
        const question = { machines, duration, preemptible: false, from, to };
        const part = (start: Instant) => run.scheduler.availability(now, { ...question, from: start });
        let answer = part(from);
        while (answer.continueFrom !== null) answer = joinAvailability(answer, part(answer.continueFrom));
        const { earliestStart, windows } = answer;
        expect(JSON.stringify(run.scheduler.snapshot())).toBe(before);
        const edges = windows.flatMap(({ start, end }) => [start - 1, start, end - 1, end]);
        const starts = new Set(
          [from, to - 1, ...edges, ...samples.map((sample) => from + sample)].filter(
            (start) => start >= from && start < to,
          ),
        );
        const expected = (start: Instant) => windows.some((window) => start >= window.start && start < window.end);
        const wrong = [...starts].filter(
          (start) => isAccepted(run, now, start, machines, duration) !== expected(start),
        );
        expect(wrong.map((start) => start - from)).toEqual([]);
        if (windows[0]) expect(earliestStart).toBe(windows[0].start);
        else if (earliestStart !== null) {
          expect(earliestStart).toBeGreaterThanOrEqual(to);
          expect(isAccepted(run, now, earliestStart, machines, duration)).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
