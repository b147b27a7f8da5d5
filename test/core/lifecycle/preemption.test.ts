import { describe, expect, it } from 'vitest';
import { Scheduler, SECOND, type Snapshot } from '../../../src/core/index.ts';
import type { Config } from '../../support/lease.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, image, reservation, tell } from '../../support/story.ts';

const defaults: Config = { preemption: 'ar-preempts-everything', suspension: 'all' };
const over = (config: Config = {}) => ({ config: { ...defaults, ...config } });

describe('victims of an advance reservation', () => {
  it('do not exist by default', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(10, 1000, 1, 600)], {
      config: { suspension: 'all' },
    });
    expect(story.lease(2)).toMatchObject({
      state: 'REJECTED',
      reason: 'its machines do not fit beside what is reserved from its start to its end',
    });
  });

  it('are never other reservations or immediate leases', () => {
    const story = tell([reservation(0, 0, 4, 3600), reservation(10, 1000, 1, 600)], over());
    expect(story.lease(2).state).toBe('REJECTED');
  });

  it('are less than a week old', () => {
    const WEEK = 7 * 24 * 3600;
    const told = (start: number) =>
      tell([bestEffort(0, 4, 2 * WEEK), reservation(10, start, 1, 600)], over()).lease(2).state;
    // Seven days before the start of the reservation, to the second.
    expect(told(WEEK - 1)).toBe('DONE');
    expect(told(WEEK)).toBe('REJECTED');
  });

  it('are chosen by the higher number if they were requested at the same time', () => {
    const story = tell([bestEffort(0, 1, 3600), bestEffort(0, 3, 3600), reservation(10, 1000, 1, 600)], over());
    expect([1, 2].map((id) => story.of(id, 'SUSPENSION').length)).toEqual([0, 1]);
  });

  it('exclude leases whose machines end at that instant, even during their shutdown (R13)', () => {
    const story = tell([bestEffort(0, 4, 990), reservation(10, 990, 1, 600)], over({ shutdownTime: 10_000 }));
    expect(story.lease(2).state).toBe('REJECTED');
  });

  it('exclude leases that are being resumed or migrated (R53)', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(1, 1000, 4, 300), reservation(1310, 1320, 4, 300)], over());
    // From 1300 to 1332 the first lease is resumed.
    expect(story.of(1, 'RESUMPTION')[0]).toMatchObject({ start: 1300, end: 1332 });
    expect(story.lease(3).state).toBe('REJECTED');
    // From 1800 to 1882 the memory of lease 3 is moved to other nodes.
    const moved = tell(
      [
        reservation(0, 90, 2, 3600, { preemptible: false }),
        reservation(0, 1800, 2, 3600, { preemptible: false }),
        bestEffort(0, 2, 3600),
        reservation(1850, 3720, 2, 100, { preemptible: false }),
      ],
      over({ migration: 'yes', enactmentOverhead: 2000, overrideSuspendTime: 0 }),
    );
    expect(moved.timeline(3)).toBe('VM[0,1796) S[1796,1800) M[1800,1882) R[3690,3726) VM[3726,5530) X[5530,5534)');
    expect(moved.lease(4).state).toBe('REJECTED');
  });
});

