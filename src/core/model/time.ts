import type { Millis } from './records.ts';

export const SECOND: Millis = 1000;
export const HOUR: Millis = 3600 * SECOND;
export const DAY: Millis = 24 * HOUR;

/** Seconds that a rate gave, rounded up to whole ones, in milliseconds. */
export const wholeSeconds = (seconds: number): Millis => Math.ceil(seconds) * SECOND;

/** How long `sizeMb` takes over a channel of `bandwidth` Mbit/s. Evaluated as size / (bandwidth / 8): the last bit decides the rounding. */
export const transferTime = (sizeMb: number, bandwidth: number): Millis =>
  wholeSeconds(sizeMb / (bandwidth / 8));
