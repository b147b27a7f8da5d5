import type { LeaseView } from '../model/lease-view.ts';
import type { Instant, Millis } from '../model/records.ts';
import { DAY } from '../model/time.ts';

/** Which leases may be preempted for which. Leases that are not preemptible are never passed to a policy. */
export interface PreemptionPolicy {
  /** Whether the lease may preempt any other at all. */
  preempts(preemptor: LeaseView): boolean;
  /** -1: never; otherwise the higher, the sooner it is preempted. */
  score(preemptor: LeaseView, preemptee: LeaseView, at: Instant): number;
}

export const NEVER = -1;

export const noPreemption: PreemptionPolicy = { preempts: () => false, score: () => NEVER };

/** Up to the age at which a lease is left in peace, the score falls as if it reached 0 here. */
const AGING_HORIZON = 31 * DAY;

/**
 * Advance reservations, and leases with a deadline, preempt best-effort leases, the youngest first. A lease that was
 * submitted `peace` ago is left alone; null: age does not matter.
 */
export function advanceReservationsPreempt(peace: Millis | null): PreemptionPolicy {
  return {
    preempts: ({ type }) => type === 'ADVANCE_RESERVATION' || type === 'DEADLINE',
    score(_preemptor, { type, submittedAt }, at) {
      if (type !== 'BEST_EFFORT' || (peace !== null && submittedAt <= at - peace)) return NEVER;
      // However old it is, it can be preempted: only then is there no peace.
      return Math.max(0, (AGING_HORIZON - (at - submittedAt)) / AGING_HORIZON);
    },
  };
}
