import { describe, expect, it } from 'vitest';
import { bestEffort, immediate, reservation, siteOf, tell, WHOLE } from '../../support/story.ts';

describe('a lease that could not run even on the empty site (R6)', () => {
  it.each([
    ['best-effort', bestEffort(5, 5, 600)],
    ['immediate', immediate(5, 5, 600)],
    ['advance reservation', reservation(5, 100, 5, 600)],
  ])('is rejected at once: %s', (_type, lease) => {
    const story = tell([lease]);
    expect(story.path(1)).toBe('5 PENDING, 5 REJECTED');
    expect(story.lease(1).reason).toBe('even the empty site has room for only 4 of the 5 machines');
  });

  it('is rejected with what no node has, or with how many machines have room', () => {
    const site = siteOf([3, { CPU: 100, Memory: 1024 }], [1, { CPU: 50, Memory: 4096 }]);
    const why = (machines: number, each: Record<string, number>, on = site) =>
      tell([bestEffort(0, machines, 600, { each })], { site: on }).lease(1).reason;
    expect(why(2, { CPU: 50, Memory: 2048 })).toBe('even the empty site has room for only 1 of the 2 machines');
    expect(why(1, { CPU: 500, Memory: 2048 })).toBe(
      'no node is large enough: a machine needs CPU 500, and none of the 4 nodes has it',
    );
    expect(why(1, { CPU: 500, Memory: 8192 })).toBe(
      'no node is large enough: a machine needs CPU 500, Memory 8192, and none of the 4 nodes has them',
    );
    expect(why(1, { CPU: 100, Memory: 2048 })).toBe(
      'no node is large enough: a machine needs CPU 100, Memory 2048, and none of the 4 nodes has them together',
    );
    expect(why(1, { CPU: 500 }, siteOf([1, WHOLE]))).toBe(
      'no node is large enough: a machine needs CPU 500, and the only node does not have it',
    );
  });

  it('is rejected without counting nodes that were removed', () => {
    const site = siteOf([4, WHOLE], [1, {}]);
    expect(tell([bestEffort(0, 1, 600, { each: { CPU: 500 } })], { site }).lease(1).reason).toBe(
      'no node is large enough: a machine needs CPU 500, and none of the 4 nodes has it',
    );
  });

  it('is rejected because a share cannot be split between instances', () => {
    const site = siteOf([1, { CPU: 100, Memory: 1024 }], [1, { CPU: [100, 100], Memory: 1024 }]);
    const asking = (CPU: number | number[]) =>
      tell([bestEffort(0, 1, 600, { each: { CPU, Memory: 512 } })], { site }).lease(1).reason;
    expect(asking(150)).toBe(
      'no node is large enough: a machine needs CPU 150 unsplit, and none of the 2 nodes has it',
    );
    expect(asking([100, 100, 50])).toContain('a machine needs CPU 100+100+50 unsplit, and');
  });

  it('is checked by next fit over ascending nodes, like the mapping', () => {
    const site = siteOf([1, { CPU: 50, Memory: 1024 }], [1, WHOLE]);
    const lease = { ...bestEffort(0, 0, 600), machines: [{ CPU: 50, Memory: 512 }, WHOLE] };
    // The whole machine comes first and skips node 1. The other one does not go back to node 1.
    expect(tell([lease], { site }).lease(1).state).toBe('REJECTED');
  });

  it('is accepted if it fits exactly', () => {
    expect(tell([bestEffort(0, 4, 600)]).lease(1).state).toBe('DONE');
  });
});
