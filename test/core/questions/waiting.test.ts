import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, image, reservation, type Setting, type StoryLease } from '../../support/story.ts';

const at = (moment: number, cast: readonly StoryLease[], setting: Setting = {}) => {
  const { scheduler } = new Stage(cast, setting).to(moment);
  return (id: number) => {
    const before = JSON.stringify(scheduler.snapshot());
    const waiting = scheduler.waiting(moment * SECOND, id);
    expect(JSON.stringify(scheduler.snapshot())).toBe(before);
    return waiting;
  };
};

describe('the reason that a lease waits', () => {
  it('is null for a running lease', () => {
    expect(at(10, [bestEffort(0, 1, 600)])(1)).toBeNull();
  });

  it('names the leases on the nodes of its plan', () => {
    const waiting = at(10, [bestEffort(0, 3, 600), bestEffort(0, 1, 500), bestEffort(1, 4, 100)]);
    expect(waiting(3)).toEqual({
      code: 'RESOURCES',
      blockedBy: [2, 1],
      estimatedStart: 600 * SECOND,
      longestNow: null,
    });
  });

  it('is the queue before it, with the maximum duration that could run at once', () => {
    const cast = [bestEffort(0, 2, 600), bestEffort(1, 4, 300), bestEffort(2, 4, 300), bestEffort(3, 2, 3600)];
    const waiting = at(10, cast);
    expect(waiting(3)).toMatchObject({ code: 'RESOURCES', blockedBy: [1], longestNow: null });
    // Lease 2 is planned at 600 on all nodes; lease 4 fits beside lease 1 until then.
    expect(waiting(4)).toEqual({
      code: 'BEHIND_IN_QUEUE',
      blockedBy: [3],
      estimatedStart: null,
      longestNow: 590 * SECOND,
    });
  });

  it('is its start time', () => {
    expect(at(10, [reservation(0, 100, 4, 50)])(1)).toEqual({
      code: 'START_NOT_REACHED',
      blockedBy: [],
      estimatedStart: 100 * SECOND,
      longestNow: 50 * SECOND,
    });
  });

  it('gives the maximum duration that could run before a maintenance', () => {
    const { scheduler } = new Stage([reservation(0, 100, 4, 50)]).to(10);
    const now = 10 * SECOND;
    scheduler.planMaintenance(now, { name: 'm', nodes: [1], start: 40 * SECOND, end: 60 * SECOND });
    expect(scheduler.waiting(now, 1)).toMatchObject({ code: 'START_NOT_REACHED', longestNow: 30 * SECOND });
  });

  it('is maintenance without which it could start now', () => {
    const maintenance = { name: 'm', nodes: [1, 2, 3, 4], start: 5 * SECOND, end: 600 * SECOND };
    const waiting = (cast: readonly StoryLease[], end = maintenance.end) => {
      const stage = new Stage(cast).to(1);
      stage.do((scheduler, now) => scheduler.planMaintenance(now, { ...maintenance, end }, 'REFUSE')).to(20);
      const before = JSON.stringify(stage.scheduler.snapshot());
      const answer = stage.scheduler.waiting(20 * SECOND, 2);
      expect(JSON.stringify(stage.scheduler.snapshot())).toBe(before);
      return answer;
    };
    expect(waiting([bestEffort(0, 1, 2), bestEffort(10, 1, 100)])).toEqual({
      code: 'MAINTENANCE',
      blockedBy: [],
      estimatedStart: 600 * SECOND,
      longestNow: null,
    });
    // The maintenance is over, and another lease runs on all nodes.
    const busy = [bestEffort(12, 4, 600), bestEffort(13, 1, 100)];
    expect(waiting([...busy], 10 * SECOND)).toMatchObject({ code: 'RESOURCES', blockedBy: [1] });
  });

  it('is the transfer of its image', () => {
    const setting = { config: { preparation: 'imagetransfer' } } as const;
    expect(at(10, [bestEffort(0, 1, 600, { image: image('A') })], setting)(1)).toMatchObject({
      code: 'IMAGE_TRANSFER',
      longestNow: null,
    });
  });

  it('is its suspension', () => {
    const config = { preemption: 'ar-preempts-everything', suspension: 'all' } as const;
    const waiting = at(1000, [bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300)], { config });
    expect(waiting(1)).toEqual({
      code: 'SUSPENDED',
      blockedBy: [2],
      estimatedStart: 1332 * SECOND,
      longestNow: null,
    });
  });
});
