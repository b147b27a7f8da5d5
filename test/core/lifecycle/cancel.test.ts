import { describe, expect, it } from 'vitest';
import type { Stage } from '../../support/stage.ts';
import { nameOf, type Situation, situations } from '../../support/states.ts';
import { bestEffort, reservation, tell } from '../../support/story.ts';

/** Only the record of lease 1 is left. */
const expectGone = (stage: Stage): void => {
  const { leases, reservations, site } = stage.scheduler.snapshot();
  expect(leases.map(({ id }) => id)).not.toContain(1);
  expect(reservations.map(({ leaseId }) => leaseId)).not.toContain(1);
  const waiting = reservations.flatMap((each) => Object.values(each.waiting ?? {}).flat());
  expect(waiting.map(([lease]) => lease)).not.toContain(1);
  expect(site.cachedImages.flatMap(({ users }) => users.map(([lease]) => lease))).not.toContain(1);
  expect(stage.leases.get(1)).toMatchObject({
    plannedStart: null,
    queueRank: null,
    isFuture: false,
    memoryAt: {},
    diskAt: {},
    endedAt: stage.now * 1000,
  });
  for (const each of stage.reservations.values()) {
    if (each.leaseId === 1) expect(['DONE', 'CANCELLED']).toContain(each.state);
    if (each.leaseId === 1) expect(each.end).toBeLessThanOrEqual(stage.now * 1000);
  }
};

const cases = situations.map((situation): [string, Situation] => [nameOf(situation), situation]);

describe('a lease that its user cancels (R61)', () => {
  it.each(cases)('%s: is CANCELLED, and nothing of it is left', (_name, { state, stage, accumulated, told }) => {
    const at = stage();
    expect(at.state(1)).toBe(state);
    at.forget().do((scheduler, now) => scheduler.cancel(now, 1, { code: 'BY_USER', message: 'not needed' }));
    expect(at.leases.get(1)).toMatchObject({
      state: 'CANCELLED',
      accumulated: accumulated * 1000,
      reason: { code: 'BY_USER', message: 'not needed' },
    });
    expect(at.events[0]).toMatchObject({ leaseId: 1, from: state, to: 'CANCELLED' });
    expect(
      at.actions
        .filter(({ leaseId }) => leaseId === 1)
        .map(({ kind, targets, deadline }) => [kind, targets.map(({ node }) => node), deadline]),
    ).toEqual(told.map(([kind, nodes]) => [kind, nodes, null]));
    expectGone(at);
    expect(() => at.scheduler.cancel(at.now * 1000, 1)).toThrow(
      expect.objectContaining({ code: 'LEASE_ENDED', message: 'Lease 1 has ended.' }) as Error,
    );
  });

  it.each(cases)('%s: the other leases continue', (_name, { stage }) => {
    const at = stage()
      .do((scheduler, now) => scheduler.cancel(now, 1))
      .to(100_000);
    for (const lease of at.leases.values())
      if (lease.id !== 1) expect([lease.id, lease.state]).toEqual([lease.id, 'DONE']);
    expect(at.scheduler.snapshot().reservations).toEqual([]);
  });

  it('frees its nodes at once for waiting leases', () => {
    const story = tell([bestEffort(0, 4, 600), bestEffort(1, 4, 600), bestEffort(2, 4, 600)], {
      config: { backfilling: 'conservative' },
      cancel: [[100, 1]],
    });
    expect(story.timeline(1)).toBe('VM[0,100)');
    expect([2, 3].map((id) => story.timeline(id))).toEqual(['VM[100,700)', 'VM[700,1300)']);
  });

  it('is handled one by one in file order when several are cancelled at one instant', () => {
    const story = tell([bestEffort(0, 4, 600), bestEffort(1, 4, 600), bestEffort(2, 4, 600)], {
      config: { backfilling: 'conservative' },
      cancel: [
        [100, 1],
        [100, 2],
      ],
    });
    // Lease 2 moves forward to lease 1's nodes and is then cancelled as well.
    expect(story.path(2)).toBe(
      '1 PENDING, 1 QUEUED, 1 SCHEDULED, 1 READY, 100 PENDING, 100 SCHEDULED, 100 READY, 100 CANCELLED',
    );
    expect(story.timeline(3)).toBe('VM[100,700)');
  });

  it('is ignored if the lease does not exist or is requested at the same instant', () => {
    const story = tell([bestEffort(100, 1, 600)], {
      cancel: [
        [50, 1],
        [100, 1],
        [300, 7],
        [900, 1],
      ],
    });
    expect(story.lease(1)).toMatchObject({ state: 'DONE', end: 700 });
    // The clock advances to the next cancellation, and the run ends (R30).
    expect(story.result.summary.end).toBe(900);
  });

  it('releases a future reservation as well', () => {
    const story = tell([reservation(0, 1000, 4, 600), bestEffort(10, 4, 2000)], { cancel: [[500, 1]] });
    expect(story.path(1)).toBe('0 PENDING, 0 SCHEDULED, 0 READY, 500 CANCELLED');
    expect(story.timeline(2)).toBe('VM[500,2500)');
  });
});
