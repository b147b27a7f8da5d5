import { describe, expect, it } from 'vitest';
import { FreedSpace } from '../../../src/core/slot-table/freed-space.ts';

describe('what was given back', () => {
  it('is told as spans apart from each other, node by node', () => {
    const freed = new FreedSpace();
    freed.add(10, 20, [1, 2], 0);
    freed.add(30, 40, [1], 0);
    freed.add(20, 25, [1], 0);
    freed.add(50, 50, [3], 0);
    expect([...freed.since(freed.seal)]).toEqual([
      [
        1,
        [
          { start: 10, end: 25 },
          { start: 30, end: 40 },
        ],
      ],
      [2, [{ start: 10, end: 20 }]],
    ]);
  });

  it('is told to who looked a round ago; who looked before that is not remembered', () => {
    const freed = new FreedSpace();
    const seal = freed.seal;
    freed.add(10, 20, [1], 0);
    freed.nextRound();
    freed.add(30, 40, [1], 0);
    expect(freed.remembers(seal)).toBe(true);
    expect([...freed.since(seal)].map(([, spans]) => spans[0]?.start)).toEqual([10, 30]);
    expect([...freed.since(freed.seal)].map(([, spans]) => spans[0]?.start)).toEqual([30]);
    freed.nextRound();
    expect(freed.remembers(seal)).toBe(false);
  });

  it('is forgotten when it lies in the past, so that it does not grow without bound', () => {
    const freed = new FreedSpace();
    for (let now = 0; now < 1000; now += 10) freed.add(now - 3, now + 3, [1], now);
    expect([...freed.since(freed.seal)]).toEqual([[1, [{ start: 990, end: 993 }]]]);
  });
});
