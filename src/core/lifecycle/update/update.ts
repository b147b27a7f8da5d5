import { SchedulerError } from '../../errors.ts';
import type { Lease } from '../../model/lease.ts';
import type { Instant, LeaseUpdate } from '../../model/records.ts';
import { formatDuration } from '../../model/time.ts';
import { quotaExceeded } from '../../policies/quotas.ts';
import type { SchedulerState } from '../../state.ts';
import { updatePlanned } from './planned.ts';
import { updateRunning, updateSuspended } from './running.ts';
import { hasStarted, newTerms, ranSoFar, type Terms, termsOf, tooShort } from './terms.ts';
import { updateWithDeadline } from './with-deadline.ts';

/**
 * Updates the terms of a lease, all or none (L1 to L8). Throws LEASE_NOT_FOUND, LEASE_ENDED, LEASE_STARTED,
 * INVALID_REQUEST, TOO_SHORT, NOT_SCHEDULABLE, DEADLINE_CANNOT_BE_MET or EXTENSION_BLOCKED; nothing has changed then.
 */
export function updateLease(state: SchedulerState, id: number, update: LeaseUpdate, now: Instant): Lease {
  const lease = state.live(id);
  const terms = newTerms(lease, update);
  const allowed = terms && withinQuotas(state, lease, terms, update);
  const traits = newTraits(lease, update);
  if (!allowed && !traits) return lease;
  const before = termsOf(lease);
  state.journal.attempt(() => {
    state.touch(lease);
    Object.assign(lease, traits);
    state.log.lease(lease);
    if (!allowed) return true;
    Object.assign(lease, allowed);
    // A shorter lease may fit where a longer one did not.
    lease.freedSeal = -1;
    if (!hasStarted(lease)) {
      updatePlanned(state, lease, now);
      return true;
    }
    if (lease.duration < before.duration && lease.duration <= ranSoFar(lease, now)) throw tooShort(lease);
    if (lease.type === 'DEADLINE') updateWithDeadline(state, lease, before, update, now);
    else if (lease.vm && !isWaiting(lease)) updateRunning(state, lease, lease.vm, before, update, now);
    else updateSuspended(state, lease, now);
    return true;
  });
  return lease;
}

/** Terms that change without replanning; null if none of them change. */
function newTraits(lease: Lease, update: LeaseUpdate): Pick<Lease, 'endNotice' | 'name' | 'preemptible'> | null {
  const { endNotice = lease.endNotice, name = lease.name, preemptible = lease.preemptible } = update;
  const isSame = endNotice === lease.endNotice && name === lease.name && preemptible === lease.preemptible;
  return isSame ? null : { endNotice, name, preemptible };
}

/**
 * The terms limited to the duration that the project's quotas allow; null when nothing is left. Throws QUOTA_EXCEEDED.
 */
function withinQuotas(
  { quotas }: SchedulerState,
  lease: Lease,
  terms: Terms,
  { asFarAsPossible }: LeaseUpdate,
): Terms | null {
  const maxDuration = Math.max(lease.duration, quotas.maxDurationOf(lease));
  if (terms.duration <= maxDuration) return terms;
  if (!asFarAsPossible) {
    throw new SchedulerError(
      quotaExceeded,
      `The quota of its project allows lease ${lease.id} to last ${formatDuration(maxDuration)}, not ${formatDuration(terms.duration)}.`,
      ['duration'],
      { maxDuration },
    );
  }
  const isSame =
    maxDuration === lease.duration &&
    terms.requestedStart === lease.requestedStart &&
    terms.deadline === lease.deadline;
  return isSame ? null : { ...terms, duration: maxDuration };
}

/** It is suspended, and its resumption has not begun. */
function isWaiting({ isSuspended, isBeingBroughtBack }: Lease): boolean {
  return isSuspended && !isBeingBroughtBack;
}
