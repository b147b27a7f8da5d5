/**
 * Small traces from the literature: four nodes, and one machine fills a node. If a rule deviates from the reference
 * on purpose, the rule is named.
 */
import { describe, expect, it } from 'vitest';
import { defaultSchedulerConfig, type SchedulerConfig } from '../../src/core/index.ts';
import {
  bestEffort,
  image,
  immediate,
  reservation,
  type Setting,
  type Story,
  type StoryLease,
  tell as tellStory,
} from '../support/story.ts';

/** Suspending takes no time, resuming takes 32 s, and every operation takes two seconds more. */
const defaults: Partial<SchedulerConfig> = {
  preemption: 'ar-preempts-everything',
  suspension: 'all',
  migration: 'yes',
  enactmentOverhead: 2000,
  overrideSuspendTime: 0,
};

const tell = (leases: readonly StoryLease[], changes: Partial<SchedulerConfig> = {}, setting: Setting = {}): Story =>
  tellStory(leases, { ...setting, config: { ...defaults, ...changes } });

const oneHourOnOneNode = (known?: number) => bestEffort(0, 1, 3600, known === undefined ? {} : { known });

describe('an advance reservation of the whole site against a running best-effort lease', () => {
  it('suspends it in time and resumes it afterwards', () => {
    const story = tell([oneHourOnOneNode(), reservation(900, 1800, 4, 1800)]);
    expect(story.timeline(1)).toBe('VM[0,1798) S[1798,1800) R[3600,3634) VM[3634,5436) X[5436,5438)');
    expect(story.timeline(2)).toBe('VM[1800,3592) X[3592,3600)');
    expect(story.nodes(1)).toBe('1 | 1');
    expect(story.nodes(2)).toBe('2 3 4 1');
    expect(story.lease(1)).toMatchObject({ state: 'DONE', end: 5438, accumulated: 3600 });
    expect(story.lease(2)).toMatchObject({ state: 'DONE', end: 3600, accumulated: 1792 });
  });

  it('leaves it the time that it needs', () => {
    const story = tell([oneHourOnOneNode(2700), reservation(900, 1800, 4, 900)]);
    expect(story.timeline(1)).toBe('VM[0,1798) S[1798,1800) R[2700,2734) VM[2734,3636)');
    expect(story.timeline(2)).toBe('VM[1800,2692) X[2692,2700)');
    expect(story.lease(1).accumulated).toBe(2700);
  });

  it('returns its nodes on an early end: the other lease resumes after the time that a migration might take', () => {
    const story = tell([oneHourOnOneNode(2700), reservation(900, 1800, 4, 900, { known: 600 })]);
    expect(story.timeline(2)).toBe('VM[1800,2400)');
    expect(story.timeline(1)).toBe('VM[0,1798) S[1798,1800) R[2482,2516) VM[2516,3418)');
  });

  it('cancels and requeues it if suspension is off, so that it starts again', () => {
    const story = tell([bestEffort(0, 4, 7200), reservation(600, 3600, 4, 1800)], {
      suspension: 'none',
      enactmentOverhead: 0,
    });
    // It stops at once (R15).
    expect(story.timeline(1)).toBe('VM[0,600) VM[5400,12600)');
    expect(story.lease(1)).toMatchObject({ state: 'DONE', start: 5400, accumulated: 7200 });
    expect(story.timeline(2)).toBe('VM[3600,5400)');
  });

  it('preempts the youngest lease first (R11)', () => {
    const story = tell([bestEffort(0, 2, 18000), bestEffort(300, 2, 18000), reservation(600, 3600, 2, 1800)], {
      enactmentOverhead: 0,
    });
    expect(story.timeline(1)).toBe('VM[0,18000)');
    // What the reservation frees is scheduled again at the same instant (R30).
    expect(story.timeline(2)).toBe('VM[300,3600) S[3600,3600) R[5400,5432) VM[5432,20132)');
    expect(story.nodes(3)).toBe('3 4');
  });
});

describe('a lease that must wait for another one', () => {
  const other = bestEffort(900, 4, 900);

  it('gets a reservation in the future', () => {
    const story = tell([oneHourOnOneNode(), other]);
    expect(story.timeline(1)).toBe('VM[0,3600) X[3600,3602)');
    expect(story.timeline(2)).toBe('VM[3602,4502) X[4502,4510)');
  });

  it('moves forward when the other one ends early', () => {
    const story = tell([oneHourOnOneNode(1800), other]);
    expect(story.timeline(1)).toBe('VM[0,1800)');
    expect(story.timeline(2)).toBe('VM[1800,2700) X[2700,2708)');
  });

  it('waits in the queue behind seven others', () => {
    const story = tell(new Array(8).fill(bestEffort(0, 4, 900)) as StoryLease[]);
    expect(story.result.leases.map(({ start }) => start)).toEqual([0, 908, 1816, 2724, 3632, 4540, 5448, 6356]);
    expect(story.lease(8).end).toBe(7264);
  });
});

