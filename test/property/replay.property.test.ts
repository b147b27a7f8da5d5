import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Changes, type Instant, Scheduler, type Snapshot } from '../../src/core/index.ts';
import { PATIENT, Run, runs, runThrough } from './run.ts';
import { crowds, type Scenario, scenarios } from './scenario.ts';

/** Like `expect(a).toEqual(b)`, but fast for equal values. */
const expectEqual = (actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
};

const throughJson = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

const restored = ({ site, config }: Scenario, snapshot: Snapshot): Scheduler =>
  Scheduler.restore(site, config, throughJson(snapshot));

describe('equal inputs', () => {
  it('give equal outputs, including every change', PATIENT, () => {
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        expectEqual(runThrough(scenario), runThrough(structuredClone(scenario)));
      }),
      { numRuns: runs(150) },
    );
  });
});

describe('a scheduler restored from its snapshot', () => {
  it('continues as if it had not been restarted, at any step', PATIENT, () => {
    fc.assert(
      fc.property(scenarios(), fc.infiniteStream(fc.boolean()), (scenario, coin) => {
        const straight = new Run(scenario)[Symbol.iterator]();
        const broken = new Run(scenario);
        for (const step of broken) {
          expectEqual(step, straight.next().value);
          const snapshot = broken.scheduler.snapshot();
          if (coin.next().value) {
            broken.scheduler = restored(scenario, snapshot);
            expectEqual(broken.scheduler.snapshot(), snapshot);
          }
        }
        expect(straight.next().done).toBe(true);
      }),
      { numRuns: runs(400) },
    );
  });

  it(
    'which looks everywhere for a better place, finds no other than one that knows what was given back',
    PATIENT,
    () => {
      fc.assert(
        fc.property(crowds, (scenario) => {
          const straight = new Run(scenario)[Symbol.iterator]();
          const forgetful = new Run(scenario);
          for (const step of forgetful) {
            expectEqual(step, straight.next().value);
            forgetful.scheduler = restored(scenario, forgetful.scheduler.snapshot());
          }
        }),
        { numRuns: runs(200) },
      );
    },
  );

  it('is plain data that survives JSON', PATIENT, () => {
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        const run = new Run(scenario);
        for (const { changes } of run) {
          expectEqual(JSON.parse(JSON.stringify(changes)), changes);
          const snapshot = run.scheduler.snapshot();
          expectEqual(throughJson(snapshot), snapshot);
        }
      }),
      { numRuns: runs(50) },
    );
  });
});

/** Merges the changes of several calls into those of one call. */
const merged = (all: readonly Changes[]) => ({
  events: all.flatMap(({ events }) => events),
  actions: all.flatMap(({ actions }) => actions),
});

describe('one jump in time', () => {
  it('equals a step from instant to instant, if no commands come in between', PATIENT, () => {
    fc.assert(
      fc.property(scenarios(), fc.nat({ max: 20 }), fc.nat({ max: 9000 }), (scenario, steps, seconds) => {
        const run = new Run(scenario);
        let at: Instant = run.at;
        for (const step of run) {
          ({ at } = step);
          if (step.at >= run.at || steps-- <= 0) break;
        }
        const to = at + seconds * 1000;
        const snapshot = run.scheduler.snapshot();

        const jumping = restored(scenario, snapshot);
        jumping.advance(to);
        const walking = restored(scenario, snapshot);
        const walked: Changes[] = [];
        for (let next = walking.nextInstant(); next !== null && next <= to; next = walking.nextInstant()) {
          walking.advance(next);
          walked.push(walking.takeChanges());
        }
        walking.advance(to);
        expectEqual(merged([jumping.takeChanges()]), merged(walked));
        expectEqual(jumping.snapshot(), walking.snapshot());
        expect(jumping.nextInstant()).toBe(walking.nextInstant());
      }),
      { numRuns: runs(200) },
    );
  });
});
