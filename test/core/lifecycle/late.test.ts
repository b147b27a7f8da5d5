import { describe, expect, test } from 'vitest';
import { type ReservationKind, SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, FOUR_NODES, reservation, type Setting, siteOf, WHOLE } from '../../support/story.ts';

const oneNode: Setting = { site: siteOf([1, WHOLE]), config: { shutdownTime: 10 * SECOND } };

/** The active reservation of the given kind of a lease. */
function activeOf(stage: Stage, lease: number, kind: ReservationKind): number {
  const found = [...stage.reservations.values()].find(
    (each) => each.leaseId === lease && each.kind === kind && each.state === 'ACTIVE',
  );
  if (!found) throw new Error(`lease ${lease} has no ${kind} that is going on`);
  return found.id;
}

function late(stage: Stage, lease: number, kind: ReservationKind, until: number): void {
  const id = activeOf(stage, lease, kind);
  stage.do((scheduler, now) => scheduler.operationLate(now, lease, id, until * SECOND));
}

describe('an operation that takes longer than planned', () => {
  test('keeps its node, and the lease planned there starts when it ends', () => {
    const stage = new Stage([bestEffort(0, 1, 100), bestEffort(0, 1, 100)], oneNode).to(109);
    expect([stage.plan(1), stage.plan(2)]).toEqual(['SHUTDOWN[100,110)', 'VM[110,210) SHUTDOWN[210,220)']);
    late(stage, 1, 'SHUTDOWN', 130);
    expect([stage.plan(1), stage.plan(2)]).toEqual(['SHUTDOWN[100,130)', 'VM[130,230) SHUTDOWN[230,240)']);
    stage.to(120);
    expect(stage.state(1)).toBe('ACTIVE');
    const id = activeOf(stage, 1, 'SHUTDOWN');
    stage.do((scheduler, now) => scheduler.operationFinished(now, 1, id)).to(121);
    expect([stage.state(1), stage.state(2)]).toEqual(['DONE', 'ACTIVE']);
    expect(stage.plan(2)).toBe('VM[120,220) SHUTDOWN[220,230)');
  });

  test('moves the lease planned there to a node that is free earlier', () => {
    const stage = new Stage([bestEffort(0, 1, 100), bestEffort(0, 1, 104), bestEffort(0, 1, 100)], {
      ...oneNode,
      site: siteOf([2, WHOLE]),
    }).to(109);
    expect(stage.plan(3)).toBe('VM[110,210) SHUTDOWN[210,220)');
    late(stage, 1, 'SHUTDOWN', 130);
    expect(stage.plan(3)).toBe('VM[114,214) SHUTDOWN[214,224)');
    expect(stage.leases.get(3)?.mapping).toEqual(stage.leases.get(2)?.mapping);
  });

  test('does not change plans that fit beside it', () => {
    const half = { CPU: 50, Memory: 512 };
    const stage = new Stage(
      [bestEffort(0, 1, 100, { each: half }), bestEffort(0, 1, 300, { each: half }), bestEffort(0, 1, 50)],
      { ...oneNode, config: { ...oneNode.config, backfilling: 'conservative' } },
    ).to(109);
    const before = stage.plan(3);
    late(stage, 1, 'SHUTDOWN', 130);
    expect(stage.plan(3)).toBe(before);
  });

  test('delays an advance reservation that fits nowhere else, and keeps its planned end', () => {
    const stage = new Stage([bestEffort(0, 1, 100), reservation(0, 110, 1, 100)], oneNode).to(109);
    late(stage, 1, 'SHUTDOWN', 130);
    expect(stage.plan(2)).toBe('VM[130,200) SHUTDOWN[200,210)');
    stage.to(400);
    expect([stage.state(1), stage.state(2)]).toEqual(['DONE', 'DONE']);
    expect(stage.leases.get(2)?.accumulated).toBe(70 * SECOND);
  });

  test('moves the rest of its chain', () => {
    // Two machines on one node are saved one after the other.
    const each = { CPU: 50, Memory: 320 };
    const stage = new Stage([bestEffort(0, 2, 500, { each }), reservation(10, 100, 1, 50)], {
      site: siteOf([1, WHOLE]),
      config: { suspension: 'all', preemption: 'ar-preempts-everything', migration: 'no' },
    }).to(85);
    expect(stage.plan(1)).toBe('SUSPENSION[80,90) SUSPENSION[90,100)');
    late(stage, 1, 'SUSPENSION', 95);
    expect(stage.plan(1)).toBe('SUSPENSION[80,95) SUSPENSION[95,105)');
    expect(stage.plan(2)).toBe('VM[105,150) SHUTDOWN[150,150)');
    stage.to(1_000);
    expect([stage.state(1), stage.state(2)]).toEqual(['DONE', 'DONE']);
    expect(stage.leases.get(1)?.accumulated).toBe(500 * SECOND);
  });

  test('keeps the full running time of a lease that is resumed late', () => {
    const stage = new Stage([bestEffort(0, 4, 500), reservation(10, 300, 4, 50)], {
      site: FOUR_NODES,
      config: { suspension: 'all', preemption: 'ar-preempts-everything' },
    }).to(360);
    // It had run for 268 s.
    expect(stage.plan(1)).toBe('RESUMPTION[350,382) VM[382,614) SHUTDOWN[614,614)');
    late(stage, 1, 'RESUMPTION', 390);
    expect(stage.plan(1)).toBe('RESUMPTION[350,390) VM[390,622) SHUTDOWN[622,622)');
  });
});