describe('a preempted lease', () => {
  it('is suspended by the start of the reservation (R54)', () => {
    const story = tell([bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300)], over());
    expect(story.timeline(1)).toBe('VM[0,968) S[968,1000) R[1300,1332) VM[1332,3964)');
  });

  it('is cancelled and requeued if it would run for less than the threshold by then', () => {
    // 64 s are twice what suspending takes.
    const story = (start: number) =>
      tell([bestEffort(0, 1, 3600), reservation(0, start, 4, 300)], over({ backfilling: 'off' })).path(1);
    const started = (start: number) =>
      tell([bestEffort(0, 1, 3600), reservation(5, start, 4, 300)], over({ backfilling: 'off' }));
    expect(started(64).timeline(1)).toBe('VM[0,32) S[32,64) R[364,396) VM[396,3964)');
    expect(started(63).timeline(1)).toBe('VM[0,5) VM[363,3963)');
    expect(started(63).lease(1).accumulated).toBe(3600);
    expect(story(63)).not.toContain('SUSPENDED');
  });

  it('is cancelled and requeued if there is no time to suspend it', () => {
    const told = (arrival: number) =>
      tell([bestEffort(0, 1, 3600), reservation(arrival, 1000, 4, 300)], over()).timeline(1);
    expect(told(968)).toMatch(/^VM\[0,968\) S\[968,1000\)/);
    expect(told(969)).toBe('VM[0,969) VM[1300,4900)');
  });

  it('loses all its running time when it is cancelled, including that before a suspension (R65)', () => {
    const story = tell(
      [bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300), reservation(1340, 1350, 4, 100)],
      over(),
    );
    expect(story.timeline(1)).toBe('VM[0,968) S[968,1000) R[1300,1332) VM[1332,1340) VM[1450,5050)');
    expect(story.lease(1)).toMatchObject({ accumulated: 3600, start: 1450 });
  });

  it('is cancelled and requeued if it has several machines and suspension is serial-only', () => {
    const story = tell(
      [bestEffort(0, 2, 3600), bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300)],
      over({ suspension: 'serial-only' }),
    );
    expect(story.timeline(1)).toBe('VM[0,10) VM[1300,4900)');
    expect(story.timeline(2)).toMatch(/^VM\[0,968\) S\[968,1000\)/);
  });

  it('is cancelled and requeued if it would only start then, even if suspending takes no time', () => {
    const story = tell(
      [bestEffort(0, 4, 500), bestEffort(1, 4, 600), reservation(10, 500, 4, 100)],
      over({ overrideSuspendTime: 0, overrideResumeTime: 0 }),
    );
    expect(story.path(2)).toContain('1 READY, 10 QUEUED, 10 SCHEDULED, 10 READY, 600 ACTIVE');
    expect(story.timeline(2)).toBe('VM[600,1200)');
  });

  it('returns to the queue by the time of its request', () => {
    const story = tell(
      [bestEffort(0, 4, 3600), bestEffort(1, 4, 600), bestEffort(2, 4, 600), reservation(10, 20, 4, 100)],
      over({ backfilling: 'off' }),
    );
    expect([1, 2, 3].map((id) => story.lease(id).start)).toEqual([120, 3720, 4320]);
  });

  it('loses a future plan that is in the way', () => {
    const story = tell([reservation(0, 0, 4, 500), bestEffort(1, 4, 600), reservation(10, 500, 4, 100)], over());
    expect(story.path(2)).toBe(
      '1 PENDING, 1 QUEUED, 1 SCHEDULED, 1 READY, 10 QUEUED, 10 SCHEDULED, 10 READY, 600 ACTIVE, 1200 DONE',
    );
  });

  it('loses its transfers, and its image is transferred again', () => {
    const story = tell(
      [
        { ...bestEffort(0, 1, 600), image: image('B') },
        { ...bestEffort(0, 3, 600), image: image('A') },
        reservation(50, 170, 3, 100),
      ],
      over({ preparation: 'imagetransfer' }),
    );
    // Lease 1, whose transfer runs at 50, is not preempted.
    expect(story.timeline(1)).toBe('T[0,82) VM[82,682)');
    expect(story.path(2)).toContain('0 SCHEDULED, 50 QUEUED, 50 SCHEDULED, 82 PREPARING, 164 READY, 270 ACTIVE');
    expect(story.timeline(2)).toBe('T[82,164) VM[270,870)');
  });

  it('keeps its memory on the nodes where it was suspended until it is resumed', () => {
    const stage = new Stage([bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300)], over());
    const memory = (at: number) => stage.to(at).leases.get(1)?.memoryAt;
    // Suspended from 968 to 1000, resumed from 1300 to 1332.
    expect([memory(960), memory(980), memory(1200), memory(1310), memory(1400)]).toEqual([
      {},
      { 1: 1 },
      { 1: 1 },
      {},
      {},
    ]);
  });

  it('keeps its saved memory if it only loses its plan to resume', () => {
    const story = tell(
      [bestEffort(0, 4, 3600), reservation(10, 1000, 4, 300), reservation(1100, 1310, 4, 100)],
      over(),
    );
    // Its resumption at 1300 is in the way: the plan is dropped, the saved memory is kept.
    expect(story.path(1)).toContain('1000 SUSPENDED_SCHEDULED, 1100 SUSPENDED_QUEUED, 1100 SUSPENDED_SCHEDULED');
    expect(story.lease(1).accumulated).toBe(3600);
    expect(story.timeline(1)).toMatch(/^VM\[0,968\) S\[968,1000\) R\[1410,1442\)/);
  });

  it('is no longer counted as a future lease (R45)', () => {
    // The second lease has the one reservation in the future that aggressive backfilling allows, and is to be suspended
    // in the middle of it.
    const story = tell(
      [bestEffort(0, 4, 500), bestEffort(1, 4, 3600), reservation(10, 2000, 4, 100), bestEffort(20, 4, 100)],
      over(),
    );
    expect(story.timeline(2)).toMatch(/^VM\[500,1968\) S\[1968,2000\)/);
    expect(story.path(4)).toMatch(/^20 PENDING, 20 QUEUED, 20 SCHEDULED, 20 READY/);
  });
});

