import { describe, expect, it } from 'vitest';
import {
  type AdmissionPolicy,
  builtInPolicies,
  DAY,
  type HostView,
  type LeaseView,
  type SchedulerError,
} from '../../../src/core/index.ts';
import { choosePolicies } from '../../../src/core/policies/registry.ts';
import { bestEffort, configOf, immediate, reservation, tell } from '../../support/story.ts';

const { greedy } = builtInPolicies.hostSelection;
const { 'ar-preempts-everything': preempting } = builtInPolicies.preemption;

const host = (leases: number, unchangedFor: number) =>
  ({
    leaseCount: (most = Number.POSITIVE_INFINITY) => Math.min(leases, most),
    unchangedFor,
  }) as unknown as HostView;
const lease = (of: Partial<LeaseView>) => of as LeaseView;

describe('greedy host selection', () => {
  const hour = lease({ duration: 3_600_000 });
  const score = (leases: number, unchangedFor: number) => greedy?.score(host(leases, unchangedFor), hour, 0);

  it('is 1 for an empty node on which nothing changes', () => {
    expect(score(0, Number.POSITIVE_INFINITY)).toBe(1);
    expect(score(0, 3_600_000)).toBe(1);
  });

  it('falls by an eighth with each lease on the node, up to four', () => {
    expect([1, 2, 3, 4, 9].map((leases) => score(leases, 3_600_000))).toEqual([0.875, 0.75, 0.625, 0.5, 0.5]);
  });

  it('falls with the share of the lease’s time that follows a change', () => {
    expect(score(0, 1_800_000)).toBe(0.875);
    expect(score(0, 0)).toBe(0.75);
  });
});

describe('preemption by advance reservations', () => {
  const ar = lease({ type: 'ADVANCE_RESERVATION' });
  const score = (submittedAt: number, at: number, type: LeaseView['type'] = 'BEST_EFFORT') =>
    preempting?.score(ar, lease({ type, submittedAt }), at);

  it('applies to advance reservations only, and to best-effort victims only', () => {
    expect(preempting?.preempts(ar)).toBe(true);
    expect(preempting?.preempts(lease({ type: 'IMMEDIATE' }))).toBe(false);
    expect(score(0, 0, 'IMMEDIATE')).toBe(-1);
    expect(score(0, 0, 'ADVANCE_RESERVATION')).toBe(-1);
  });

  it('is less likely for older leases, and impossible after seven days', () => {
    expect(score(0, 0)).toBe(1);
    expect(score(0, DAY)).toBe(30 / 31);
    expect(score(1, 7 * DAY)).toBeCloseTo(24 / 31, 6);
    expect(score(0, 7 * DAY)).toBe(-1);
  });

  it('has two names', () => {
    expect(builtInPolicies.preemption['ar-preempts-be']).toBe(preempting);
  });
});

describe('selecting policies by name', () => {
  const mine: AdmissionPolicy = { admit: () => ({ code: 'NO', message: 'no' }) };

  it('finds a policy of the user, which replaces a built-in one of the same name', () => {
    const told = (admission: string, own: Record<string, AdmissionPolicy>) =>
      tell([bestEffort(0, 1, 60)], { config: { admission }, policies: { admission: own } }).lease(1).state;
    expect(told('mine', { mine })).toBe('REJECTED');
    expect(told('accept-all', { mine })).toBe('DONE');
    expect(told('accept-all', { 'accept-all': mine })).toBe('REJECTED');
  });

  it('does not find unregistered names, including inherited property names', () => {
    for (const admission of ['mine', 'constructor', '__proto__']) {
      expect(() => choosePolicies(configOf({ admission }))).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG', path: ['admission'] }) as SchedulerError,
      );
    }
  });
});

describe('a policy that misbehaves', () => {
  const tellWith = (kind: 'admission' | 'hostSelection' | 'preemption', policy: unknown) =>
    tell([bestEffort(0, 4, 600), reservation(1, 100, 1, 60), immediate(2, 1, 60)], {
      config: { preemption: 'ar-preempts-everything', [kind]: 'odd' },
      policies: { [kind]: { odd: policy } },
    });

  it('fails only the lease in question: admission', () => {
    const story = tellWith('admission', {
      admit({ id }: LeaseView) {
        if (id === 1) throw new Error('no form, no lease');
        return id === 2 ? true : undefined;
      },
    });
    expect(story.path(1)).toBe('0 PENDING, 0 FAILED');
    expect(story.lease(1).reason).toBe('no form, no lease');
    expect(story.lease(2)).toMatchObject({
      state: 'FAILED',
      reason: 'the admission policy answered true, expected null or a reason',
    });
    expect(story.lease(3).state).toBe('DONE');
  });

  it('fails only the lease in question: host selection', () => {
    const story = tellWith('hostSelection', {
      score: (_host: HostView, { id }: LeaseView) => (id === 1 ? 'high' : 1),
    });
    expect(story.lease(1)).toMatchObject({
      state: 'FAILED',
      reason: 'the host selection policy answered high, expected a number',
    });
    expect([2, 3].map((id) => story.lease(id).state)).toEqual(['DONE', 'DONE']);
  });

  it('fails only the lease in question: preemption', () => {
    const story = tellWith('preemption', { preempts: () => true, score: () => Number.NaN });
    expect(story.lease(2)).toMatchObject({
      state: 'FAILED',
      reason: 'the preemption policy answered NaN, expected a number',
    });
    expect(story.timeline(1)).toBe('VM[0,600)');
  });

  it('stops the scheduler if failures must do so, without a trace of the lease', () => {
    expect(() =>
      tell([bestEffort(0, 1, 60)], {
        config: { admission: 'odd', leaseFailureHandling: 'exit-raise' },
        policies: { admission: { odd: { admit: () => 5 as never } } },
      }),
    ).toThrow('lease 1 failed (SCHEDULING_FAULT: the admission policy answered 5, expected null or a reason)');
  });

  it('cannot change the scheduler through its arguments', () => {
    const changed: string[] = [];
    const attempt = (name: string, deed: () => void) => {
      try {
        deed();
        changed.push(name);
      } catch {
        // A policy that only reads.
      }
    };
    const story = tellWith('admission', {
      admit(lease: { id: number; state: string; machines: { CPU: number }[] }, { site, config }: never) {
        attempt('id', () => Object.assign(lease, { id: 5 }));
        attempt('state', () => Object.assign(lease, { state: 'DONE' }));
        attempt('site', () => Object.assign((site as { nodes: object[] }).nodes[0] as object, { number: 9 }));
        attempt('nodes', () => (site as { nodes: object[] }).nodes.pop());
        attempt('config', () => Object.assign(config, { backfilling: 'off' }));
        // A copy, which may be changed without effect.
        for (const machine of lease.machines) machine.CPU = 5000;
        return null;
      },
    });
    expect(changed).toEqual([]);
    expect(story.lease(1).state).toBe('DONE');
  });
});
