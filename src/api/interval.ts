import type { Instant } from '../core/index.ts';
import { badInput } from './client-error.ts';
import { printInstant } from './scalars.ts';

/** An interval [from, to); null is without bound. */
export interface Interval {
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** Throws BAD_USER_INPUT for one that is empty. */
export function intervalOf(from: Instant | null | undefined, to: Instant | null | undefined): Interval {
  if (typeof from === 'number' && typeof to === 'number' && from >= to) {
    throw badInput(
      `The interval from ${printInstant(from)} to ${printInstant(to)} is empty: its end must come after its start.`,
    );
  }
  return { from: from ?? null, to: to ?? null };
}
