import type { LeaseView } from '../model/lease-view.ts';
import type { Instant } from '../model/records.ts';
import { DAY } from '../model/time.ts';

/** Which leases may be put aside for which. Leases that are not preemptible are never asked about. */
export interface PreemptionPolicy {
  /** Whether the lease may preempt any other at all. */
  preempts(preemptor: LeaseView): boolean;
  /** -1: never; otherwise the higher, the sooner it is preempted. */
  score(preemptor: LeaseView, preemptee: LeaseView, at: Instant): number;
}

export const NEVER = -1;

export const noPreemption: PreemptionPolicy = { preempts: () => false, score: () => NEVER };

/** Beyond this age a lease is left in peace; up to it, the score falls as if it reached 0 at AGING_HORIZON. */
const PEACE_AGE = 7 * DAY;
const AGING_HORIZON = 31 * DAY;

/** Advance reservations preempt best-effort leases, the youngest first. */
export const advanceReservationsPreempt: PreemptionPolicy = {
  preempts: (preemptor) => preemptor.type === 'ADVANCE_RESERVATION',
  score(_preemptor, preemptee, at) {
    if (preemptee.type !== 'BEST_EFFORT' || preemptee.submittedAt <= at - PEACE_AGE) return NEVER;
    return (AGING_HORIZON - (at - preemptee.submittedAt)) / AGING_HORIZON;
  },
};
