import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SiteProfile } from '../../../src/core/slot-table/site-profile.ts';

const CAPACITY = [400, 4096];

interface Claim {
  readonly start: number;
  readonly end: number;
  readonly amounts: readonly [number, number];
}

const claim: fc.Arbitrary<Claim> = fc
  .record({
    start: fc.integer({ min: 0, max: 150 }),
    length: fc.integer({ min: 0, max: 60 }),
    amounts: fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 300 })),
  })
  .map(({ start, length, amounts }) => ({ start, end: start + length, amounts }));

/** Free capacity at a time, counted claim by claim. */
const freeAt = (claims: readonly Claim[], time: number): number[] =>
  CAPACITY.map((capacity, type) =>
    claims.reduce(
      (free, { start, end, amounts }) => (start <= time && time < end ? free - (amounts[type] as number) : free),
      capacity,
    ),
  );

describe('the free capacity of the whole site over time', () => {
  it("equals the site's capacity while nothing is reserved", () => {
    const profile = new SiteProfile(2, CAPACITY);
    expect([profile.at(-1e15, 0), profile.at(0, 1)]).toEqual([400, 4096]);
    expect(profile.firstBelow(0, 100, [400, 4096])).toBe(100);
    expect(profile.firstBelow(0, 100, [401, 0])).toBe(0);
    expect(profile.firstEnough(0, 100, [401, 0])).toBe(100);
    expect(profile.points).toBe(1);
  });

  it('falls where a reservation starts and rises where it ends', () => {
    const profile = new SiteProfile(2, CAPACITY);
    profile.add(10, 20, [100, 1024], -1);
    expect([9, 10, 19, 20].map((time) => profile.at(time, 0))).toEqual([400, 300, 300, 400]);
    expect(profile.firstBelow(0, 1000, [301, 0])).toBe(10);
    expect(profile.firstBelow(15, 1000, [301, 0])).toBe(15);
    expect(profile.firstEnough(10, 1000, [400, 0])).toBe(20);
    expect([9, 10, 11].map((reach) => profile.firstLasting(0, reach, 1000, [400, 0]))).toEqual([0, 0, 20]);
    expect(profile.firstLasting(12, 5, 18, [400, 0])).toBe(18);
    expect(profile.firstLasting(30, 5, 18, [400, 0])).toBe(30);
  });

  it('has no points without a change', () => {
    const profile = new SiteProfile(2, CAPACITY);
    profile.add(10, 20, [100, 0], -1);
    profile.add(20, 30, [100, 0], -1);
    expect(profile.points).toBe(3);
    profile.add(20, 30, [100, 0], 1);
    profile.add(10, 20, [100, 0], 1);
    expect(profile.points).toBe(1);
  });

  it('matches a model that lists the claims, over many chunks and with the past forgotten', () => {
    const time = fc.integer({ min: 0, max: 230 });
    fc.assert(
      fc.property(
        fc.array(claim, { minLength: 1, maxLength: 250, size: 'max' }),
        fc.array(fc.boolean(), { minLength: 250, maxLength: 250 }),
        time,
        fc.array(fc.tuple(time, time, fc.tuple(fc.integer({ min: 0, max: 420 }), fc.nat({ max: 4200 }))), {
          minLength: 20,
          maxLength: 20,
        }),
        (claims, kept, past, questions) => {
          const profile = new SiteProfile(2, CAPACITY);
          for (const { start, end, amounts } of claims) profile.add(start, end, amounts, -1);
          const left = claims.filter((_claim, index) => kept[index]);
          claims.forEach(({ start, end, amounts }, index) => {
            if (!kept[index]) profile.add(start, end, amounts, 1);
          });
          profile.forget(past);
          for (const [first, length, need] of questions) {
            const from = past + first;
            const until = from + length;
            const times = Array.from({ length }, (_, index) => from + index);
            const below = times.find((at) => freeAt(left, at).some((free, type) => free < (need[type] as number)));
            const enough = times.find((at) => freeAt(left, at).every((free, type) => free >= (need[type] as number)));
            expect(profile.firstBelow(from, until, need)).toBe(below ?? until);
            expect(profile.firstEnough(from, until, need)).toBe(enough ?? until);
            const reach = 1 + (first % 40);
            const lasting = times.find((at) =>
              times.every(
                (time) =>
                  time < at ||
                  time >= at + reach ||
                  freeAt(left, time).every((free, type) => free >= (need[type] as number)),
              ),
            );
            expect(profile.firstLasting(from, reach, until, need)).toBe(lasting ?? until);
            expect([profile.at(from, 0), profile.at(from, 1)]).toEqual(freeAt(left, from));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
