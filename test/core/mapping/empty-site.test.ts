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
    expect(story.lease(1).reason).toBe(
      'even on the empty site only 4 of its 5 machines can be placed (the next needs CPU 100, Memory 1024; 4 of 4 nodes have CPU 100, 4 of 4 nodes have Memory 1024)',
    );
  });

  it('is rejected with the missing resource and the number of nodes', () => {
    const site = siteOf([3, { CPU: 100, Memory: 1024 }], [1, { CPU: 100, Memory: 4096 }]);
    const story = tell([bestEffort(0, 2, 600, { each: { CPU: 100, Memory: 2048 } })], { site });
    expect(story.lease(1).reason).toContain('only 1 of its 2 machines can be placed');
    expect(story.lease(1).reason).toContain('1 of 4 nodes have Memory 2048');
  });

  it('is rejected because a share cannot be split between instances', () => {
    const site = siteOf([1, { CPU: 100, Memory: 1024 }], [1, { CPU: [100, 100], Memory: 1024 }]);
    const asking = (CPU: number | number[]) =>
      tell([bestEffort(0, 1, 600, { each: { CPU, Memory: 512 } })], { site }).lease(1).reason;
    expect(asking(150)).toContain('(the next needs CPU 150, Memory 512; 0 of 2 nodes have CPU 150 unsplit)');
    expect(asking([100, 100, 50])).toContain('0 of 2 nodes have CPU 100+100+50 unsplit)');
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
