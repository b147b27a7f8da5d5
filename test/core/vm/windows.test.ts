/** Windows for best-effort leases and for a fixed time: how long a lease gets, and what happens at the end. */
import { describe, expect, it } from 'vitest';
import type { Config } from '../../support/lease.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, immediate, reservation, tell } from '../../support/story.ts';

const stopping: Config = { shutdownTime: 10_000, enactmentOverhead: 2000 };

describe('an advance reservation', () => {
  it('occupies exactly the requested time, including its shutdown (R9)', () => {
    const story = tell([reservation(0, 100, 3, 600)], { config: stopping });
    expect(story.timeline(1)).toBe('VM[100,684) X[684,700)');
    expect(story.lease(1)).toMatchObject({ end: 700, accumulated: 584 });
  });

  it('whose whole time is its shutdown is accepted; a shorter one is rejected (R56)', () => {
    const story = tell([reservation(0, 100, 3, 16), reservation(0, 200, 3, 15)], { config: stopping });
    expect(story.timeline(1)).toBe('VM[100,100) X[100,116)');
    expect(story.lease(1)).toMatchObject({ state: 'DONE', accumulated: 0 });
    expect(story.path(2)).toBe('0 PENDING, 0 REJECTED');
    expect(story.lease(2).reason).toBe('it lasts 15 s, and shutting its machines down takes 16 s of that');
  });

  it('can start at the instant of its request (R10)', () => {
    const story = tell([reservation(50, 50, 1, 600), reservation(50, 49, 1, 600)]);
    expect(story.timeline(1)).toBe('VM[50,650)');
    expect(story.lease(2)).toMatchObject({
      state: 'REJECTED',
      reason: 'its start lies 1 s before the earliest time that can be planned',
    });
  });

  it('can start at the instant at which another one ends', () => {
    const story = tell([reservation(0, 100, 4, 600), reservation(0, 700, 4, 600)], { config: stopping });
    expect(story.lease(2)).toMatchObject({ state: 'DONE', start: 700 });
  });
});

describe('a best-effort lease', () => {
  it('runs its whole duration, and then shuts down (R8)', () => {
    expect(tell([bestEffort(0, 3, 600)], { config: stopping }).timeline(1)).toBe('VM[0,600) X[600,616)');
  });

  it('is suspended before a reservation and runs for the remaining time afterwards', () => {
    const story = tell([reservation(0, 500, 4, 300), bestEffort(1, 1, 600)], {
      config: { ...stopping, suspension: 'all' },
    });
    // 32 s to save or restore 1024 MB, and 2 s for the command.
    expect(story.timeline(2)).toBe('VM[1,466) S[466,500) R[800,834) VM[834,969) X[969,981)');
    expect(story.lease(2).accumulated).toBe(600);
  });

  it('does not start if only its shutdown would be cut off', () => {
    const story = tell([reservation(0, 605, 4, 300), bestEffort(0, 1, 600)], {
      config: { shutdownTime: 10_000, suspension: 'all' },
    });
    // 605 s would do for all of its 600 s, but not for a suspension or a shutdown after them.
    expect(story.timeline(2)).toBe('VM[905,1505) X[1505,1515)');
  });

  it('never runs longer than necessary before a suspension (R52)', () => {
    const story = tell([reservation(0, 620, 4, 300), bestEffort(0, 1, 600)], {
      config: { shutdownTime: 60_000, suspension: 'all' },
    });
    expect(story.timeline(2)).toBe('VM[920,1520) X[1520,1580)');
    const shorter = tell([reservation(0, 600, 4, 300), bestEffort(0, 1, 600)], {
      config: { shutdownTime: 60_000, suspension: 'all' },
    });
    expect(shorter.timeline(2)).toBe('VM[0,568) S[568,600) R[900,932) VM[932,964) X[964,1024)');
  });

  it('never runs longer than necessary, even if its resumption took less time than expected (R52)', () => {
    const story = tell([reservation(0, 200, 4, 100), reservation(0, 782, 4, 100), bestEffort(0, 2, 600)], {
      config: { shutdownTime: 60_000, suspension: 'all' },
    });
    // 432 s are left at 300. Two machines are resumed in parallel; their shutdown would not end by 782.
    expect(story.timeline(3)).toMatch(
      /^VM\[0,168\) S\[168,200\) R\[300,332\) VM\[332,732\) S\[732,764\) R\[882,914\) VM\[914,946\) X\[946,1006\)$/,
    );
  });

  it('also waits for the end of a suspension (R7)', () => {
    const story = tell(
      [bestEffort(0, 4, 3600), reservation(10, 500, 4, 300), reservation(10, 800, 3, 300), bestEffort(490, 1, 60)],
      { config: { preemption: 'ar-preempts-everything', suspension: 'all' } },
    );
    expect(story.timeline(1)).toMatch(/^VM\[0,468\) S\[468,500\)/);
    expect(story.lease(4).start).toBe(800);
  });
});

describe('an immediate lease', () => {
  it('starts at once or is rejected', () => {
    const story = tell([bestEffort(0, 4, 600), immediate(10, 1, 600), immediate(600, 1, 600)]);
    expect(story.path(2)).toBe('10 PENDING, 10 REJECTED');
    expect(story.timeline(3)).toBe('VM[600,1200)');
  });
});

describe('a resumed lease', () => {
  const first = bestEffort(0, 1, 3600);
  const leases = [first, reservation(10, 500, 4, 300), reservation(10, 800, 1, 600)];
  const config: Config = { preemption: 'ar-preempts-everything', suspension: 'all' };

  it('waits for its old nodes without migration (R55)', () => {
    const story = tell(leases, { config: { ...config, hostSelection: 'no-policy' } });
    expect(story.nodes(3)).toBe('1');
    expect(story.timeline(1)).toBe('VM[0,468) S[468,500) R[1400,1432) VM[1432,4564)');
    expect(story.nodes(1)).toBe('1 | 1');
  });

  it('moves to free nodes with migration, which takes time', () => {
    const story = tell(leases, { config: { ...config, hostSelection: 'no-policy', migration: 'yes' } });
    expect(story.timeline(1)).toBe('VM[0,468) S[468,500) M[500,582) R[800,832) VM[832,3964)');
    expect(story.nodes(1)).toBe('1 | 2');
  });

  it('is moved before it is resumed, even if moving takes no time (R50)', () => {
    const stage = new Stage(leases, {
      config: { ...config, hostSelection: 'no-policy', migration: 'yes-notransfer' },
    }).to(850);
    expect(stage.leases.get(1)).toMatchObject({ state: 'ACTIVE', mapping: { 1: 2 }, memoryAt: {} });
    const told = stage.actions.filter(({ leaseId }) => leaseId === 1).map(({ kind }) => kind);
    expect(told).toEqual(['START', 'SUSPEND', 'MIGRATE', 'RESUME']);
  });

  it('reserves the time of a migration even if nothing moves', () => {
    const story = tell(leases.slice(0, 2), { config: { ...config, migration: 'yes' } });
    expect(story.timeline(1)).toBe('VM[0,468) S[468,500) R[800,832) VM[832,3964)');
    const early = tell([first, reservation(10, 500, 4, 300, { known: 100 })], {
      config: { ...config, migration: 'yes' },
    });
    expect(early.timeline(1)).toBe('VM[0,468) S[468,500) R[682,714) VM[714,3846)');
  });
});
