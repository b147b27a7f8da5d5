import { SchedulerError } from '../errors.ts';
import type { LeaseRequest } from '../model/records.ts';
import { LAST_INSTANT } from '../model/time.ts';
import { lengthOf, PieceSearch, pieceOf } from '../vm/piece.ts';
import { notSchedulable } from '../vm/plan.ts';
import type { LeaseTypeRules } from './lease-type.ts';

export const cannotBeMet = 'DEADLINE_CANNOT_BE_MET';

/**
 * Runs in one piece as soon as it fits, not before its earliest start, and ends by its deadline. Acceptance is a
 * promise.
 */
export const deadline: LeaseTypeRules = {
  type: 'DEADLINE',
  validate({ start, deadline: by }: LeaseRequest) {
    const refuse = (message: string, field: string) => {
      throw new SchedulerError('INVALID_REQUEST', message, [field]);
    };
    if (by == null || !Number.isSafeInteger(by)) refuse('A lease of type DEADLINE needs a deadline.', 'deadline');
    else if (by > LAST_INSTANT) refuse('The deadline is after the year 9999.', 'deadline');
    if (start != null && !Number.isSafeInteger(start))
      refuse(`The earliest start is ${start}; it must be a whole number of milliseconds.`, 'start');
  },
  whyImpossible({ planning }, lease, now) {
    const piece = pieceOf(lease, now);
    const window = (lease.deadline as number) - piece.notBefore;
    const length = lengthOf(planning, piece);
    if (window >= length) return null;
    return {
      code: cannotBeMet,
      message: `from its earliest start to its deadline there are ${window / 1000} s, and it takes ${length / 1000} s`,
    };
  },
  decidedIn: 'PASS',
  plan(state, lease, now, starts) {
    const by = lease.deadline as number;
    const piece = pieceOf(lease, now);
    const plan = new PieceSearch(state.planning, piece, now, by).soonest(starts);
    if (plan) return plan;
    const first = piece.notBefore;
    const beyondQuota = state.quotas.whyBlocked(lease, first, first + lengthOf(state.planning, piece));
    if (beyondQuota) return { notSchedulable: beyondQuota };
    return notSchedulable(cannotBeMet, 'its machines fit nowhere in one piece before its deadline');
  },
};
