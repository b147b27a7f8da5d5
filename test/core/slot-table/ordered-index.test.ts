import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedIndex } from '../../../src/core/slot-table/ordered-index.ts';

interface Item {
  readonly key: number;
  readonly rank: number;
}

const index = () =>
  new OrderedIndex<Item>(
    ({ key }) => key,
    ({ rank }) => rank,
  );

describe('an ordered index', () => {
  it('orders equal keys by rank', () => {
    const items = index();
    const [a, b, c] = [
      { key: 5, rank: 1 },
      { key: 5, rank: 2 },
      { key: 4, rank: 3 },
    ] as const;
    for (const item of [b, c, a]) items.insert(item);
    expect([...items]).toEqual([c, a, b]);
    expect(items.firstFrom(5, true)).toBe(a);
    expect(items.firstFrom(4, false)).toBe(a);
    expect(items.firstFrom(5, false)).toBeUndefined();
  });

  it('does not remove an equal entry that it does not contain', () => {
    const items = index();
    items.insert({ key: 1, rank: 1 });
    expect(items.remove({ key: 1, rank: 1 })).toBe(false);
    expect(items.remove({ key: 2, rank: 1 })).toBe(false);
    expect(items.size).toBe(1);
  });

  it('matches a sorted list, over many chunks', () => {
    const deed = fc.record({ key: fc.integer({ min: 0, max: 40 }), remove: fc.nat({ max: 2 }) });
    fc.assert(
      fc.property(
        fc.array(deed, { minLength: 300, maxLength: 900, size: 'max' }),
        fc.integer({ min: -1, max: 41 }),
        (deeds, from) => {
          const items = index();
          let model: Item[] = [];
          deeds.forEach(({ key, remove }, rank) => {
            const victim = model[(key * 7) % Math.max(1, model.length)];
            if (remove === 0 && victim) {
              expect(items.remove(victim)).toBe(true);
              model = model.filter((item) => item !== victim);
            } else {
              const item = { key, rank };
              items.insert(item);
              model.push(item);
            }
          });
          model.sort((a, b) => a.key - b.key || a.rank - b.rank);
          expect([...items]).toEqual(model);
          expect(items.size).toBe(model.length);
          for (const inclusive of [true, false]) {
            const rest = model.filter(({ key }) => key > from || (inclusive && key === from));
            expect([...items.from(from, inclusive)]).toEqual(rest);
            expect(items.firstFrom(from, inclusive)).toBe(rest[0]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
