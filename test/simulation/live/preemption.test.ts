import { describe, expect, it } from 'vitest';
import { bestEffort, outcome, reservation, tell } from '../../support/story.ts';

describe('Options of preemption', () => {
  it('a victim that cannot be suspended stops at once', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(100, 500, 4, 100)], {
      config: { preemption: 'ar-preempts-everything' },
    });
    expect(outcome(story)).toEqual([
      'DONE | VM[0,100) VM[600,1600) | 1 2 3 4 | 1 2 3 4',
      'DONE | VM[500,600) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1600);
  });

  it('or when its nodes are needed', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(100, 500, 4, 100)], {
      config: { preemption: 'ar-preempts-everything', stopVictims: 'when-needed' },
    });
    expect(outcome(story)).toEqual([
      'DONE | VM[0,500) VM[600,1600) | 1 2 3 4 | 1 2 3 4',
      'DONE | VM[500,600) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1600);
  });

  it('and is done if it ends before that', () => {
    const story = tell([bestEffort(0, 4, 1000, { known: 499 }), reservation(100, 500, 4, 100)], {
      config: { preemption: 'ar-preempts-everything', stopVictims: 'when-needed' },
    });
    expect(outcome(story)).toEqual(['DONE | VM[0,499) | 1 2 3 4', 'DONE | VM[500,600) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(600);
  });

  it('a lease that was preempted more often than the limit is not preempted', () => {
    const story = tell(
      [
        bestEffort(0, 4, 1000),
        reservation(100, 100, 4, 100),
        reservation(300, 300, 4, 100),
        reservation(500, 500, 4, 100),
      ],
      { config: { preemption: 'ar-preempts-everything', preemptionLimit: 1 } },
    );
    expect(outcome(story)).toEqual([
      'DONE | VM[0,100) VM[200,300) VM[400,1400) | 1 2 3 4 | 1 2 3 4 | 1 2 3 4',
      'DONE | VM[100,200) | 1 2 3 4',
      'DONE | VM[300,400) | 1 2 3 4',
      'REJECTED',
    ]);
    expect(story.result.summary.end).toBe(1400);
  });

  it('a lease that has run for less than the exempt time is not preempted', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(99, 99, 4, 10), reservation(100, 100, 4, 10)], {
      config: { preemption: 'ar-preempts-everything', preemptionExemptTime: 100_000 },
    });
    expect(outcome(story)).toEqual([
      'DONE | VM[0,100) VM[110,1110) | 1 2 3 4 | 1 2 3 4',
      'REJECTED',
      'DONE | VM[100,110) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1110);
  });

  it('a lease can be preempted up to the maximum age', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(100, 199, 4, 1)], {
      config: { preemption: 'ar-preempts-everything', preemptionPeace: 200_000 },
    });
    expect(outcome(story)).toEqual([
      'DONE | VM[0,100) VM[200,1200) | 1 2 3 4 | 1 2 3 4',
      'DONE | VM[199,200) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1200);
  });

  it('and not after that', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(100, 200, 4, 1)], {
      config: { preemption: 'ar-preempts-everything', preemptionPeace: 200_000 },
    });
    expect(outcome(story)).toEqual(['DONE | VM[0,1000) | 1 2 3 4', 'REJECTED']);
    expect(story.result.summary.end).toBe(1000);
  });
});
