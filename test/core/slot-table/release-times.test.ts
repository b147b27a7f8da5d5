import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReleaseTimes } from '../../../src/core/slot-table/release-times.ts';

describe('release times', () => {
  it('are distinct: a time that was added twice stays until it is removed twice', () => {
    const times = new ReleaseTimes();
    for (const time of [30, 10, 10]) times.add(time);
    expect(times.next(0)).toBe(10);
    times.remove(10);
    expect(times.next(0)).toBe(10);
    times.remove(10);
    expect(times.next(0)).toBe(30);
    expect(times.next(30)).toBeNull();
  });

  it('match a model that is a multiset of numbers', () => {
    const deed = fc.record({ time: fc.integer({ min: 0, max: 12 }), add: fc.boolean() });
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 60, size: 'max' }), fc.integer({ min: -1, max: 13 }), (deeds, after) => {
        const times = new ReleaseTimes();
        const bag: number[] = [];
        for (const { time, add } of deeds) {
          if (add) {
            times.add(time);
            bag.push(time);
          } else {
            times.remove(time);
            const at = bag.indexOf(time);
            if (at >= 0) bag.splice(at, 1);
          }
        }
        const later = bag.filter((time) => time > after);
        expect(times.next(after)).toBe(later.length > 0 ? Math.min(...later) : null);
      }),
    );
  });
});
