import type { Instant, Millis } from '../model/records.ts';

/** When the repository's one channel is taken, in order of (start, end). */
export interface Slot {
  readonly start: Instant;
  readonly end: Instant;
}

/** The first time from `now` on at which the channel is free for `length` (docs/glossary.md, order and ties). */
export const nextSlot = (taken: readonly Slot[], now: Instant, length: Millis): Instant => {
  const first = taken[0];
  const last = taken.at(-1);
  if (!first || !last || now + length <= first.start) return now;
  for (let i = 1; i < taken.length; i += 1) {
    const gapStart = (taken[i - 1] as Slot).end;
    const gapEnd = (taken[i] as Slot).start;
    if (gapStart !== gapEnd && gapEnd - gapStart >= length) return gapStart;
  }
  return last.end;
};

/**
 * The last time at which a transfer of `length` can start so as to be over by the deadline. May lie in the past: the
 * caller must check.
 */
export const lastSlot = (taken: readonly Slot[], deadline: Instant, length: Millis): Instant => {
  const first = taken[0];
  const last = taken.at(-1);
  if (!first || !last || last.end + length <= deadline) return deadline - length;
  for (let i = taken.length - 1; i > 0; i -= 1) {
    const gapStart = (taken[i - 1] as Slot).end;
    const gapEnd = Math.min((taken[i] as Slot).start, deadline);
    if (gapStart < deadline && gapEnd - gapStart >= length) return gapEnd - length;
  }
  return Math.min(first.start, deadline) - length;
};
