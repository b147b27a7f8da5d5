import { describe, expect, it } from 'vitest';
import { FreedSpace } from '../../../src/core/slot-table/freed-space.ts';

const starts = (freed: FreedSpace, seal: number) => freed.since(seal).map(({ start }) => start);

describe('freed space', () => {
  it('is what was released after the seal, without the past', () => {
    const freed = new FreedSpace();
    freed.add(10, 20, [1, 2], 0);
    const { seal } = freed;
    freed.add(30, 40, [1], 35);
    freed.add(50, 50, [3], 0);
    freed.add(50, 60, [3], 60);
    expect(freed.since(seal)).toEqual([{ start: 35, end: 40, nodes: [1] }]);
    expect(starts(freed, 0)).toEqual([10, 35]);
    expect(freed.since(freed.seal)).toEqual([]);
  });

  it('covers a whole round after the one in which a lease was examined', () => {
    const freed = new FreedSpace();
    const { seal } = freed;
    freed.add(10, 20, [1], 0);
    freed.nextRound();
    freed.add(30, 40, [1], 0);
    expect(freed.remembers(seal)).toBe(true);
    expect(starts(freed, seal)).toEqual([10, 30]);
    const later = freed.seal;
    freed.nextRound();
    expect(freed.remembers(seal)).toBe(false);
    expect(freed.remembers(later)).toBe(true);
    freed.add(50, 60, [1], 0);
    expect(starts(freed, later)).toEqual([50]);
    expect(freed.remembers(-1)).toBe(false);
  });

  it('can be undone', () => {
    const freed = new FreedSpace();
    freed.add(10, 20, [1], 0);
    const { seal } = freed;
    const undo = freed.add(30, 40, [1], 0);
    undo();
    expect(freed.seal).toBe(seal);
    expect(starts(freed, 0)).toEqual([10]);
  });

  it('is bounded even if no lease is examined', () => {
    const freed = new FreedSpace();
    for (let at = 0; at < 50_000; at += 1) freed.add(at, at + 1, [1], 0);
    expect(freed.remembers(0)).toBe(false);
    expect(freed.since(freed.seal - 5_000)).toHaveLength(5_000);
    expect(freed.remembers(freed.seal - 30_000)).toBe(false);
  });
});
