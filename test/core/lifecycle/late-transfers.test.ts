import { describe, expect, test } from 'vitest';
import { defaultSchedulerConfig, SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, image, reservation, type Setting, siteOf, WHOLE, withDeadline } from '../../support/story.ts';

/** Every transfer takes 20 s. */
const setting: Setting = {
  site: siteOf([2, WHOLE]),
  config: {
    preparation: 'imagetransfer',
    shutdownTime: 10 * SECOND,
    imageTransfer: { ...defaultSchedulerConfig.imageTransfer, forceTransferTime: 20 * SECOND },
  },
};
const withImage = { image: image('a') };

function transferOf(stage: Stage, lease: number): number {
  const found = [...stage.reservations.values()].find(
    (each) => each.leaseId === lease && each.kind === 'IMAGE_TRANSFER' && each.state === 'ACTIVE',
  );
  if (!found) throw new Error(`lease ${lease} has no transfer that is going on`);
  return found.id;
}

function late(stage: Stage, lease: number, until: number): void {
  const id = transferOf(stage, lease);
  stage.do((scheduler, now) => scheduler.operationLate(now, lease, id, until * SECOND));
}

function finished(stage: Stage, lease: number): void {
  const id = transferOf(stage, lease);
  stage.do((scheduler, now) => scheduler.operationFinished(now, lease, id));
}

describe('an image transfer that takes longer than planned', () => {
  test('delays the start of its lease, which runs for its full time', () => {
    const stage = new Stage([bestEffort(0, 1, 100, withImage)], setting).to(19);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,20) VM[20,120) SHUTDOWN[120,130)');
    late(stage, 1, 50);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,50) VM[50,150) SHUTDOWN[150,160)');
    stage.to(30);
    expect(stage.state(1)).toBe('PREPARING');
    finished(stage, 1);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,30) VM[30,130) SHUTDOWN[130,140)');
    stage.to(31);
    expect(stage.state(1)).toBe('ACTIVE');
    expect(stage.leases.get(1)?.actualStart).toBe(30 * SECOND);
    stage.to(200);
    expect(stage.leases.get(1)?.accumulated).toBe(100 * SECOND);
  });

  test('delays the copies that come after it, as far as they are in its way', () => {
    const stage = new Stage(
      [bestEffort(0, 1, 100, withImage), bestEffort(0, 1, 100, { image: image('b') })],
      setting,
    ).to(19);
    expect(stage.plan(2)).toBe('IMAGE_TRANSFER[20,40) VM[40,140) SHUTDOWN[140,150)');
    late(stage, 1, 25);
    expect(stage.plan(2)).toBe('IMAGE_TRANSFER[25,45) VM[45,145) SHUTDOWN[145,155)');
    stage.to(1_000);
    expect([1, 2].map((lease) => stage.leases.get(lease)?.accumulated)).toEqual([100 * SECOND, 100 * SECOND]);
  });

  test('delays an advance reservation, which ends when it was to end', () => {
    const stage = new Stage([reservation(0, 60, 1, 100, withImage)], setting).to(59);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[40,60) VM[60,150) SHUTDOWN[150,160)');
    late(stage, 1, 90);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[40,90) VM[90,150) SHUTDOWN[150,160)');
    stage.to(70);
    finished(stage, 1);
    stage.to(500);
    expect(stage.leases.get(1)).toMatchObject({
      ...{ state: 'DONE', accumulated: 80 * SECOND, actualStart: 70 * SECOND },
    });
  });

  test('fails an advance reservation that would only start at its end', () => {
    const stage = new Stage([reservation(0, 60, 1, 100, withImage)], setting).to(59);
    late(stage, 1, 150);
    expect(stage.leases.get(1)).toMatchObject({ state: 'FAILED', reason: { code: 'HOSTS_LATE' } });
    expect(stage.plan(1)).toBe('');
    expect(stage.actions.map(({ kind }) => kind)).toEqual(['PREPARE', 'DESTROY']);
  });

  test('has a lease end after its deadline', () => {
    const stage = new Stage([withDeadline(0, undefined, 200, 1, 100, withImage)], setting).to(5);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,20) VM[20,120) SHUTDOWN[120,130)');
    late(stage, 1, 150);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,150) VM[150,250) SHUTDOWN[250,260)');
    stage.to(400);
    expect(stage.leases.get(1)).toMatchObject({ state: 'DONE', endedAt: 260 * SECOND });
  });

  test('has its lease planned anew where it cannot run for its full time any more', () => {
    const stage = new Stage([bestEffort(0, 1, 100, withImage), reservation(1, 135, 2, 100)], setting).to(19);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,20) VM[20,120) SHUTDOWN[120,130)');
    late(stage, 1, 50);
    expect(stage.plan(2)).toBe('VM[135,225) SHUTDOWN[225,235)');
    // What had been copied is removed, and copied anew.
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[19,39) VM[235,335) SHUTDOWN[335,345)');
    stage.to(1_000);
    expect(stage.leases.get(1)?.accumulated).toBe(100 * SECOND);
  });

  test('takes back the delay only if the nodes are free', () => {
    const stage = new Stage([bestEffort(0, 2, 100, withImage), bestEffort(21, 1, 10)], setting).to(19);
    late(stage, 1, 60);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,60) VM[60,160) SHUTDOWN[160,170)');
    stage.to(25);
    // A short lease runs meanwhile.
    expect(stage.plan(2)).toBe('VM[21,31) SHUTDOWN[31,41)');
    finished(stage, 1);
    expect(stage.plan(1)).toBe('IMAGE_TRANSFER[0,25) VM[60,160) SHUTDOWN[160,170)');
    stage.to(1_000);
    expect(stage.state(1)).toBe('DONE');
  });

  test('is the same after a restart', () => {
    const stage = new Stage(
      [bestEffort(0, 1, 100, withImage), bestEffort(0, 1, 100, { image: image('b') })],
      setting,
    ).to(19);
    late(stage, 1, 50);
    expect(stage.under({}).snapshot()).toEqual(stage.scheduler.snapshot());
  });
});
