import { describe, expect, it } from 'vitest';
import { lastSlot, nextSlot, type Slot } from '../../../src/core/preparation/transfer-slots.ts';

const taken = (...slots: readonly (readonly [number, number])[]): Slot[] =>
  slots.map(([start, end]) => ({ start, end }));

describe('the next free slot of the channel', () => {
  it.each([
    ['is now while nothing is taken', taken(), 100, 10, 100],
    ['is now if it is over before the first begins', taken([110, 150]), 100, 10, 100],
    ['is not now if it would run into the first', taken([109, 150]), 100, 10, 150],
    ['is the first gap that is long enough', taken([0, 20], [25, 40], [60, 80]), 5, 20, 40],
    ['is a gap that is exactly long enough', taken([0, 20], [30, 40]), 5, 10, 20],
    ['is after the last if no gap will do', taken([0, 20], [25, 40]), 5, 10, 40],
    ['is never between two that touch, even for no time at all', taken([0, 20], [20, 40]), 5, 0, 40],
  ])('%s', (_what, slots, now, length, expected) => {
    expect(nextSlot(slots, now, length)).toBe(expected);
  });
});

describe('the last free slot before a deadline', () => {
  it.each([
    ['ends at the deadline while nothing is taken', taken(), 100, 10, 90],
    ['ends at the deadline if the last is over in time', taken([50, 90]), 100, 10, 90],
    ['lies in the latest gap that is long enough', taken([0, 10], [40, 50], [80, 120]), 100, 10, 70],
    ['is cut off by the deadline within a gap', taken([0, 10], [120, 130]), 100, 10, 90],
    ['skips gaps that begin at the deadline or later', taken([0, 10], [60, 100], [150, 160]), 100, 20, 40],
    ['skips a gap that begins at the deadline, even for no time at all', taken([0, 100], [150, 160]), 100, 0, 0],
    ['skips gaps that are too short', taken([0, 10], [60, 95], [98, 160]), 100, 20, 40],
    ['is before the first if no gap will do', taken([50, 70], [75, 130]), 100, 20, 30],
    ['is before the first even where the deadline is earlier still (R66)', taken([150, 170]), 100, 20, 80],
    ['may lie in the past, which the caller must see', taken([5, 200]), 100, 20, -15],
  ])('%s', (_what, slots, deadline, length, expected) => {
    expect(lastSlot(slots, deadline, length)).toBe(expected);
  });
});
