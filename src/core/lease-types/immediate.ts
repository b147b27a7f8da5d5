import { planSoonest } from '../vm/soonest.ts';
import { expectNoStart, type LeaseTypeRules } from './lease-type.ts';

/** Starts at once, or as soon as its image can be transferred; otherwise it is rejected (R16). */
export const immediate: LeaseTypeRules = {
  type: 'IMMEDIATE',
  validate: expectNoStart,
  whyImpossible: () => null,
  decidedIn: 'PASS',
  plan(state, lease, now, starts) {
    const future = lease.isSuspended && state.mayPlanFuture;
    return planSoonest(state.planning, lease, now, { whole: true, future, starts });
  },
};
