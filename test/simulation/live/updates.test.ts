import { describe, expect, it } from 'vitest';
import { bestEffort, image, immediate, outcome, reservation, tell, withDeadline } from '../../support/story.ts';

const all = { suspension: 'all', preemption: 'ar-preempts-everything' } as const;

describe('Updates of leases (rules L1 to L8)', () => {
  it('L2: is refused once the shutdown has begun', () => {
    const story = tell([bestEffort(0, 1, 100)], {
      config: { shutdownTime: 20_000 },
      commands: [
        { at: 100, update: 1, duration: 150 },
        { at: 110, update: 1, duration: 90 },
        { at: 155, update: 1, duration: 200 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'TOO_SHORT', 'LEASE_ENDED']);
    expect(outcome(story)).toEqual(['DONE of 150 | VM[0,150) X[150,170) | 1']);
    expect(story.result.summary.end).toBe(170);
  });

  it('L2: the start can change until the machines have started; a change without effect is accepted', () => {
    const story = tell([reservation(0, 100, 1, 100)], {
      commands: [
        { at: 100, update: 1, start: 120 },
        { at: 121, update: 1, start: 130 },
        { at: 121, update: 1, start: 120 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'LEASE_STARTED', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[120,220) | 1']);
    expect(story.result.summary.end).toBe(220);
  });

  it('L3: only the times move where the machines fit on their nodes', () => {
    const story = tell([bestEffort(0, 1, 50), reservation(10, 100, 1, 100)], {
      commands: [{ at: 60, update: 2, start: 300, duration: 200 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 50 | VM[0,50) | 1', 'DONE of 200 | VM[300,500) | 1']);
    expect(story.result.summary.end).toBe(500);
  });

  it('L3: an advance reservation without a plan is refused, also for a start in the past', () => {
    const story = tell([reservation(0, 100, 4, 100), reservation(0, 200, 4, 100)], {
      commands: [
        { at: 60, update: 1, duration: 101 },
        { at: 60, update: 1, start: 59, duration: 10 },
      ],
    });
    expect(story.answers).toEqual(['NOT_SCHEDULABLE', 'NOT_SCHEDULABLE']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[100,200) | 1 2 3 4', 'DONE of 100 | VM[200,300) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(300);
  });

  it('L3: an advance reservation that does not fit on its nodes goes to others', () => {
    const story = tell([reservation(0, 100, 1, 100), reservation(0, 200, 1, 100), bestEffort(0, 3, 90)], {
      commands: [{ at: 60, update: 1, duration: 150 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual([
      'DONE of 150 | VM[100,250) | 2',
      'DONE of 100 | VM[200,300) | 1',
      'DONE of 90 | VM[0,90) | 1 2 3',
    ]);
    expect(story.result.summary.end).toBe(300);
  });

  it('L3: a lease in the queue keeps its place, a plan gets shorter', () => {
    const story = tell([bestEffort(0, 4, 100), bestEffort(1, 4, 100), bestEffort(2, 4, 100)], {
      commands: [
        { at: 60, update: 3, duration: 10 },
        { at: 70, update: 2, duration: 50 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 100 | VM[0,100) | 1 2 3 4',
      'DONE of 50 | VM[100,150) | 1 2 3 4',
      'DONE of 10 | VM[150,160) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(160);
  });

  it('L3: a best-effort plan that does not fit any more is planned anew', () => {
    const story = tell([bestEffort(0, 4, 100), bestEffort(1, 4, 100), reservation(1, 200, 4, 50)], {
      commands: [{ at: 60, update: 2, duration: 150 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual([
      'DONE of 100 | VM[0,100) | 1 2 3 4',
      'DONE of 150 | VM[250,400) | 1 2 3 4',
      'DONE of 50 | VM[200,250) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(400);
  });

  it('L3: a plan that keeps its nodes keeps its image', () => {
    const story = tell([reservation(0, 100, 1, 100, { image: image('A', 100) })], {
      config: { preparation: 'imagetransfer' },
      commands: [{ at: 95, update: 1, start: 300 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | T[92,100) VM[300,400) | 1']);
    expect(story.result.summary.end).toBe(400);
  });

  it('L4: an advance reservation ends at its start plus the new duration, and not in the past', () => {
    const story = tell([reservation(0, 100, 4, 500)], {
      config: { shutdownTime: 20_000 },
      commands: [
        { at: 200, update: 1, duration: 119 },
        { at: 200, update: 1, duration: 120 },
      ],
    });
    expect(story.answers).toEqual(['TOO_SHORT', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 120 | VM[100,200) X[200,220) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(220);
  });

  it('L4: a best-effort lease runs for more than it has run', () => {
    const story = tell([bestEffort(0, 4, 500)], {
      config: { shutdownTime: 20_000 },
      commands: [
        { at: 200, update: 1, duration: 200 },
        { at: 200, update: 1, duration: 201 },
      ],
    });
    expect(story.answers).toEqual(['TOO_SHORT', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 201 | VM[0,201) X[201,221) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(221);
  });

  it('L4: released nodes are given to other leases at once', () => {
    const story = tell([bestEffort(0, 4, 1000), bestEffort(10, 4, 500)], {
      commands: [{ at: 100, update: 1, duration: 400 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 400 | VM[0,400) | 1 2 3 4', 'DONE of 500 | VM[400,900) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(900);
  });

  it('L4: a suspension that is planned earlier than the new end stays', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(1, 1000, 4, 100)], {
      config: all,
      commands: [
        { at: 200, update: 1, duration: 980 },
        { at: 200, update: 1, duration: 969 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 969 | VM[0,968) S[968,1000) R[1100,1132) VM[1132,1133) | 1 2 3 4 | 1 2 3 4',
      'DONE of 100 | VM[1000,1100) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1133);
  });

  it('L4: a suspension at the new end becomes the shutdown', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(1, 1000, 4, 100)], {
      config: all,
      commands: [{ at: 200, update: 1, duration: 968 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 968 | VM[0,968) | 1 2 3 4', 'DONE of 100 | VM[1000,1100) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(1100);
  });

  it('L5: a plan that has not started makes room', () => {
    const story = tell([reservation(0, 100, 4, 100), bestEffort(0, 4, 150)], {
      commands: [{ at: 150, update: 1, duration: 300 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 300 | VM[100,400) | 1 2 3 4', 'DONE of 150 | VM[400,550) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(550);
  });

  it('L5: is blocked by a reservation, to the second', () => {
    const story = tell([reservation(0, 100, 4, 100), reservation(0, 300, 4, 100)], {
      commands: [
        { at: 150, update: 1, duration: 201 },
        { at: 150, update: 1, duration: 200 },
      ],
    });
    expect(story.answers).toEqual(['EXTENSION_BLOCKED 200', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 200 | VM[100,300) | 1 2 3 4', 'DONE of 100 | VM[300,400) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(400);
  });

  it('L5: is shortened to the maximum on request', () => {
    const story = tell([bestEffort(0, 4, 100), reservation(0, 150, 4, 100)], {
      commands: [
        { at: 50, update: 1, duration: 151 },
        { at: 50, update: 1, duration: 500, asFarAsPossible: true },
      ],
    });
    expect(story.answers).toEqual(['EXTENSION_BLOCKED 150', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 150 | VM[0,150) | 1 2 3 4', 'DONE of 100 | VM[150,250) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(250);
  });

  it('L5: a plan with a deadline moves as far as its deadline lets it', () => {
    const story = tell([reservation(0, 100, 4, 100), withDeadline(0, 200, 500, 4, 100)], {
      commands: [
        { at: 150, update: 1, duration: 301 },
        { at: 150, update: 1, duration: 300 },
      ],
    });
    expect(story.answers).toEqual(['EXTENSION_BLOCKED 300', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 300 | VM[100,400) | 1 2 3 4', 'DONE of 100 | VM[400,500) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(500);
  });

  it('L5: the shutdown counts within an advance reservation', () => {
    const story = tell([reservation(0, 100, 4, 100), reservation(0, 300, 4, 50)], {
      config: { shutdownTime: 20_000 },
      commands: [
        { at: 179, update: 1, duration: 201 },
        { at: 179, update: 1, duration: 200 },
      ],
    });
    expect(story.answers).toEqual(['EXTENSION_BLOCKED 200', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 200 | VM[100,280) X[280,300) | 1 2 3 4',
      'DONE of 50 | VM[300,330) X[330,350) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(350);
  });

  it('L5: the shutdown follows the duration of an immediate lease', () => {
    const story = tell([immediate(0, 4, 100), reservation(0, 300, 4, 50)], {
      config: { shutdownTime: 20_000 },
      commands: [
        { at: 50, update: 1, duration: 281 },
        { at: 50, update: 1, duration: 280 },
      ],
    });
    expect(story.answers).toEqual(['EXTENSION_BLOCKED 280', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 280 | VM[0,280) X[280,300) | 1 2 3 4',
      'DONE of 50 | VM[300,330) X[330,350) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(350);
  });

  it('L5: a draining node blocks, and a shorter duration is no extension', () => {
    const story = tell([reservation(0, 100, 1, 100)], {
      commands: [
        { at: 110, node: 1, set: 'DRAINING' },
        { at: 150, update: 1, duration: 200 },
        { at: 150, update: 1, duration: 60 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'EXTENSION_BLOCKED 100', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 60 | VM[100,160) | 1']);
    expect(story.result.summary.end).toBe(160);
  });

  it('L5: a maintenance blocks from its start on', () => {
    const story = tell([reservation(0, 100, 1, 100)], {
      commands: [
        { at: 110, maintenance: 'm', nodes: [1], start: 300, end: 400 },
        { at: 150, update: 1, duration: 300 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'EXTENSION_BLOCKED 200']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[100,200) | 1']);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 300, end: 400 }]);
    expect(story.result.summary.end).toBe(200);
  });

  it('L6: runs on in place, is suspended there and goes on when it fits', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(0, 1500, 4, 100)], {
      config: all,
      commands: [{ at: 150, update: 1, duration: 2000 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual([
      'DONE of 2000 | VM[0,1468) S[1468,1500) R[1600,1632) VM[1632,2164) | 1 2 3 4 | 1 2 3 4',
      'DONE of 100 | VM[1500,1600) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(2164);
  });

  it('L6: is blocked where R8 allows no suspension', () => {
    const story = tell([bestEffort(0, 4, 100), reservation(0, 110, 4, 100)], {
      config: all,
      commands: [{ at: 50, update: 1, duration: 200 }],
    });
    expect(story.answers).toEqual(['EXTENSION_BLOCKED 110']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[0,100) | 1 2 3 4', 'DONE of 100 | VM[110,210) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(210);
  });

  it('L6: keeps the suspension that is planned', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(1, 1000, 4, 100)], {
      config: all,
      commands: [{ at: 500, update: 1, duration: 4000 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual([
      'DONE of 4000 | VM[0,968) S[968,1000) R[1100,1132) VM[1132,4164) | 1 2 3 4 | 1 2 3 4',
      'DONE of 100 | VM[1000,1100) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(4164);
  });

  it('L7: what remains of a suspended lease changes', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(1, 1000, 4, 100)], {
      config: all,
      commands: [
        { at: 990, update: 1, duration: 968 },
        { at: 1050, update: 1, duration: 968 },
        { at: 1050, update: 1, duration: 1000 },
      ],
    });
    expect(story.answers).toEqual(['TOO_SHORT', 'TOO_SHORT', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 1000 | VM[0,968) S[968,1000) R[1100,1132) VM[1132,1164) | 1 2 3 4 | 1 2 3 4',
      'DONE of 100 | VM[1000,1100) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1164);
  });

  it('L7: being resumed counts as running', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(1, 1000, 4, 100)], {
      config: all,
      commands: [
        { at: 1110, update: 1, duration: 968 },
        { at: 1110, update: 1, duration: 970 },
      ],
    });
    expect(story.answers).toEqual(['TOO_SHORT', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 970 | VM[0,968) S[968,1000) R[1100,1132) VM[1132,1134) | 1 2 3 4 | 1 2 3 4',
      'DONE of 100 | VM[1000,1100) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(1134);
  });

  it('L8: a longer lease with a deadline is divided where others follow; its deadline must hold', () => {
    const story = tell([withDeadline(0, undefined, 1000, 4, 300), reservation(0, 500, 4, 100)], {
      config: { suspension: 'all' },
      commands: [
        { at: 100, update: 1, duration: 600 },
        { at: 110, update: 1, deadline: 700 },
        { at: 120, update: 1, deadline: 764 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'DEADLINE_CANNOT_BE_MET', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 600 | VM[0,468) S[468,500) R[600,632) VM[632,764) | 1 2 3 4 | 1 2 3 4',
      'DONE of 100 | VM[500,600) | 1 2 3 4',
    ]);
    expect(story.result.summary.end).toBe(764);
  });

  it('L8: where nothing can be divided it goes as far as it can', () => {
    const story = tell([withDeadline(0, undefined, 1000, 4, 300), reservation(0, 500, 4, 100)], {
      commands: [
        { at: 100, update: 1, duration: 501 },
        { at: 110, update: 1, duration: 900, asFarAsPossible: true },
        { at: 120, update: 1, deadline: 499 },
        { at: 120, update: 1, deadline: 500 },
      ],
    });
    expect(story.answers).toEqual(['DEADLINE_CANNOT_BE_MET', 'ok', 'DEADLINE_CANNOT_BE_MET', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 500 | VM[0,500) | 1 2 3 4', 'DONE of 100 | VM[500,600) | 1 2 3 4']);
    expect(story.result.summary.end).toBe(600);
  });
});
