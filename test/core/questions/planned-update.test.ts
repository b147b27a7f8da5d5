import { expect, it } from 'vitest';
import { type LeaseUpdate, SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, machines, reservation } from '../../support/story.ts';

/** What the dry run tells; the scheduler must be as before. */
function told(stage: Stage, id: number, update: LeaseUpdate) {
  const before = stage.scheduler.snapshot();
  try {
    return stage.scheduler.dryRunUpdate(stage.now * SECOND, id, update);
  } finally {
    expect(stage.scheduler.snapshot()).toEqual(before);
    expect(stage.scheduler.takeChanges().events).toEqual([]);
  }
}

const refused = { accepted: false, start: null, end: null, machines: null, displaces: [] };

it('tells the plan of an update and which leases it displaces', () => {
  const config = { preemption: 'ar-preempts-everything', suspension: 'all' } as const;
  const stage = new Stage([reservation(0, 1000, 1, 300), bestEffort(0, 4, 900)], { config }).to(10);
  expect(told(stage, 1, { start: 500 * SECOND, duration: 200 * SECOND })).toEqual({
    accepted: true,
    reason: null,
    start: 500 * SECOND,
    end: 700 * SECOND,
    machines: { 1: 1 },
    displaces: [2],
    firstPossibleStart: null,
    continueFrom: null,
    maxDuration: null,
    amounts: machines(1),
  });
});

it('tells the first start at which a reservation is possible with its new terms', () => {
  const stage = new Stage([reservation(0, 100, 4, 500), reservation(0, 1000, 2, 100)]).to(10);
  const update = { start: 200 * SECOND, duration: 300 * SECOND };
  expect(told(stage, 2, update)).toMatchObject({
    ...refused,
    reason: { code: 'NOT_SCHEDULABLE' },
    // The place of the lease itself is free for it.
    firstPossibleStart: 600 * SECOND,
    maxDuration: null,
  });
  expect(told(stage, 2, { ...update, start: 600 * SECOND - 1 })).toMatchObject({ accepted: false });
  expect(told(stage, 2, { ...update, start: 600 * SECOND })).toMatchObject({
    accepted: true,
    start: 600 * SECOND,
    end: 900 * SECOND,
  });
});

it('tells the longest duration where an extension is blocked', () => {
  const stage = new Stage([reservation(0, 5, 4, 500), reservation(0, 1000, 4, 100)]).to(10);
  expect(told(stage, 1, { duration: 1200 * SECOND })).toMatchObject({
    ...refused,
    reason: { code: 'EXTENSION_BLOCKED' },
    firstPossibleStart: null,
    maxDuration: 995 * SECOND,
  });
  expect(told(stage, 1, { duration: 1200 * SECOND, asFarAsPossible: true })).toMatchObject({
    accepted: true,
    start: 5 * SECOND,
    end: 1000 * SECOND,
  });
});

it('tells when machines are available instead of a deadline that cannot be met', () => {
  const deadline = {
    ...bestEffort(0, 4, 100),
    type: 'DEADLINE' as const,
    deadline: 2000 * SECOND,
    preemptible: false,
  };
  const stage = new Stage([reservation(0, 5, 4, 500), deadline]).to(10);
  expect(told(stage, 2, { deadline: 300 * SECOND })).toMatchObject({
    ...refused,
    reason: { code: 'DEADLINE_CANNOT_BE_MET' },
    firstPossibleStart: 505 * SECOND,
  });
});

it('refuses as the update does what room does not change', () => {
  const stage = new Stage([reservation(0, 5, 1, 500)]).to(10);
  expect(() => told(stage, 1, { start: 100 * SECOND })).toThrow(expect.objectContaining({ code: 'LEASE_STARTED' }));
  expect(() => told(stage, 7, {})).toThrow(expect.objectContaining({ code: 'LEASE_NOT_FOUND' }));
});
