import type { Instant, Millis } from './records.ts';

export const SECOND: Millis = 1000;
export const HOUR: Millis = 3600 * SECOND;
export const DAY: Millis = 24 * HOUR;

/**
 * 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 and databases can represent. Nothing is planned beyond it.
 */
export const LAST_INSTANT: Instant = 253_402_300_799_999;

/** Seconds computed from a rate, rounded up to whole seconds, in milliseconds. */
export const wholeSeconds = (seconds: number): Millis => Math.ceil(seconds) * SECOND;

/**
 * Transfer time of `sizeMb` over `bandwidth` Mbit/s. Evaluated as size / (bandwidth / 8), since the last bit affects
 * the rounding.
 */
export const transferTime = (sizeMb: number, bandwidth: number): Millis => wholeSeconds(sizeMb / (bandwidth / 8));

/** Later than every instant: the end of an unbounded interval. */
export const FOREVER: Instant = Number.MAX_SAFE_INTEGER;

/** Non-negative integer milliseconds. */
export function isDuration(value: Millis): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

const units: readonly (readonly [name: string, length: Millis])[] = [
  ['d', DAY],
  ['h', HOUR],
  ['m', 60 * SECOND],
];

/** A duration in text form: `1h30m`, `2d`, `0s`, `1.5s`. */
export function formatDuration(duration: Millis): string {
  let rest = duration;
  let text = '';
  for (const [name, length] of units) {
    const count = Math.floor(rest / length);
    if (count > 0) text += `${count}${name}`;
    rest -= count * length;
  }
  return rest > 0 || text === '' ? `${text}${rest / SECOND}s` : text;
}
