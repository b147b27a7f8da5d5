import { SchedulerError } from '../errors.ts';
import { LAST_INSTANT } from '../model/time.ts';
import { planExactly, shorterThanShutdown } from '../vm/exact.ts';
import { planSoonest } from '../vm/soonest.ts';
import { expectNoDeadline, type LeaseTypeRules } from './lease-type.ts';

/**
 * Runs exactly from its requested start or is rejected. If a policy had it suspended, it continues as soon as it fits.
 */
export const advanceReservation: LeaseTypeRules = {
  type: 'ADVANCE_RESERVATION',
  validate(request) {
    const { start, duration } = request;
    expectNoDeadline(request);
    const refuse = (message: string) => {
      throw new SchedulerError('INVALID_REQUEST', message, ['start']);
    };
    if (start == null || !Number.isSafeInteger(start)) refuse('An advance reservation needs a start.');
    else if (start + duration > LAST_INSTANT) refuse('The lease would end after the year 9999.');
  },
  whyImpossible: ({ planning }, lease) => shorterThanShutdown(planning, lease),
  decidedIn: 'PASS',
  plan: (state, lease, now, starts) =>
    lease.isSuspended
      ? planSoonest(state.planning, lease, now, { whole: false, future: state.mayPlanFuture, starts })
      : planExactly(state.planning, lease, now),
};
