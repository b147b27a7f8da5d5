import { describe, expect, it } from 'vitest';
import { bestEffort, outcome, reservation, tell, withDeadline } from '../../support/story.ts';

const all = { suspension: 'all', preemption: 'ar-preempts-everything' } as const;

describe('Leases with a deadline (rules D1 to D4)', () => {
  it('D1: a window that is too short is rejected with the request, after R6; an earliest start in the past is now', () => {
    const story = tell(
      [
        withDeadline(0, 50, 149, 1, 100),
        withDeadline(0, 50, 150, 1, 100),
        withDeadline(10, 0, 110, 1, 100),
        withDeadline(10, 0, 109, 1, 100),
        withDeadline(0, undefined, 500, 9, 100),
      ],
      {},
    );
    expect(outcome(story)).toEqual([
      'REJECTED',
      'DONE | VM[50,150) | 1',
      'DONE | VM[10,110) | 2',
      'REJECTED',
      'REJECTED',
    ]);
    expect(story.result.summary.end).toBe(150);
  });

  it('D1: the shutdown counts', () => {
    const story = tell([withDeadline(0, 0, 119, 1, 100), withDeadline(0, 0, 120, 1, 100)], {
      config: { shutdownTime: 20_000 },
    });
    expect(outcome(story)).toEqual(['REJECTED', 'DONE | VM[0,100) X[100,120) | 1']);
    expect(story.result.summary.end).toBe(120);
  });

  it('D1: is decided after the advance reservations of the pass', () => {
    const story = tell([withDeadline(0, 0, 100, 4, 100), reservation(0, 50, 4, 100)], {});
    expect(outcome(story)).toEqual(['REJECTED', 'DONE | VM[50,150) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(150);
  });

  it('D2: a reservation moves it within its deadline, and no further', () => {
    const story = tell(
      [withDeadline(0, 100, 300, 4, 100), reservation(10, 150, 4, 50), reservation(20, 200, 4, 50)],
      {},
    );
    expect(outcome(story)).toEqual(['DONE | VM[200,300) | 1 2 3 4', 'DONE | VM[150,200) | 1 2 3 4', 'REJECTED']);
    expect(story.result.summary.end).toBe(300);
  });

  it('D3: a best-effort plan is planned anew (step 2)', () => {
    const story = tell([bestEffort(0, 4, 100), bestEffort(1, 4, 500), withDeadline(2, undefined, 400, 4, 300)], {});
    expect(outcome(story)).toEqual([
      'DONE | VM[0,100) | 1 2 3 4',
      'DONE | VM[400,900) | 1 2 3 4',
      'DONE | VM[100,400) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(900);
  });

  it('D3: plans with a deadline are planned anew, the least slack first (step 3)', () => {
    const story = tell(
      [withDeadline(0, 30, 600, 2, 60), withDeadline(0, 30, 120, 2, 60), withDeadline(15, 45, 75, 2, 30)],
      {},
    );
    expect(outcome(story)).toEqual(['DONE | VM[75,135) | 1 2', 'DONE | VM[30,90) | 3 4', 'DONE | VM[45,75) | 1 2']);
    expect(story.result.summary.end).toBe(135);
  });

  it('D3: a running best-effort lease is preempted (step 4)', () => {
    const story = tell([bestEffort(0, 4, 1000), withDeadline(300, 600, 900, 4, 300)], { config: all });
    expect(outcome(story)).toEqual([
      'DONE | VM[0,568) S[568,600) R[900,932) VM[932,1364) | 1 2 3 4 | 1 2 3 4',
      'DONE | VM[600,900) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1364);
  });

  it('D3: a running lease with a deadline is suspended and resumed (step 5)', () => {
    const story = tell([withDeadline(0, undefined, 2000, 4, 1000), withDeadline(100, 500, 600, 4, 100)], {
      config: { suspension: 'all' },
    });
    expect(outcome(story)).toEqual([
      'DONE | VM[0,468) S[468,500) R[600,632) VM[632,1164) | 1 2 3 4 | 1 2 3 4',
      'DONE | VM[500,600) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1164);
  });

  it('D3: but not if it is not preemptible', () => {
    const story = tell(
      [withDeadline(0, undefined, 2000, 4, 1000, { preemptible: false }), withDeadline(100, 500, 600, 4, 100)],
      { config: { suspension: 'all' } },
    );
    expect(outcome(story)).toEqual(['DONE | VM[0,1000) | 1 2 3 4', 'REJECTED']);
    expect(story.result.summary.end).toBe(1000);
  });

  it('D3: an advance reservation may use steps 3 and 5', () => {
    const story = tell([withDeadline(0, undefined, 1164, 4, 1000), reservation(300, 500, 4, 100)], {
      config: { suspension: 'all' },
    });
    expect(outcome(story)).toEqual([
      'DONE | VM[0,468) S[468,500) R[600,632) VM[632,1164) | 1 2 3 4 | 1 2 3 4',
      'DONE | VM[500,600) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1164);
  });

  it('D3: a second later would be too late', () => {
    const story = tell([withDeadline(0, undefined, 1163, 4, 1000), reservation(300, 500, 4, 100)], {
      config: { suspension: 'all' },
    });
    expect(outcome(story)).toEqual(['DONE | VM[0,1000) | 1 2 3 4', 'REJECTED']);
    expect(story.result.summary.end).toBe(1000);
  });

  it('D4: moves forward into released nodes, but not before its earliest start', () => {
    const story = tell(
      [bestEffort(0, 4, 1000, { known: 200 }), withDeadline(1, 300, 2000, 4, 100), withDeadline(1, 100, 2000, 4, 100)],
      {},
    );
    expect(outcome(story)).toEqual([
      'DONE | VM[0,200) | 1 2 3 4',
      'DONE | VM[300,400) | 1 2 3 4',
      'DONE | VM[200,300) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(400);
  });

  it('D4: does not count among the leases of backfilling', () => {
    const story = tell([bestEffort(0, 4, 100), withDeadline(1, undefined, 500, 4, 100), bestEffort(2, 4, 50)], {});
    expect(outcome(story)).toEqual([
      'DONE | VM[0,100) | 1 2 3 4',
      'DONE | VM[100,200) | 1 2 3 4',
      'DONE | VM[200,250) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(250);
  });
});
