import { describe, expect, it } from 'vitest';
import type { Config } from '../../support/lease.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, image, reservation, tell } from '../../support/story.ts';

const conservative: Config = { backfilling: 'conservative' };

describe('when resources are released early (R44)', () => {
  it('leases with a future plan move forward', () => {
    const story = tell([bestEffort(0, 4, 600), bestEffort(1, 2, 600), bestEffort(2, 2, 600)], {
      config: conservative,
      cancel: [[100, 1]],
    });
    expect([2, 3].map((id) => story.timeline(id))).toEqual(['VM[100,700)', 'VM[100,700)']);
  });

  it('a lease that cannot move keeps its plan, and no event is recorded (R62)', () => {
    const story = tell([bestEffort(0, 2, 600), bestEffort(0, 2, 300, { known: 100 }), bestEffort(1, 4, 600)], {
      config: conservative,
    });
    expect(story.timeline(3)).toBe('VM[600,1200)');
    expect(story.path(3)).toBe('1 PENDING, 1 QUEUED, 1 SCHEDULED, 1 READY, 600 ACTIVE, 1200 DONE');
  });

  it('a lease keeps its old plan until it has a better one: no other lease takes it meanwhile', () => {
    const stage = new Stage(
      [bestEffort(0, 2, 600), bestEffort(0, 2, 900), bestEffort(1, 4, 600), bestEffort(2, 2, 800)],
      {
        config: conservative,
      },
    ).to(100);
    expect([3, 4].map((id) => stage.plan(id))).toEqual([
      'VM[900,1500) SHUTDOWN[1500,1500)',
      'VM[1500,2300) SHUTDOWN[2300,2300)',
    ]);
    stage.do((scheduler, now) => scheduler.cancel(now, 1));
    // Lease 4 would fit at 100 only until 900, where lease 3 still is: it lasts 800 s, exactly.
    expect([3, 4].map((id) => stage.plan(id))).toEqual([
      'VM[900,1500) SHUTDOWN[1500,1500)',
      'VM[100,900) SHUTDOWN[900,900)',
    ]);
  });

  it('a plan with the same start is better if it no longer includes a suspension (R62)', () => {
    const stage = new Stage([bestEffort(0, 4, 500), bestEffort(1, 2, 3600), reservation(2, 2000, 4, 100)], {
      config: { suspension: 'all', preemption: 'ar-preempts-everything' },
    }).to(10);
    expect(stage.plan(2)).toBe('VM[500,1968) SUSPENSION[1968,2000)');
    stage.do((scheduler, now) => scheduler.cancel(now, 3));
    // A preempted lease is no longer a future lease (R45), so it is not examined.
    expect(stage.plan(2)).toBe('VM[500,1968) SUSPENSION[1968,2000)');

    const planned = new Stage([bestEffort(0, 4, 500), reservation(0, 2000, 4, 100), bestEffort(1, 2, 3600)], {
      config: { suspension: 'all' },
    }).to(10);
    expect(planned.plan(3)).toBe('VM[500,1968) SUSPENSION[1968,2000)');
    planned.do((scheduler, now) => scheduler.cancel(now, 2));
    expect(planned.plan(3)).toBe('VM[500,4100) SHUTDOWN[4100,4100)');
  });

  it('a lease whose transfer is running is not moved', () => {
    const story = tell([bestEffort(0, 4, 600), { ...bestEffort(10, 4, 600), image: image('A') }], {
      config: { preparation: 'imagetransfer' },
      cancel: [[50, 1]],
    });
    expect(story.path(2)).toBe('10 PENDING, 10 QUEUED, 10 SCHEDULED, 10 PREPARING, 92 READY, 600 ACTIVE, 1200 DONE');
  });

  it('a suspended lease is resumed earlier', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(10, 1000, 4, 600)], {
      config: { preemption: 'ar-preempts-everything', suspension: 'all' },
      cancel: [[1100, 2]],
    });
    expect(story.path(1)).toContain(
      '1000 SUSPENDED_SCHEDULED, 1100 SUSPENDED_PENDING, 1100 SUSPENDED_SCHEDULED, 1100 RESUMING',
    );
  });

  it('a lease that cannot be handled fails, and the others are handled', () => {
    let broken = false;
    const policies = {
      hostSelection: {
        moody: {
          score: (_host: unknown, { id }: { readonly id: number }) => {
            if (broken && id === 2) throw new Error('not today');
            return 1;
          },
        },
      },
    };
    const stage = new Stage([bestEffort(0, 4, 600), bestEffort(1, 4, 600), bestEffort(2, 4, 600)], {
      config: { ...conservative, hostSelection: 'moody' },
      policies,
    }).to(10);
    broken = true;
    stage.do((scheduler, now) => scheduler.cancel(now, 1));
    expect(stage.leases.get(2)).toMatchObject({
      state: 'FAILED',
      reason: { code: 'SCHEDULING_FAULT', message: 'not today' },
    });
    expect(stage.plan(3)).toBe('VM[10,610) SHUTDOWN[610,610)');
  });
});

describe('when re-evaluation is left to the pass', () => {
  it('no lease moves during the command, and all move in the next pass', () => {
    const stage = new Stage([bestEffort(0, 4, 600), bestEffort(1, 4, 600)], {
      config: conservative,
      reevaluation: 'in-pass',
    }).to(10);
    stage.do((scheduler, now) => scheduler.cancel(now, 1));
    expect(stage.plan(2)).toBe('VM[600,1200) SHUTDOWN[1200,1200)');
    expect(stage.scheduler.needsPass).toBe(true);
    stage.do((scheduler, now) => scheduler.schedule(now));
    expect(stage.plan(2)).toBe('VM[10,610) SHUTDOWN[610,610)');
    expect(stage.scheduler.needsPass).toBe(false);
  });
});