describe('machines that start later than planned', () => {
  const started = (stage: Stage, lease: number) =>
    stage.do((scheduler, now) => scheduler.machinesStarted(now, lease, now));

  test('run for their full time and delay what was planned after them', () => {
    const stage = new Stage([bestEffort(0, 1, 100), bestEffort(0, 1, 100)], oneNode).to(7);
    started(stage, 1);
    expect(stage.plan(1)).toBe('VM[7,107) SHUTDOWN[107,117)');
    expect(stage.plan(2)).toBe('VM[117,217) SHUTDOWN[217,227)');
    expect(stage.leases.get(1)?.actualStart).toBe(7 * SECOND);
    stage.to(300);
    expect(stage.leases.get(1)?.accumulated).toBe(100 * SECOND);
  });

  test('keep their planned end in an advance reservation', () => {
    const stage = new Stage([reservation(0, 10, 1, 100)], oneNode).to(17);
    started(stage, 1);
    expect(stage.plan(1)).toBe('VM[17,100) SHUTDOWN[100,110)');
    stage.to(300);
    expect(stage.leases.get(1)?.accumulated).toBe(83 * SECOND);
  });

  test('run for as long as their nodes are free before a reservation', () => {
    const stage = new Stage([bestEffort(0, 1, 100), reservation(0, 113, 1, 100)], oneNode).to(7);
    started(stage, 1);
    expect(stage.plan(1)).toBe('VM[7,103) SHUTDOWN[103,113)');
    expect(stage.plan(2)).toBe('VM[113,203) SHUTDOWN[203,213)');
  });

  test('run for their full time even if they start after their planned end', () => {
    const stage = new Stage([bestEffort(0, 1, 100), bestEffort(0, 1, 100)], oneNode).to(99);
    stage.do((scheduler, now) => scheduler.machinesStarted(now, 1, 500 * SECOND));
    // The node is held from its old end on.
    expect(stage.plan(1)).toBe('VM[100,600) SHUTDOWN[600,610)');
    expect(stage.plan(2)).toBe('VM[610,710) SHUTDOWN[710,720)');
    stage.to(501);
    stage.do((scheduler, now) => scheduler.machinesStarted(now, 1, 500 * SECOND));
    expect(stage.plan(1)).toBe('VM[500,600) SHUTDOWN[600,610)');
    const exact = new Stage([reservation(0, 10, 1, 100)], oneNode).to(99);
    exact.do((scheduler, now) => scheduler.machinesStarted(now, 1, 500 * SECOND));
    expect(exact.plan(1)).toBe('VM[100,100) SHUTDOWN[100,110)');
  });

  test('change nothing if their lease no longer runs', () => {
    const stage = new Stage([bestEffort(0, 1, 100)], oneNode).to(104);
    const before = stage.plan(1);
    started(stage, 1);
    started(stage, 99);
    expect(stage.plan(1)).toBe(before);
  });
});

test('an operation is found by its number only while it is active', () => {
  const stage = new Stage([bestEffort(0, 1, 100)], oneNode).to(104);
  const id = activeOf(stage, 1, 'SHUTDOWN');
  expect(stage.scheduler.operationEnd(1, id)).toBe(110 * SECOND);
  expect(stage.scheduler.operationEnd(1, id + 1)).toBeNull();
  expect(stage.scheduler.operationEnd(2, id)).toBeNull();
  stage.to(111);
  expect(stage.scheduler.operationEnd(1, id)).toBeNull();
});