describe('a lease between two reservations', () => {
  const leases = [reservation(0, 90, 2, 3600), reservation(0, 1800, 2, 3600), bestEffort(0, 2, 3600)];

  it('is suspended on one pair of nodes, migrated, and resumed on the other', () => {
    const story = tell(leases);
    expect(story.timeline(1)).toBe('VM[90,3686) X[3686,3690)');
    expect(story.timeline(2)).toBe('VM[1800,5396) X[5396,5400)');
    expect(story.timeline(3)).toBe('VM[0,1796) S[1796,1800) M[1800,1882) R[3690,3726) VM[3726,5530) X[5530,5534)');
    expect([1, 2, 3].map((id) => story.nodes(id))).toEqual(['1 2', '3 4', '3 4 | 1 2']);
  });

  it('has its disk images migrated before its memory', () => {
    const story = tell(
      leases.map((lease, index) => ({ ...lease, image: image(`image ${index}`) })),
      { preparation: 'imagetransfer' },
    );
    expect(story.timeline(1)).toBe('T[8,90) VM[90,3686) X[3686,3690)');
    expect(story.timeline(2)).toBe('T[1718,1800) VM[1800,5396) X[5396,5400)');
    // Both images side by side: 82 s, and not 164 (R42).
    expect(story.timeline(3)).toBe(
      'T[90,172) VM[172,1796) S[1796,1800) D[1800,1882) M[1882,1964) R[3690,3726) VM[3726,5702) X[5702,5706)',
    );
  });
});

describe('an immediate lease', () => {
  it('that would overlap a reservation is rejected, not cut short (R16)', () => {
    const story = tell([reservation(0, 3600, 4, 1800), immediate(600, 2, 7200)], { enactmentOverhead: 0 });
    expect(story.timeline(1)).toBe('VM[3600,5400)');
    expect(story.lease(2)).toMatchObject({ state: 'REJECTED', start: null });
  });
});

describe('backfilling', () => {
  const leases = [
    bestEffort(0, 2, 7200),
    bestEffort(1, 4, 3600),
    bestEffort(2, 2, 3600),
    bestEffort(3, 1, 14400),
    bestEffort(4, 3, 1800),
  ];
  const told = (backfilling: SchedulerConfig['backfilling'], suspension: SchedulerConfig['suspension']) =>
    tell(leases, {
      backfilling,
      suspension,
      backfillingReservations: 2,
      enactmentOverhead: 0,
      migration: 'no',
    });
  const starts = (story: Story) => story.result.leases.map(({ start }) => start);

  it.each(['none', 'all'] as const)('off: first come, first served (suspension %s)', (suspension) => {
    const story = told('off', suspension);
    expect(starts(story)).toEqual([0, 7200, 10800, 10800, 14400]);
    expect(story.nodes(4)).toBe('3');
    expect(story.nodes(5)).toBe('1 2 4');
  });

  it.each(['aggressive', 'intermediate', 'conservative'] as const)(
    '%s: a lease that fits in front starts at once',
    (backfilling) => {
      const story = told(backfilling, 'none');
      expect(starts(story)).toEqual([0, 7200, 2, 10800, 10800]);
      expect([3, 4, 5].map((id) => story.nodes(id))).toEqual(['3 4', '1', '2 3 4']);
    },
  );

  it.each(['intermediate', 'conservative'] as const)(
    '%s, with suspension: even a part of a lease fits in front',
    (backfilling) => {
      const story = told(backfilling, 'all');
      expect(story.timeline(4)).toBe('VM[3602,7200) S[7200,7200) R[12600,12632) VM[12632,23434)');
      expect(story.timeline(5)).toBe('VM[10800,12600)');
      expect(story.nodes(5)).toBe('1 2 3');
    },
  );

  it('aggressive, with suspension: a suspended lease is queued by the time of its request', () => {
    const story = told('aggressive', 'all');
    // At 7200 the suspended lease 4 is queued before lease 5, and takes the one reservation in the future (R30).
    expect(story.timeline(4)).toBe('VM[3602,7200) S[7200,7200) R[10800,10832) VM[10832,21634)');
    expect(story.nodes(5)).toBe('1 2 4');
  });
});

