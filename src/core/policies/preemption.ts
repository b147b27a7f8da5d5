import type { LeaseView } from '../model/lease-view.ts';
import type { Instant, Millis } from '../model/records.ts';
import { DAY } from '../model/time.ts';

/** Preemption policy: which leases may preempt which. Leases that are not preemptible are never passed to a policy. */
export interface PreemptionPolicy {
  /** Whether the lease may preempt any other at all. */
  preempts(preemptor: LeaseView): boolean;
  /** -1 means never; otherwise a higher score is preempted first. */
  score(preemptor: LeaseView, preemptee: LeaseView, at: Instant): number;
}

export const NEVER = -1;

export const noPreemption: PreemptionPolicy = { preempts: () => false, score: () => NEVER };

/** The age at which the score would reach 0; it decreases until the lease is old enough to be spared. */
const AGING_HORIZON = 31 * DAY;

/**
 * Advance reservations and leases with a deadline preempt best-effort leases, the youngest first. A lease submitted at
 * least `peace` ago is spared; null means age does not matter.
 */
export function advanceReservationsPreempt(peace: Millis | null): PreemptionPolicy {
  return {
    preempts: ({ type }) => type === 'ADVANCE_RESERVATION' || type === 'DEADLINE',
    score(_preemptor, { type, submittedAt }, at) {
      if (type !== 'BEST_EFFORT' || (peace !== null && submittedAt <= at - peace)) return NEVER;
      // Preemptible at every age, since there is no peace.
      return Math.max(0, (AGING_HORIZON - (at - submittedAt)) / AGING_HORIZON);
    },
  };
}
