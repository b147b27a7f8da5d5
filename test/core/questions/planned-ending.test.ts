import { expect, it } from 'vitest';
import { type PlannedEnding, type Scheduler, SchedulerError, SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, FOUR_NODES, reservation } from '../../support/story.ts';

/** What the dry run tells; the scheduler must be as before. */
function told(stage: Stage, command: (scheduler: Scheduler, now: number) => void): PlannedEnding {
  const now = stage.now * SECOND;
  const before = stage.scheduler.snapshot();
  const neededPass = stage.scheduler.needsPass;
  try {
    return stage.scheduler.dryRunEnding(now, (scheduler) => command(scheduler, now));
  } finally {
    expect(stage.scheduler.snapshot()).toEqual(before);
    expect(stage.scheduler.takeChanges().events).toEqual([]);
    expect(stage.scheduler.needsPass).toBe(neededPass);
  }
}

for (const reevaluation of ['at-once', 'in-pass'] as const) {
  const on = { reevaluation, config: { backfilling: 'conservative' } } as const;

  it(`tells which leases would start earlier if one were cancelled (${reevaluation})`, () => {
    const cast = [bestEffort(0, 4, 500), bestEffort(0, 2, 300), bestEffort(0, 4, 100), bestEffort(0, 2, 200)];
    const stage = new Stage(cast, on).to(10);
    const cancel = (id: number) => told(stage, (scheduler, now) => scheduler.cancel(now, id));
    expect(cancel(1)).toEqual({
      ends: [1],
      sooner: [
        { lease: 2, planned: 500 * SECOND, start: 10 * SECOND },
        { lease: 4, planned: 500 * SECOND, start: 10 * SECOND },
        { lease: 3, planned: 800 * SECOND, start: 310 * SECOND },
      ],
      isComplete: true,
    });
    expect(told(stage, (scheduler, now) => scheduler.vmEnded(now, 1))).toEqual(cancel(1));
    // Nothing can use what the last one gives back.
    expect(cancel(3)).toEqual({ ends: [3], sooner: [], isComplete: true });
    const planned = cancel(1).sooner.map(({ lease, start }) => [lease, start]);
    stage.do((scheduler, now) => {
      scheduler.cancel(now, 1);
      scheduler.schedule(now);
    });
    expect(planned.map(([id]) => [id, stage.leases.get(id as number)?.plannedStart])).toEqual(planned);
  });
}

it('tells of leases without a plan, and not of what the pass plans anyway', () => {
  const cast = [bestEffort(0, 4, 500), bestEffort(0, 4, 300), bestEffort(0, 4, 100), reservation(20, 900, 1, 50)];
  const stage = new Stage(cast, { config: { backfilling: 'aggressive' }, reevaluation: 'in-pass' });
  stage.toRequests(20);
  expect(stage.scheduler.lease(4)?.state).toBe('PENDING');
  expect(told(stage, (scheduler, now) => scheduler.cancel(now, 1))).toEqual({
    ends: [1],
    sooner: [
      { lease: 2, planned: 500 * SECOND, start: 20 * SECOND },
      { lease: 3, planned: null, start: 320 * SECOND },
    ],
    isComplete: true,
  });
});

it('tries at most 32 leases', () => {
  const queue = Array.from({ length: 100 }, () => bestEffort(0, 4, 100));
  const stage = new Stage([bestEffort(0, 4, 500), ...queue], {
    config: { backfilling: 'conservative' },
    reevaluation: 'in-pass',
  }).to(10);
  const { isComplete, sooner } = told(stage, (scheduler, now) => scheduler.cancel(now, 1));
  expect(isComplete).toBe(false);
  expect(sooner).toHaveLength(32);
  expect(sooner[31]).toEqual({ lease: 33, planned: 3_600 * SECOND, start: 3_110 * SECOND });
});

it('tells which occurrences would end, and refuses what the command refuses', () => {
  const stage = new Stage([], { site: FOUR_NODES }).to(10);
  const occurrences = [1, 2, 3].map((index) => ({
    index,
    day: `2030-01-0${index}`,
    start: index * 1_000 * SECOND,
  }));
  stage.do((scheduler, now) =>
    scheduler.recurrences.create(
      now,
      {
        name: null,
        machines: [{ CPU: 100 }],
        duration: 100 * SECOND,
        rule: 'FREQ=DAILY',
        timeZone: 'UTC',
        firstStart: '2030-01-31T08:00',
        preemptible: false,
        image: null,
        owner: null,
        project: null,
        collisions: 'SKIP',
      },
      { occurrences, next: null },
    ),
  );
  const cancel = (from: number) => told(stage, (scheduler, now) => scheduler.recurrences.cancel(now, 1, from));
  expect(cancel(2)).toEqual({ ends: [2, 3], sooner: [], isComplete: true });
  expect(() => cancel(0)).toThrow(SchedulerError);
  expect(() => told(stage, (scheduler, now) => scheduler.cancel(now, 9))).toThrow('Lease 9 does not exist.');
});
