import { describe, expect, it } from 'vitest';
import { bestEffort, outcome, tell } from '../../support/story.ts';

const all = { suspension: 'all', preemption: 'ar-preempts-everything' } as const;

describe('Commands of a simulation (rules S1 to S5)', () => {
  it('S1: an instant with only refused commands is not an instant of the run', () => {
    const story = tell([bestEffort(0, 1, 100)], {
      commands: [
        { at: 50, update: 9, duration: 1 },
        { at: 500, update: 1, duration: 200 },
      ],
    });
    expect(story.answers).toEqual(['LEASE_NOT_FOUND', 'LEASE_ENDED']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[0,100) | 1']);
    expect(story.result.summary.end).toBe(100);
  });

  it('S1: cancellations end a run in the same way as without refused commands', () => {
    const story = tell([bestEffort(0, 1, 100)], {
      cancel: [
        [300, 1],
        [400, 1],
      ],
      commands: [{ at: 500, update: 1, duration: 200 }],
    });
    expect(story.answers).toEqual(['LEASE_ENDED']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[0,100) | 1']);
    expect(story.result.summary.end).toBe(300);
  });

  it('S2: a command is carried out at any time, however late', () => {
    const story = tell([bestEffort(0, 1, 100)], {
      commands: [
        { at: 500, node: 1, set: 'DRAINING' },
        { at: 700, update: 1, duration: 5 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'LEASE_ENDED']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[0,100) | 1']);
    expect(story.result.summary.end).toBe(500);
  });

  it('S2: a waiting lease keeps the run going until the node is back', () => {
    const story = tell([bestEffort(0, 4, 100)], {
      commands: [
        { at: 0, node: 1, set: 'DRAINING' },
        { at: 5000, node: 1, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[5000,5100) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(5100);
  });

  it('S3: a lease starts when a maintenance ends', () => {
    const story = tell([bestEffort(60, 4, 100)], {
      commands: [{ at: 0, maintenance: 'm', nodes: [1], start: 50, end: 500 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[500,600) | 1 2 3 4']);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 50, end: 500 }]);
    expect(story.result.summary.end).toBe(600);
  });

  it('S3: a lease that does not fit before a maintenance starts after it', () => {
    const story = tell([bestEffort(0, 4, 100)], {
      commands: [{ at: 0, maintenance: 'm', nodes: [1], start: 50, end: 500 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[500,600) | 1 2 3 4']);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 50, end: 500 }]);
    expect(story.result.summary.end).toBe(600);
  });

  it('S3: a lease that fits exactly before a maintenance starts at once', () => {
    const story = tell([bestEffort(0, 4, 50)], {
      commands: [{ at: 0, maintenance: 'm', nodes: [1], start: 50, end: 500 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 50 | VM[0,50) | 1 2 3 4']);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 50, end: 500 }]);
    expect(story.result.summary.end).toBe(50);
  });

  it('S3: a lease that can be suspended runs until the maintenance, on nodes that stay as they are first', () => {
    const story = tell([bestEffort(0, 4, 1000)], {
      config: all,
      commands: [{ at: 0, maintenance: 'm', nodes: [1], start: 500, end: 600 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 1000 | VM[0,468) S[468,500) R[600,632) VM[632,1164) | 2 3 4 1 | 2 3 4 1']);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 500, end: 600 }]);
    expect(story.result.summary.end).toBe(1164);
  });

  it('S4: a lease that fails for a node does not stop the run', () => {
    const story = tell([bestEffort(0, 4, 1000)], {
      config: { nodeFailure: 'fail', leaseFailureHandling: 'exit' },
      commands: [{ at: 50, node: 1, set: 'DOWN' }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['FAILED of 1000 | VM[0,50) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(50);
  });

  it('a lease that has not arrived does not exist, whatever its number', () => {
    const story = tell([bestEffort(900, 1, 100), bestEffort(0, 1, 50)], {
      commands: [
        { at: 100, update: 1, duration: 200 },
        { at: 900, cancel: 1 },
        { at: 901, cancel: 1 },
        { at: 902, cancel: 1 },
      ],
    });
    expect(story.answers).toEqual(['LEASE_NOT_FOUND', 'LEASE_NOT_FOUND', 'ok', 'LEASE_ENDED']);
    expect(outcome(story)).toEqual(['CANCELLED of 100 | VM[900,901) | 1', 'DONE of 50 | VM[0,50) | 1']);
    expect(story.result.summary.end).toBe(901);
  });
});
