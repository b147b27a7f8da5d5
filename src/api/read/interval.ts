import type { Instant } from '../../core/index.ts';
import { badInput } from '../errors.ts';
import { printInstant } from '../values.ts';

/** An interval [from, to); null is unbounded. */
export interface Interval {
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** Throws BAD_USER_INPUT for an empty interval. */
export function intervalOf(from: Instant | null | undefined, to: Instant | null | undefined): Interval {
  if (typeof from === 'number' && typeof to === 'number' && from >= to) {
    throw badInput(
      `The interval from ${printInstant(from)} to ${printInstant(to)} is empty: its end must be after its start.`,
    );
  }
  return { from: from ?? null, to: to ?? null };
}
