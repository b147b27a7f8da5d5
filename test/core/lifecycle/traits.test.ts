import { expect, it } from 'vitest';
import { SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, machines, reservation } from '../../support/story.ts';

const config = { preemption: 'ar-preempts-everything', suspension: 'all' } as const;

it('lets reservations take the place of a lease once it is preemptible', () => {
  const stage = new Stage([bestEffort(0, 4, 3600, { preemptible: false })], { config }).to(10);
  const asked = {
    ...{ type: 'ADVANCE_RESERVATION' as const, machines: machines(1), preemptible: false },
    ...{ start: 1000 * SECOND, duration: 300 * SECOND },
  };
  expect(stage.scheduler.dryRun(10 * SECOND, asked).accepted).toBe(false);
  stage.do((scheduler, now) => scheduler.update(now, 1, { preemptible: true }));
  expect(stage.scheduler.dryRun(10 * SECOND, asked)).toMatchObject({ accepted: true, displaces: [1] });
  expect(stage.scheduler.lease(1)).toMatchObject({ preemptible: true, state: 'ACTIVE' });
});

it('names a lease anew, also in a snapshot, and leaves its plan as it is', () => {
  const stage = new Stage([reservation(0, 100, 1, 500)]).to(10);
  const plan = stage.plan(1);
  stage.forget().do((scheduler, now) => scheduler.update(now, 1, { name: 'nightly' }));
  expect(stage.under({}).lease(1)?.name).toBe('nightly');
  expect([stage.plan(1), stage.events]).toEqual([plan, []]);
  stage.do((scheduler, now) => scheduler.update(now, 1, { name: null }));
  expect(stage.leases.get(1)?.name).toBeNull();
});

it('keeps the name of a lease whose other terms cannot change', () => {
  const stage = new Stage([reservation(0, 100, 4, 500), reservation(0, 1000, 4, 500)]).to(10);
  const before = stage.scheduler.lease(2);
  expect(() =>
    stage.scheduler.update(10 * SECOND, 2, { name: 'sooner', preemptible: true, start: 200 * SECOND }),
  ).toThrow(expect.objectContaining({ code: 'NOT_SCHEDULABLE' }));
  expect(stage.scheduler.lease(2)).toEqual(before);
});
