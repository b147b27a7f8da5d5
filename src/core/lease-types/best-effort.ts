import { planSoonest } from '../vm/soonest.ts';
import { expectNoStart, type LeaseTypeRules } from './lease-type.ts';

/** Starts as soon as it fits and waits in the queue until then. */
export const bestEffort: LeaseTypeRules = {
  type: 'BEST_EFFORT',
  validate: expectNoStart,
  whyImpossible: () => null,
  decidedIn: 'QUEUE',
  plan: (state, lease, now, starts) =>
    planSoonest(state.planning, lease, now, { whole: false, future: state.mayPlanFuture, starts }),
};
