/**
 * Loaded into a server by `node --import`: its wall clock goes on at its usual pace, but not beyond the instant that a
 * file names. Once the file is there, a test decides when the clock goes on, and to where. What happens at the instant
 * at which the clock stands still happens exactly at that instant, however long the machine takes for it.
 */
import { readFileSync } from 'node:fs';

const file = process.env.HELD_CLOCK ?? '';
const real = Date.now.bind(Date);
/** How long what was read from the file holds (ms). */
const freshness = 2;
let readAt = Number.NEGATIVE_INFINITY;
/** At the real instant `since` the clock stood at `from`; it goes on up to `until`. */
let state = { from: 0, since: 0, until: Number.POSITIVE_INFINITY };

Date.now = () => {
  const now = real();
  if (now - readAt >= freshness || now < readAt) {
    try {
      state = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      // No file yet: the clock is free.
    }
    readAt = now;
  }
  return Math.min(state.until, state.from + now - state.since);
};
