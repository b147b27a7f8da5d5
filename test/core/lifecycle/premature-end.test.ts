import { describe, expect, it } from 'vitest';
import { Stage } from '../../support/stage.ts';
import { bestEffort, reservation, tell } from '../../support/story.ts';

describe('machines that end by themselves (R20)', () => {
  it('end at the known time, without a shutdown', () => {
    const story = tell([bestEffort(0, 1, 600, { known: 200 })], { config: { shutdownTime: 10_000 } });
    expect(story.timeline(1)).toBe('VM[0,200)');
    expect(story.lease(1)).toMatchObject({ state: 'DONE', end: 200, accumulated: 200 });
  });

  it('run for at least a second', () => {
    expect(tell([bestEffort(0, 1, 600, { known: 0 })]).timeline(1)).toBe('VM[0,1)');
  });

  it('run to the planned end if that comes first', () => {
    const config = { shutdownTime: 10_000 };
    expect(tell([bestEffort(0, 1, 600, { known: 600 })], { config }).timeline(1)).toBe('VM[0,600) X[600,610)');
    expect(tell([bestEffort(0, 1, 600, { known: 900 })], { config }).timeline(1)).toBe('VM[0,600) X[600,610)');
    expect(tell([bestEffort(0, 1, 1, { known: 0 })]).timeline(1)).toBe('VM[0,1)');
    // An advance reservation's machines run its duration less its shutdown.
    expect(tell([reservation(0, 0, 1, 600, { known: 590 })], { config }).timeline(1)).toBe('VM[0,590) X[590,600)');
    expect(tell([reservation(0, 0, 1, 600, { known: 589 })], { config }).timeline(1)).toBe('VM[0,589)');
  });

  it('count the time before a suspension', () => {
    const story = tell([reservation(0, 500, 4, 300), bestEffort(0, 1, 3600, { known: 600 })], {
      config: { suspension: 'all' },
    });
    expect(story.timeline(2)).toBe('VM[0,468) S[468,500) R[800,832) VM[832,964)');
    expect(story.lease(2)).toMatchObject({ state: 'DONE', accumulated: 600 });
  });

  it('are handled in the order of their planned ends', () => {
    const stage = new Stage([bestEffort(0, 1, 1000, { known: 500 }), bestEffort(0, 1, 900, { known: 500 })]).to(500);
    const done = stage.events.filter(({ to }) => to === 'DONE').map(({ leaseId }) => leaseId);
    expect(done).toEqual([2, 1]);
  });

  it('are handled before other events of the instant, each followed by its re-evaluation (R30)', () => {
    // At 300 the first ends early; the second, planned for 600, starts at once.
    const story = tell([bestEffort(0, 4, 600, { known: 300 }), bestEffort(1, 4, 100)]);
    expect(story.path(1)).toMatch(/300 DONE$/);
    expect(story.path(2)).toContain('1 READY, 300 PENDING, 300 SCHEDULED, 300 READY, 300 ACTIVE');
  });

  it('free nodes for leases with a future plan, in order of their numbers', () => {
    const story = tell([bestEffort(0, 4, 600, { known: 300 }), bestEffort(1, 4, 600), bestEffort(2, 4, 600)], {
      config: { backfilling: 'conservative' },
    });
    expect([2, 3].map((id) => story.timeline(id))).toEqual(['VM[300,900)', 'VM[900,1500)']);
    // The third moves when the second has moved: one after the other.
    expect(story.path(3)).toBe(
      '2 PENDING, 2 QUEUED, 2 SCHEDULED, 2 READY, 300 PENDING, 300 SCHEDULED, 300 READY, 900 ACTIVE, 1500 DONE',
    );
  });
});

describe('machines that are reported to have ended', () => {
  it('finish their lease, including its shutdown', () => {
    const stage = new Stage([bestEffort(0, 2, 600), bestEffort(1, 4, 600)], {
      config: { shutdownTime: 10_000 },
    }).to(100);
    expect(stage.plan(2)).toBe('VM[610,1210) SHUTDOWN[1210,1220)');
    stage.forget().do((scheduler, now) => scheduler.vmEnded(now, 1));
    expect(stage.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: 100_000, endedAt: 100_000 });
    expect([stage.plan(1), stage.plan(2)]).toEqual(['', 'VM[100,700) SHUTDOWN[700,710)']);
    // Ended machines need no shutdown; what is left of them is removed.
    expect(stage.actions).toMatchObject([{ kind: 'DESTROY', leaseId: 1 }]);
  });

  it('may end during their shutdown', () => {
    const stage = new Stage([bestEffort(0, 1, 600)], { config: { shutdownTime: 10_000 } }).to(605);
    stage.do((scheduler, now) => scheduler.vmEnded(now, 1));
    expect(stage.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: 600_000, endedAt: 605_000 });
  });
});
