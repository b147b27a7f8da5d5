import { describe, expect, it } from 'vitest';
import { Stage } from '../../support/stage.ts';
import { nameOf, type Situation, situations } from '../../support/states.ts';
import { bestEffort, tell } from '../../support/story.ts';

const REASON = { code: 'ACTION_FAILED', message: 'node-1 does not answer' };

const cases = situations.map((situation): [string, Situation] => [nameOf(situation), situation]);

describe('a lease whose action failed', () => {
  it.each(cases)('%s: fails, and only its record is left', (_name, { state, stage, accumulated, told }) => {
    const at = stage();
    expect(at.state(1)).toBe(state);
    at.forget().do((scheduler, now) => scheduler.actionFailed(now, 1, REASON));
    expect(at.leases.get(1)).toMatchObject({
      state: 'FAILED',
      accumulated: accumulated * 1000,
      reason: REASON,
      endedAt: at.now * 1000,
    });
    expect(at.events[0]).toMatchObject({ leaseId: 1, from: state, to: 'FAILED', reason: REASON });
    expect(
      at.actions
        .filter(({ leaseId }) => leaseId === 1)
        .map(({ kind, targets }) => [kind, targets.map(({ node }) => node)]),
    ).toEqual(told.map(([kind, nodes]) => [kind, nodes]));
    const { leases, reservations } = at.scheduler.snapshot();
    expect(leases.map(({ id }) => id)).not.toContain(1);
    expect(reservations.map(({ leaseId }) => leaseId)).not.toContain(1);
  });

  it.each(cases)('%s: stops the scheduler, if that is wanted, and nothing has changed', (_name, { stage }) => {
    const at = stage();
    const strict = at.under({ leaseFailureHandling: 'exit' });
    const before = JSON.stringify(strict.snapshot());
    expect(() => strict.actionFailed(at.now * 1000, 1, REASON)).toThrow(
      expect.objectContaining({
        code: 'LEASE_FAILURE',
        message: 'lease 1 failed (ACTION_FAILED: node-1 does not answer), and lease-failure-handling is exit',
      }) as Error,
    );
    expect(JSON.stringify(strict.snapshot())).toBe(before);
  });

  it('is ignored if it has ended or does not exist', () => {
    const at = new Stage([bestEffort(0, 1, 60)]).to(100).forget();
    at.do((scheduler, now) => scheduler.actionFailed(now, 1, REASON));
    at.do((scheduler, now) => scheduler.actionFailed(now, 99, REASON));
    expect([at.events, at.actions]).toEqual([[], []]);
  });

  it('frees its nodes for waiting leases (R44, R61)', () => {
    const at = new Stage([bestEffort(0, 4, 600), bestEffort(1, 4, 600)]).to(100);
    expect(at.plan(2)).toBe('VM[600,1200) SHUTDOWN[1200,1200)');
    at.do((scheduler, now) => scheduler.actionFailed(now, 1, REASON));
    expect(at.plan(2)).toBe('VM[100,700) SHUTDOWN[700,700)');
  });
});

describe('a lease for which the scheduler throws', () => {
  const policies = {
    hostSelection: {
      picky: {
        score: (_host: unknown, lease: { readonly id: number }) => {
          if (lease.id === 2) throw new Error('division by cucumber');
          return 1;
        },
      },
    },
  };

  it('fails with the reason, and the pass continues', () => {
    const story = tell([bestEffort(0, 1, 600), bestEffort(0, 1, 600), bestEffort(0, 1, 600)], {
      policies,
      config: { hostSelection: 'picky' },
    });
    expect(story.path(2)).toBe('0 PENDING, 0 QUEUED, 0 FAILED');
    expect(story.lease(2).reason).toBe('division by cucumber');
    expect([1, 3].map((id) => story.timeline(id))).toEqual(['VM[0,600)', 'VM[0,600)']);
  });

  it('stops the scheduler if failures must do so', () => {
    expect(() =>
      tell([bestEffort(0, 1, 600), bestEffort(0, 1, 600)], {
        policies,
        config: { hostSelection: 'picky', leaseFailureHandling: 'exit' },
      }),
    ).toThrow('lease 2 failed (SCHEDULING_FAULT: division by cucumber), and lease-failure-handling is exit');
  });
});
