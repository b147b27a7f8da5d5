import { describe, expect, it } from 'vitest';
import { isFinal, type LeaseState, leaseTransitions } from '../../../src/core/index.ts';
import { isSuspended } from '../../../src/core/model/lease-states.ts';

const states = Object.keys(leaseTransitions) as LeaseState[];
const FINAL = ['REJECTED', 'REJECTED_BY_USER', 'CANCELLED', 'DONE', 'FAILED'] as const;

/**
 * The scheduler's own transitions. Cancellation and failure are possible in addition, in every state that is not final.
 */
const byItself: Partial<Record<LeaseState, string>> = {
  NEW: 'PENDING',
  PENDING: 'REJECTED REJECTED_BY_USER QUEUED SCHEDULED',
  QUEUED: 'SCHEDULED',
  SCHEDULED: 'READY PREPARING QUEUED PENDING',
  PREPARING: 'READY PENDING QUEUED',
  READY: 'ACTIVE QUEUED PENDING',
  ACTIVE: 'SUSPENDING QUEUED PENDING DONE',
  SUSPENDING: 'SUSPENDED_PENDING QUEUED PENDING',
  SUSPENDED_PENDING: 'SUSPENDED_QUEUED SUSPENDED_SCHEDULED QUEUED PENDING',
  SUSPENDED_QUEUED: 'SUSPENDED_SCHEDULED QUEUED PENDING',
  SUSPENDED_SCHEDULED: 'SUSPENDED_QUEUED SUSPENDED_PENDING RESUMING MIGRATING QUEUED PENDING',
  MIGRATING: 'SUSPENDED_SCHEDULED QUEUED PENDING',
  RESUMING: 'RESUMED_READY QUEUED PENDING',
  RESUMED_READY: 'ACTIVE QUEUED PENDING',
};

describe('the states of a lease', () => {
  it('number nineteen', () => expect(states).toHaveLength(19));

  it('include five final ones', () => {
    expect(states.filter(isFinal).sort()).toEqual([...FINAL].sort());
  });

  it.each(Object.entries(byItself))('%s leads to %s', (from, to) => {
    const disturbances = from === 'NEW' ? [] : ['CANCELLED', 'FAILED'];
    expect([...leaseTransitions[from as LeaseState]].sort()).toEqual([...to.split(' '), ...disturbances].sort());
  });

  it('are all reachable from NEW', () => {
    const reached = new Set<LeaseState>(['NEW']);
    for (const state of reached) for (const next of leaseTransitions[state]) reached.add(next);
    expect([...reached].sort()).toEqual([...states].sort());
  });

  it('include three in which the lease is saved to disk', () => {
    expect(states.filter(isSuspended)).toEqual(['SUSPENDED_PENDING', 'SUSPENDED_QUEUED', 'SUSPENDED_SCHEDULED']);
  });
});
