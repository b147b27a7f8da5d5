import { describe, expect, it } from 'vitest';
import { Scheduler, SECOND, type Snapshot } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, reservation } from '../../support/story.ts';

const preempting = { config: { preemption: 'ar-preempts-everything', suspension: 'all' } as const };

/** The reasons of a lease's events: `1000 ACTIVE QUEUED CODE`. */
const reasonsOf = (stage: Stage, id: number): string[] =>
  stage.events
    .filter(({ leaseId, reason }) => leaseId === id && reason !== null)
    .map(({ at, from, to, reason }) => `${at / SECOND} ${from} ${to} ${reason?.code}`);

const lastReason = (stage: Stage, id: number) =>
  stage.events.findLast(({ leaseId, reason }) => leaseId === id && reason !== null)?.reason;

describe('a preempted lease', () => {
  it('that is suspended names the preempting lease until it is planned again', () => {
    const stage = new Stage([bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300)], preempting).to(1300);
    expect(reasonsOf(stage, 1)).toEqual([
      '968 ACTIVE SUSPENDING PREEMPTED',
      '1000 SUSPENDING SUSPENDED_PENDING PREEMPTED',
      '1000 SUSPENDED_PENDING SUSPENDED_QUEUED PREEMPTED',
    ]);
    expect(lastReason(stage, 1)).toEqual({
      code: 'PREEMPTED',
      message: 'its machines are suspended for lease 2',
      data: { preemptor: 2, lostDuration: 0 },
    });
    expect(stage.leases.get(1)).toMatchObject({ restarts: 0, lostDuration: 0 });
  });

  it('still does so after a restart', () => {
    const stage = new Stage([bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300)], preempting).to(500);
    const snapshot = JSON.parse(JSON.stringify(stage.scheduler.snapshot())) as Snapshot;
    const restored = Scheduler.restore(stage.site, stage.config, snapshot);
    restored.advance(968 * SECOND);
    expect(restored.takeChanges().events).toMatchObject([
      { to: 'SUSPENDING', reason: { code: 'PREEMPTED', data: { preemptor: 2 } } },
    ]);
  });

  it('that is requeued reports the lost time', () => {
    const stage = new Stage([bestEffort(0, 1, 3600), reservation(540, 541, 4, 300)], preempting).to(540);
    expect(lastReason(stage, 1)).toEqual({
      code: 'PREEMPTED',
      message: 'its machines were stopped for lease 2, and 540 s of running time are lost',
      data: { preemptor: 2, lostDuration: 540_000 },
    });
    expect(reasonsOf(stage, 1)).toEqual(['540 ACTIVE QUEUED PREEMPTED']);
    expect(stage.leases.get(1)).toMatchObject({ restarts: 1, lostDuration: 540_000, accumulated: 0 });
  });

  it('also loses the time before an earlier suspension', () => {
    const stage = new Stage(
      [bestEffort(0, 1, 3600), reservation(10, 1000, 4, 300), reservation(1400, 1401, 4, 300)],
      preempting,
    ).to(1400);
    // It ran from 0 to 968 and from 1332 to 1400.
    expect(lastReason(stage, 1)?.data).toEqual({ preemptor: 3, lostDuration: 1_036_000 });
    expect(stage.leases.get(1)).toMatchObject({ restarts: 1, lostDuration: 1_036_000 });
  });

  it('that had not started loses no time', () => {
    const config = { ...preempting.config, backfilling: 'aggressive' as const, suspension: 'none' as const };
    const stage = new Stage([reservation(0, 0, 4, 500), bestEffort(1, 4, 100), reservation(2, 500, 4, 100)], {
      config,
    }).to(2);
    expect(reasonsOf(stage, 2)).toEqual(['2 READY QUEUED PREEMPTED']);
    expect(lastReason(stage, 2)).toEqual({
      code: 'PREEMPTED',
      message: 'lease 3 takes the place where it was planned',
      data: { preemptor: 3, lostDuration: 0 },
    });
    expect(stage.leases.get(2)).toMatchObject({ restarts: 0, lostDuration: 0 });
  });
});

it('a lease with machines for only a part of its duration reports the remaining time', () => {
  const stage = new Stage([reservation(0, 1000, 4, 300), bestEffort(1, 1, 3600)], preempting).to(1000);
  expect(reasonsOf(stage, 2)[0]).toBe('968 ACTIVE SUSPENDING SUSPENDED_AS_PLANNED');
  expect(lastReason(stage, 2)).toEqual({
    code: 'SUSPENDED_AS_PLANNED',
    message: 'its machines are needed for other leases from now on; the remaining 2633 s run when they fit',
    data: { remainingDuration: 2_633_000 },
  });
});

it('a lease that is planned anew because another one is extended names it', () => {
  // Lease 2 was to begin when lease 1 ends.
  const { scheduler } = new Stage([reservation(0, 10, 4, 100), bestEffort(1, 4, 100)]).to(50);
  scheduler.update(50 * SECOND, 1, { duration: 300 * SECOND });
  const reason = {
    code: 'DISPLACED',
    message: 'it was planned anew to make room for lease 1',
    data: { preemptor: 1 },
  };
  const { events, leases } = scheduler.takeChanges();
  expect(events.map(({ leaseId, from, to, reason: why }) => [leaseId, from, to, why])).toEqual([
    [2, 'READY', 'PENDING', reason],
    [2, 'PENDING', 'SCHEDULED', reason],
    [2, 'SCHEDULED', 'READY', null],
  ]);
  expect(leases.find(({ id }) => id === 2)).toMatchObject({ plannedStart: 310 * SECOND });
});

it('a lease that moves forward reports by how much', () => {
  const stage = new Stage([bestEffort(0, 4, 600, { known: 200 }), bestEffort(1, 4, 100)]).to(200);
  expect(reasonsOf(stage, 2)).toEqual(['200 READY PENDING REPLANNED', '200 PENDING SCHEDULED REPLANNED']);
  expect(lastReason(stage, 2)).toEqual({
    code: 'REPLANNED',
    message: 'it starts 400 s earlier than planned',
    data: { previousStart: 600_000, start: 200_000 },
  });
});

it('a lease whose machines end by themselves reports its unused time', () => {
  const stage = new Stage([bestEffort(0, 4, 600, { known: 200 })]).to(200);
  expect(reasonsOf(stage, 1)).toEqual(['200 ACTIVE DONE ENDED_EARLY']);
  expect(lastReason(stage, 1)).toEqual({
    code: 'ENDED_EARLY',
    message: 'its machines ended 400 s before their planned end',
    data: { unusedDuration: 400_000 },
  });
});