describe('transferring images', () => {
  const transfers: Partial<SchedulerConfig> = { preparation: 'imagetransfer' };
  const cached: Partial<SchedulerConfig> = {
    preparation: 'imagetransfer',
    imageTransfer: { ...defaultSchedulerConfig.imageTransfer, reuse: 'image-caches' },
  };
  const alike = (leases: readonly StoryLease[]) => leases.map((lease) => ({ ...lease, image: image('same') }));

  it('happens before the machines start, and as late as possible for a reservation', () => {
    const story = tell(alike([oneHourOnOneNode(), reservation(900, 1800, 4, 1800)]), transfers);
    expect(story.timeline(1)).toBe('T[0,82) VM[82,1798) S[1798,1800) R[3600,3634) VM[3634,5518) X[5518,5520)');
    expect(story.timeline(2)).toBe('T[1718,1800) VM[1800,3592) X[3592,3600)');
  });

  it('is reserved for a resumed lease in case its image must move', () => {
    const story = tell(alike([oneHourOnOneNode(2700), reservation(900, 1800, 4, 900, { known: 600 })]), transfers);
    expect(story.timeline(1)).toBe('T[0,82) VM[82,1798) S[1798,1800) R[2564,2598) VM[2598,3582)');
  });

  it('is repeated for a lease that moves forward, unless nodes cache images', () => {
    const leases = alike([oneHourOnOneNode(1800), bestEffort(900, 4, 900)]);
    const story = tell(leases, transfers);
    expect(story.timeline(2)).toBe('T[900,982) T[1882,1964) VM[1964,2864) X[2864,2872)');
    const withCaches = tell(leases, cached);
    expect(withCaches.timeline(2)).toBe('T[900,982) VM[1882,2782) X[2782,2790)');
  });

  it('serves several leases that need the same image', () => {
    const story = tell(alike([reservation(0, 90, 2, 3600), bestEffort(0, 2, 3600)]), transfers);
    expect(story.timeline(1)).toBe('T[8,90) VM[90,3686) X[3686,3690)');
    // It shares the reservation's transfer, and is ready when the transfer ends (R24).
    expect(story.timeline(2)).toBe('VM[90,3690) X[3690,3694)');
    expect(story.of(1, 'IMAGE_TRANSFER')[0]?.targets).toEqual({
      1: [[1, 1]],
      2: [[1, 2]],
      3: [[2, 1]],
      4: [[2, 2]],
    });
  });

  it('by unicast handles one machine at a time', () => {
    const story = tell(alike(new Array(3).fill(bestEffort(0, 4, 900)) as StoryLease[]), {
      preparation: 'imagetransfer',
      enactmentOverhead: 0,
      imageTransfer: { ...defaultSchedulerConfig.imageTransfer, mechanism: 'unicast' },
    });
    expect([1, 2, 3].map((id) => story.timeline(id))).toEqual([
      'T[0,328) VM[328,1228)',
      'T[328,656) VM[1228,2128)',
      'T[1228,1556) VM[2128,3028)',
    ]);
  });

  it('uses cached images, even those of a reservation that has ended', () => {
    const leases = alike([reservation(0, 900, 1, 900), bestEffort(2700, 1, 900)]);
    expect(tell(leases, transfers).timeline(2)).toBe('T[2700,2782) VM[2782,3682) X[3682,3684)');
    expect(tell(leases, cached).timeline(2)).toBe('VM[2700,3600) X[3600,3602)');
  });

  it('prefers the node that has the image cached', () => {
    const story = tell(
      [
        { ...reservation(0, 900, 2, 900), image: image('A') },
        { ...reservation(0, 900, 2, 900), image: image('B') },
        { ...bestEffort(2700, 1, 900), image: image('B') },
      ],
      cached,
    );
    expect(story.timeline(1)).toContain('T[818,900)');
    expect(story.timeline(2)).toContain('T[736,818)');
    expect(story.timeline(3)).toBe('VM[2700,3600) X[3600,3602)');
    expect(story.nodes(3)).toBe('3');
  });
});

describe('requests that crash the reference implementation', () => {
  it('larger than the site: rejected (R6)', () => {
    const story = tell([bestEffort(0, 5, 600)]);
    expect(story.lease(1).state).toBe('REJECTED');
    expect(story.lease(1).reason).toBe('even the empty site has room for only 4 of the 5 machines');
  });

  it('a start in the past: rejected (R10)', () => {
    const story = tell([reservation(900, 600, 1, 600)]);
    expect(story.path(1)).toBe('900 PENDING, 900 REJECTED');
  });

  it('a start during the shutdown of another lease: rejected (R13)', () => {
    const story = tell([bestEffort(0, 4, 3600), reservation(600, 3605, 1, 600)], { shutdownTime: 10_000 });
    expect(story.timeline(1)).toBe('VM[0,3600) X[3600,3618)');
    expect(story.lease(2).state).toBe('REJECTED');
  });
});