describe('a victim that cannot be suspended, if victims stop only when needed', () => {
  const whenNeeded = over({ suspension: 'none', stopVictims: 'when-needed' });
  const requested = () => new Stage([bestEffort(0, 4, 1000), reservation(100, 500, 4, 100)], whenNeeded).to(100);
  const stopped = {
    leaseId: 1,
    at: 500 * SECOND,
    from: 'ACTIVE',
    to: 'QUEUED',
    reason: {
      code: 'PREEMPTED',
      message: 'its machines were stopped for lease 2, and 500 s of running time are lost',
      data: { preemptor: 2, lostDuration: 500_000 },
    },
  };

  it('runs until its nodes are needed, then is requeued and loses all its running time (R65)', () => {
    const stage = requested();
    expect(stage.leases.get(1)).toMatchObject({ state: 'ACTIVE', accumulated: 0, restarts: 0 });
    expect(stage.plan(1)).toBe('VM[0,500)');
    expect(stage.forget().to(499).events).toEqual([]);
    stage.to(500);
    expect(stage.events.filter(({ leaseId }) => leaseId === 1)[0]).toMatchObject(stopped);
    expect(stage.leases.get(1)).toMatchObject({ accumulated: 0, restarts: 1, lostDuration: 500_000 });
    expect(stage.actions.map(({ at, kind, leaseId }) => [at / SECOND, kind, leaseId])).toEqual([
      [500, 'DESTROY', 1],
      [500, 'START', 2],
    ]);
    // It is planned again in the same instant.
    expect(stage.state(1)).toBe('READY');
    expect(stage.plan(1)).toBe('VM[600,1600) SHUTDOWN[1600,1600)');
    stage.to(1600);
    expect(stage.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: 1_000_000 });
  });

  it('does so after a restart', () => {
    const stage = requested();
    const snapshot = JSON.parse(JSON.stringify(stage.scheduler.snapshot())) as Snapshot;
    const restored = Scheduler.restore(stage.site, stage.config, snapshot);
    restored.advance(500 * SECOND);
    const changes = restored.takeChanges();
    expect(changes.events.filter(({ leaseId }) => leaseId === 1)).toMatchObject([stopped]);
    expect(changes.leases.find(({ id }) => id === 1)).toMatchObject({ state: 'QUEUED', accumulated: 0 });
    expect(restored.snapshot().reservations.filter(({ leaseId }) => leaseId === 1)).toEqual([]);
  });

  it('also loses the time before an earlier suspension', () => {
    const story = tell(
      [bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300), reservation(1340, 1350, 4, 100)],
      over({ stopVictims: 'when-needed' }),
    );
    expect(story.timeline(1)).toBe('VM[0,968) S[968,1000) R[1300,1332) VM[1332,1350) VM[1450,5050)');
    expect(story.lease(1)).toMatchObject({ accumulated: 3600, start: 1450 });
  });

  it('is requeued at the earlier start if another reservation needs its nodes before', () => {
    const story = tell(
      [bestEffort(0, 4, 1000), reservation(100, 500, 4, 100), reservation(200, 300, 4, 100)],
      whenNeeded,
    );
    expect(story.timeline(1)).toBe('VM[0,300) VM[600,1600)');
  });
});
