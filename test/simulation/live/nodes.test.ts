import { describe, expect, it } from 'vitest';
import { bestEffort, image, outcome, reservation, tell, withDeadline } from '../../support/story.ts';

const all = { suspension: 'all', preemption: 'ar-preempts-everything' } as const;

describe('Nodes and maintenance (rules N1 to N4)', () => {
  it('N1: a node that returns as draining is not used', () => {
    const story = tell([bestEffort(0, 4, 100)], {
      commands: [
        { at: 10, node: 1, set: 'DOWN' },
        { at: 20, node: 1, set: 'DRAINING' },
        { at: 20, node: 1, set: 'DRAINING', collisions: 'REFUSE' },
        { at: 200, node: 1, set: 'UP' },
        { at: 200, node: 9, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok', 'ok', 'ok', 'INVALID_REQUEST']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[0,10) VM[200,300) | 1 2 3 4 | 1 2 3 4']);
    expect(story.result.summary.end).toBe(300);
  });

  it('N1: a lease on a draining node continues', () => {
    const story = tell([bestEffort(0, 4, 100), bestEffort(10, 1, 50)], {
      commands: [{ at: 10, node: 1, set: 'DRAINING' }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[0,100) | 1 2 3 4', 'DONE of 50 | VM[100,150) | 2']);
    expect(story.result.summary.end).toBe(150);
  });

  it('N2: new plans are made in order: advance reservations, deadlines, best effort', () => {
    const story = tell(
      [
        reservation(0, 500, 1, 100),
        reservation(0, 400, 1, 100),
        withDeadline(0, 300, 700, 1, 100),
        bestEffort(0, 2, 250),
        bestEffort(1, 3, 100),
      ],
      { config: { backfilling: 'conservative' }, commands: [{ at: 100, node: 1, set: 'DRAINING' }] },
    );
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual([
      'DONE of 100 | VM[500,600) | 2',
      'DONE of 100 | VM[400,500) | 2',
      'DONE of 100 | VM[350,450) | 3',
      'DONE of 250 | VM[0,250) | 1 2',
      'DONE of 100 | VM[250,350) | 2 3 4',
    ]);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 PENDING, 100 SCHEDULED, 100 READY, 500 ACTIVE, 600 DONE',
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 PENDING, 100 SCHEDULED, 100 READY, 400 ACTIVE, 500 DONE',
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 PENDING, 100 SCHEDULED, 100 READY, 350 ACTIVE, 450 DONE',
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 250 DONE',
      '1 PENDING, 1 QUEUED, 1 SCHEDULED, 1 READY, 250 ACTIVE, 350 DONE',
    ]);
    expect(story.result.summary.end).toBe(600);
  });

  it('N2: is refused if a promise would be broken', () => {
    const story = tell([reservation(0, 500, 4, 100)], {
      commands: [{ at: 10, node: 3, set: 'DRAINING', collisions: 'REFUSE' }],
    });
    expect(story.answers).toEqual(['WOULD_DISPLACE']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[500,600) | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 500 ACTIVE, 600 DONE',
    ]);
    expect(story.result.summary.end).toBe(600);
  });

  it('N2: a reservation without nodes gets some as soon as possible', () => {
    const story = tell([reservation(0, 500, 4, 100)], {
      commands: [
        { at: 20, node: 3, set: 'DRAINING' },
        { at: 500, node: 3, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[500,600) | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 20 PENDING, 500 SCHEDULED, 500 READY, 500 ACTIVE, 600 DONE',
    ]);
    expect(story.result.summary.end).toBe(600);
  });

  it('N2: or fails at its start', () => {
    const story = tell([reservation(0, 500, 4, 100)], {
      commands: [
        { at: 20, node: 3, set: 'DRAINING' },
        { at: 501, node: 3, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['FAILED of 100']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 20 PENDING, 500 FAILED',
    ]);
    expect(story.result.summary.end).toBe(501);
  });

  it('N2: a lease with a deadline waits as long as the deadline can be met', () => {
    const story = tell([withDeadline(0, 500, 1000, 4, 100)], {
      commands: [
        { at: 100, node: 1, set: 'DRAINING' },
        { at: 900, node: 1, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[900,1000) | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 PENDING, 900 SCHEDULED, 900 READY, 900 ACTIVE, 1000 DONE',
    ]);
    expect(story.result.summary.end).toBe(1000);
  });

  it('N2: and fails when it cannot', () => {
    const story = tell([withDeadline(0, 500, 1000, 4, 100)], {
      commands: [
        { at: 100, node: 1, set: 'DRAINING' },
        { at: 901, node: 1, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['FAILED of 100']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 PENDING, 900 FAILED',
    ]);
    expect(story.result.summary.end).toBe(901);
  });

  it('N2: saved memory waits on a draining node without migration', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(1, 500, 1, 100)], {
      config: all,
      commands: [
        { at: 550, node: 1, set: 'DRAINING' },
        { at: 900, node: 1, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 1000 | VM[0,468) S[468,500) R[900,932) VM[932,1464) | 1 2 3 4 | 1 2 3 4',
      'DONE of 100 | VM[500,600) | 1',
    ]);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 468 SUSPENDING, 500 SUSPENDED_PENDING, 500 SUSPENDED_QUEUED, 500 SUSPENDED_SCHEDULED, 550 SUSPENDED_QUEUED, 900 SUSPENDED_SCHEDULED, 900 RESUMING, 932 RESUMED_READY, 932 ACTIVE, 1464 DONE',
      '1 PENDING, 1 SCHEDULED, 1 READY, 500 ACTIVE, 600 DONE',
    ]);
    expect(story.result.summary.end).toBe(1464);
  });

  it('N2: and is migrated if migration is enabled', () => {
    const story = tell([bestEffort(0, 3, 1000), reservation(1, 500, 4, 100)], {
      config: { ...all, migration: 'yes' },
      commands: [{ at: 550, node: 1, set: 'DRAINING' }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual([
      'DONE of 1000 | VM[0,468) S[468,500) M[550,632) M[632,714) R[796,828) VM[828,1360) | 1 2 3 | 2 3 4',
      'DONE of 100 | VM[500,600) | 4 1 2 3',
    ]);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 468 SUSPENDING, 500 SUSPENDED_PENDING, 500 SUSPENDED_QUEUED, 500 SUSPENDED_SCHEDULED, 550 SUSPENDED_PENDING, 550 SUSPENDED_SCHEDULED, 796 RESUMING, 828 RESUMED_READY, 828 ACTIVE, 1360 DONE',
      '1 PENDING, 1 SCHEDULED, 1 READY, 500 ACTIVE, 600 DONE',
    ]);
    expect(story.result.summary.end).toBe(1360);
  });

  it('N3: a running best-effort lease is suspended before it, also if it is not preemptible, and goes on when it ends early', () => {
    const story = tell([bestEffort(0, 4, 1000, { preemptible: false })], {
      config: all,
      commands: [
        { at: 100, maintenance: 'm', nodes: [1], start: 600, end: 900 },
        { at: 700, endMaintenance: 'm' },
        { at: 710, endMaintenance: 'm' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok', 'MAINTENANCE_NOT_FOUND']);
    expect(outcome(story)).toEqual(['DONE of 1000 | VM[0,568) S[568,600) R[700,732) VM[732,1164) | 1 2 3 4 | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 568 SUSPENDING, 600 SUSPENDED_PENDING, 600 SUSPENDED_QUEUED, 600 SUSPENDED_SCHEDULED, 700 SUSPENDED_PENDING, 700 SUSPENDED_SCHEDULED, 700 RESUMING, 732 RESUMED_READY, 732 ACTIVE, 1164 DONE',
    ]);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 600, end: 700 }]);
    expect(story.result.summary.end).toBe(1164);
  });

  it('N3: memory on a node under maintenance waits there, even if other nodes are free', () => {
    const story = tell([bestEffort(0, 1, 1000)], {
      config: { ...all, migration: 'yes' },
      commands: [{ at: 100, maintenance: 'm', nodes: [1], start: 600, end: 900 }],
    });
    // Copying takes 82 s, which count from the end of the maintenance on whether or not the memory moves.
    expect(outcome(story)).toEqual(['DONE of 1000 | VM[0,568) S[568,600) R[982,1014) VM[1014,1446) | 1 | 1']);
  });

  it('N3: one that cannot be suspended is requeued at once', () => {
    const story = tell([bestEffort(0, 4, 1000)], {
      commands: [{ at: 100, maintenance: 'm', nodes: [1], start: 600, end: 900 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 1000 | VM[0,100) VM[900,1900) | 1 2 3 4 | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 100 QUEUED, 100 SCHEDULED, 100 READY, 900 ACTIVE, 1900 DONE',
    ]);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 600, end: 900 }]);
    expect(story.result.summary.end).toBe(1900);
  });

  it('N3: a lease that ends before it is unchanged; a plan during it moves', () => {
    const story = tell([bestEffort(0, 4, 600), bestEffort(0, 4, 10)], {
      commands: [{ at: 100, maintenance: 'm', nodes: [1], start: 600, end: 900 }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 600 | VM[0,600) | 1 2 3 4', 'DONE of 10 | VM[900,910) | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 600 DONE',
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 100 PENDING, 100 SCHEDULED, 100 READY, 900 ACTIVE, 910 DONE',
    ]);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 600, end: 900 }]);
    expect(story.result.summary.end).toBe(910);
  });

  it('N3: a reservation that fits nowhere fails at once', () => {
    const story = tell([reservation(0, 600, 4, 10)], {
      commands: [
        { at: 100, maintenance: 'm', nodes: [1], start: 609, end: 900 },
        { at: 100, maintenance: 'm', nodes: [1], start: 609, end: 900, collisions: 'DISPLACE' },
      ],
    });
    expect(story.answers).toEqual(['WOULD_DISPLACE', 'ok']);
    expect(outcome(story)).toEqual(['FAILED of 10']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 FAILED',
    ]);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 609, end: 900 }]);
    expect(story.result.summary.end).toBe(100);
  });

  it('N3: a reservation before or after it keeps its place', () => {
    const story = tell([reservation(0, 600, 4, 10)], {
      commands: [
        { at: 100, maintenance: 'm', nodes: [1], start: 610, end: 900 },
        { at: 100, maintenance: 'k', nodes: [1], start: 500, end: 600 },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 10 | VM[600,610) | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 600 ACTIVE, 610 DONE',
    ]);
    expect(story.result.maintenance).toEqual([
      { name: 'm', nodes: [1], start: 610, end: 900 },
      { name: 'k', nodes: [1], start: 500, end: 600 },
    ]);
    expect(story.result.summary.end).toBe(610);
  });

  it('N3: an invalid maintenance is refused', () => {
    const story = tell([bestEffort(0, 4, 200)], {
      commands: [
        { at: 100, maintenance: 'm', nodes: [1], start: 99, end: 900 },
        { at: 100, maintenance: 'm', nodes: [1], start: 300, end: 300 },
        { at: 100, maintenance: 'm', nodes: [5], start: 300, end: 400 },
        { at: 100, maintenance: 'm', nodes: [1], start: 300, end: 400 },
        { at: 100, maintenance: 'm', nodes: [1], start: 500, end: 600 },
        { at: 400, endMaintenance: 'm' },
      ],
    });
    expect(story.answers).toEqual([
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'ok',
      'INVALID_REQUEST',
      'MAINTENANCE_NOT_FOUND',
    ]);
    expect(outcome(story)).toEqual(['DONE of 200 | VM[0,200) | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 200 DONE',
    ]);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 300, end: 400 }]);
    expect(story.result.summary.end).toBe(200);
  });

  it('N3: one that is ended before it began does not appear', () => {
    const story = tell([bestEffort(0, 4, 200)], {
      commands: [
        { at: 10, maintenance: 'm', nodes: [1], start: 300, end: 400 },
        { at: 20, endMaintenance: 'm' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 200 | VM[0,200) | 1 2 3 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 200 DONE',
    ]);
    expect(story.result.maintenance).toEqual([]);
    expect(story.result.summary.end).toBe(200);
  });

  it('N3: a running reservation is a collision; displaced, it starts anew then', () => {
    const story = tell([reservation(0, 100, 2, 500)], {
      commands: [
        { at: 200, maintenance: 'm', nodes: [1], start: 300, end: 900 },
        { at: 200, maintenance: 'm', nodes: [1], start: 300, end: 900, collisions: 'DISPLACE' },
      ],
    });
    expect(story.answers).toEqual(['WOULD_DISPLACE', 'ok']);
    expect(outcome(story)).toEqual(['DONE of 500 | VM[100,300) VM[300,600) | 1 2 | 2 3']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 ACTIVE, 300 PENDING, 300 SCHEDULED, 300 READY, 300 ACTIVE, 600 DONE',
    ]);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1], start: 300, end: 900 }]);
    expect(story.result.summary.end).toBe(600);
  });

  it('N3: a running lease with a deadline starts anew for its whole duration', () => {
    const story = tell([withDeadline(0, 100, 1000, 2, 500), bestEffort(150, 2, 300)], {
      config: all,
      commands: [{ at: 200, maintenance: 'm', nodes: [1, 2], start: 300, end: 900, collisions: 'DISPLACE' }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual([
      'DONE of 500 | VM[100,300) VM[450,950) | 1 2 | 3 4',
      'DONE of 300 | VM[150,450) | 3 4',
    ]);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 ACTIVE, 300 PENDING, 300 SCHEDULED, 300 READY, 450 ACTIVE, 950 DONE',
      '150 PENDING, 150 QUEUED, 150 SCHEDULED, 150 READY, 150 ACTIVE, 450 DONE',
    ]);
    expect(story.result.maintenance).toEqual([{ name: 'm', nodes: [1, 2], start: 300, end: 900 }]);
    expect(story.result.summary.end).toBe(950);
  });

  it('N4: a running best-effort lease restarts without its progress, even at the instant of its end', () => {
    const story = tell([bestEffort(0, 1, 100)], { commands: [{ at: 100, node: 1, set: 'DOWN' }] });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 100 | VM[0,100) VM[100,200) | 1 | 2']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 100 QUEUED, 100 SCHEDULED, 100 READY, 100 ACTIVE, 200 DONE',
    ]);
    expect(story.result.summary.end).toBe(200);
  });

  it('N4: so does a suspended one; a reservation without other nodes fails', () => {
    const story = tell([bestEffort(0, 4, 1000), reservation(1, 500, 4, 100)], {
      config: all,
      commands: [
        { at: 550, node: 1, set: 'DOWN' },
        { at: 700, node: 1, set: 'UP' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual([
      'DONE of 1000 | VM[0,468) S[468,500) VM[700,1700) | 1 2 3 4 | 1 2 3 4',
      'FAILED of 100 | VM[500,550) | 1 2 3 4',
    ]);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 QUEUED, 0 SCHEDULED, 0 READY, 0 ACTIVE, 468 SUSPENDING, 500 SUSPENDED_PENDING, 500 SUSPENDED_QUEUED, 500 SUSPENDED_SCHEDULED, 550 QUEUED, 700 SCHEDULED, 700 READY, 700 ACTIVE, 1700 DONE',
      '1 PENDING, 1 SCHEDULED, 1 READY, 500 ACTIVE, 550 PENDING, 550 FAILED',
    ]);
    expect(story.result.summary.end).toBe(1700);
  });

  it('N4: a reservation starts anew on other nodes until its old end', () => {
    const story = tell([reservation(0, 100, 2, 500)], {
      commands: [
        { at: 200, node: 1, set: 'DOWN' },
        { at: 300, node: 3, set: 'DOWN' },
        { at: 350, node: 4, set: 'DOWN' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok', 'ok']);
    expect(outcome(story)).toEqual(['FAILED of 500 | VM[100,200) VM[200,300) VM[300,350) | 1 2 | 2 3 | 2 4']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 ACTIVE, 200 PENDING, 200 SCHEDULED, 200 READY, 200 ACTIVE, 300 PENDING, 300 SCHEDULED, 300 READY, 300 ACTIVE, 350 PENDING, 350 FAILED',
    ]);
    expect(story.result.summary.end).toBe(350);
  });

  it('N4: as soon as its image is there', () => {
    const story = tell([reservation(0, 100, 2, 500, { image: image('A', 100) })], {
      config: { preparation: 'imagetransfer' },
      commands: [{ at: 200, node: 1, set: 'DOWN' }],
    });
    expect(story.answers).toEqual(['ok']);
    expect(outcome(story)).toEqual(['DONE of 500 | T[92,100) VM[100,200) T[200,208) VM[208,600) | 1 2 | 2 3']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 92 PREPARING, 100 READY, 100 ACTIVE, 200 PENDING, 200 SCHEDULED, 200 PREPARING, 208 READY, 208 ACTIVE, 600 DONE',
    ]);
    expect(story.result.summary.end).toBe(600);
  });

  it('N4: a lease with a deadline starts anew for its whole duration, or fails', () => {
    const story = tell([withDeadline(0, 100, 1000, 2, 500)], {
      commands: [
        { at: 200, node: 1, set: 'DOWN' },
        { at: 501, node: 3, set: 'DOWN' },
      ],
    });
    expect(story.answers).toEqual(['ok', 'ok']);
    expect(outcome(story)).toEqual(['FAILED of 500 | VM[100,200) VM[200,501) | 1 2 | 2 3']);
    expect(story.result.leases.map(({ id }) => story.path(id))).toEqual([
      '0 PENDING, 0 SCHEDULED, 0 READY, 100 ACTIVE, 200 PENDING, 200 SCHEDULED, 200 READY, 200 ACTIVE, 501 PENDING, 501 FAILED',
    ]);
    expect(story.result.summary.end).toBe(501);
  });
});
