import type { LeaseState } from './records.ts';

/**
 * All legal transitions, as data. A lease may be cancelled or fail in any state that is not final; the rows list the
 * transitions made by the scheduler. A lease that loses its running or saved machines with their nodes returns to
 * QUEUED or PENDING.
 */
export const leaseTransitions: Readonly<Record<LeaseState, readonly LeaseState[]>> = {
  NEW: ['PENDING'],
  PENDING: ['REJECTED', 'REJECTED_BY_USER', 'QUEUED', 'SCHEDULED', 'CANCELLED', 'FAILED'],
  QUEUED: ['SCHEDULED', 'CANCELLED', 'FAILED'],
  SCHEDULED: ['READY', 'PREPARING', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  PREPARING: ['READY', 'PENDING', 'QUEUED', 'CANCELLED', 'FAILED'],
  READY: ['ACTIVE', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  ACTIVE: ['SUSPENDING', 'QUEUED', 'PENDING', 'DONE', 'CANCELLED', 'FAILED'],
  SUSPENDING: ['SUSPENDED_PENDING', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  SUSPENDED_PENDING: ['SUSPENDED_QUEUED', 'SUSPENDED_SCHEDULED', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  SUSPENDED_QUEUED: ['SUSPENDED_SCHEDULED', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  SUSPENDED_SCHEDULED: [
    'SUSPENDED_QUEUED',
    'SUSPENDED_PENDING',
    'RESUMING',
    'MIGRATING',
    'QUEUED',
    'PENDING',
    'CANCELLED',
    'FAILED',
  ],
  MIGRATING: ['SUSPENDED_SCHEDULED', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  RESUMING: ['RESUMED_READY', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  RESUMED_READY: ['ACTIVE', 'QUEUED', 'PENDING', 'CANCELLED', 'FAILED'],
  REJECTED: [],
  REJECTED_BY_USER: [],
  CANCELLED: [],
  DONE: [],
  FAILED: [],
};

export const isFinal = (state: LeaseState): boolean => leaseTransitions[state].length === 0;

/** Saved to disk: waiting for a plan, or planned to be resumed. */
export const isSuspended = (state: LeaseState): boolean =>
  state === 'SUSPENDED_PENDING' || state === 'SUSPENDED_QUEUED' || state === 'SUSPENDED_SCHEDULED';
