import { describe, expect, it } from 'vitest';
import { SearchBounds, type Wanted } from '../../../src/core/slot-table/search-bounds.ts';

const wanted = (machines: number, reach: number, cpu = 100): Wanted => ({
  machines,
  reach,
  need: [cpu, 0],
  totals: [machines * cpu, 0],
});

function noted(): SearchBounds {
  const bounds = new SearchBounds();
  bounds.note(wanted(4, 60), 100, 500);
  return bounds;
}

describe('what searches have found out', () => {
  it.each([
    ['as much', wanted(4, 60)],
    ['more machines', wanted(5, 60)],
    ['longer', wanted(4, 61)],
    ['larger machines', wanted(4, 60, 150)],
  ])('is used by a search for %s', (_what, search) => {
    expect(noted().firstUnknown(search, 100)).toBe(500);
    expect(noted().firstUnknown(search, 499)).toBe(500);
  });

  it.each([
    ['fewer machines', wanted(3, 60)],
    ['a shorter time', wanted(4, 59)],
    ['smaller machines', wanted(4, 60, 50)],
  ])('says nothing about %s', (_what, search) => {
    expect(noted().firstUnknown(search, 100)).toBe(100);
  });

  it('says nothing about earlier and later starts', () => {
    expect([99, 500].map((from) => noted().firstUnknown(wanted(4, 60), from))).toEqual([99, 500]);
  });

  it('goes on from one to the next', () => {
    const bounds = noted();
    bounds.note(wanted(2, 30), 400, 700);
    expect(bounds.firstUnknown(wanted(4, 60), 100)).toBe(700);
    expect(bounds.firstUnknown(wanted(3, 60), 100)).toBe(100);
  });

  it('holds only before what is given back', () => {
    const bounds = noted();
    bounds.givenBack(560);
    expect(bounds.firstUnknown(wanted(4, 60), 100)).toBe(500);
    bounds.givenBack(400);
    // A stay from 340 on ends at 400.
    expect(bounds.firstUnknown(wanted(4, 60), 100)).toBe(340);
    bounds.givenBack(100);
    expect(bounds.firstUnknown(wanted(4, 60), 100)).toBe(100);
  });

  it('is bounded', () => {
    const bounds = new SearchBounds();
    // None of them needs as much as another in every respect.
    for (let each = 1; each <= 1_000; each += 1) bounds.note(wanted(each, 2_000 - each), 0, 10);
    const known = Array.from({ length: 1_000 }, (_, i) => bounds.firstUnknown(wanted(i + 1, 1_999 - i), 0));
    expect(known.filter((at) => at === 10).length).toBe(64);
    expect(known.at(-1)).toBe(10);
  });
});
