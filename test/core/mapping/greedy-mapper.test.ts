import { describe, expect, it } from 'vitest';
import type { SchedulerConfig } from '../../../src/core/index.ts';
import { bestEffort, reservation, type StoryLease, siteOf, tell, WHOLE } from '../../support/story.ts';

const HALF = { CPU: 50, Memory: 512 };
const TINY = { CPU: 10, Memory: 64 };

describe('mapping machines to nodes', () => {
  it('fills a node before it continues with the next', () => {
    expect(tell([bestEffort(0, 5, 600, { each: HALF })]).nodes(1)).toBe('1 1 2 2 3');
  });

  it('does not return to an earlier node (next fit)', () => {
    const lease = { ...bestEffort(0, 0, 600), machines: [HALF, WHOLE, HALF, TINY] };
    // Heaviest first: the whole one on node 1, the halves on node 2. The tiny one fits nowhere before node 3.
    expect(tell([lease]).nodes(1)).toBe('2 1 2 3');
  });

  it('prefers nodes with fewer leases on them', () => {
    const story = tell([bestEffort(0, 1, 600, { each: TINY }), bestEffort(1, 1, 600, { each: TINY })]);
    expect([story.nodes(1), story.nodes(2)]).toEqual(['1', '2']);
  });

  it('uses nodes in order of their numbers when the policy has no preference', () => {
    const story = tell([bestEffort(0, 1, 600, { each: TINY }), bestEffort(1, 1, 600, { each: TINY })], {
      config: { hostSelection: 'no-policy' },
    });
    expect([story.nodes(1), story.nodes(2)]).toEqual(['1', '1']);
  });

  it('prefers nodes on which nothing changes during the lease', () => {
    // Nodes 1 and 2 are as empty as 3 and 4, but a lease starts there soon.
    const story = tell([reservation(0, 300, 2, 600), bestEffort(10, 2, 600)]);
    expect([story.nodes(1), story.nodes(2)]).toEqual(['1 2', '3 4']);
  });

  it('never splits a share between CPUs, even if their sum is sufficient', () => {
    const site = siteOf([1, { CPU: [100, 100], Memory: 4096 }]);
    const share = (CPU: number) => bestEffort(0, 1, 600, { each: { CPU, Memory: 64 } });
    const story = tell([share(60), share(60), share(40), share(50), share(150)], { site });
    // 60 | 60, and 40 beside the first. Another 50 does not fit on one CPU, though 40 are free on the second.
    expect(story.result.leases.map(({ start }) => start)).toEqual([0, 0, 0, 600, null]);
    expect(story.lease(5).state).toBe('REJECTED');
  });

  it('keeps a share on one CPU for the whole lease', () => {
    const site = siteOf([1, { CPU: [100, 100], Memory: 4096 }]);
    const each = { CPU: 100, Memory: 64 };
    const first = reservation(0, 300, 1, 600, { each });
    const story = tell([first, first, reservation(6, 100, 1, 200, { each }), bestEffort(10, 1, 600, { each })], {
      site,
      cancel: [[5, 1]],
    });
    // The first CPU is taken from 100 to 300, the second from 300 to 900: one is always free, but neither for long
    // enough.
    expect(story.lease(4).start).toBe(300);
  });
});

describe('mapping to a shorter interval', () => {
  const suspending: Partial<SchedulerConfig> = { suspension: 'all' };
  const blocked = [reservation(0, 1000, 4, 600), bestEffort(1, 2, 3600)];

  it('is used if the lease can be suspended and runs long enough', () => {
    const story = tell(blocked, { config: suspending });
    expect(story.timeline(2)).toBe('VM[1,968) S[968,1000) R[1600,1632) VM[1632,4265)');
  });

  it('is not used if suspension is disabled', () => {
    expect(tell(blocked).timeline(2)).toBe('VM[1600,5200)');
  });

  it('is not used below the threshold, which is twice the time to suspend', () => {
    const wait = (start: number) =>
      tell([reservation(0, start, 4, 600), bestEffort(1, 1, 3600)], { config: suspending }).lease(2).start;
    expect(wait(65)).toBe(1);
    expect(wait(64)).toBe(664);
  });

  it('shortens the interval of all machines if one of them must leave early', () => {
    // One node is needed from 500 on, another from 1000 on.
    const leases: StoryLease[] = [reservation(0, 1000, 3, 600), reservation(0, 500, 1, 1100), bestEffort(1, 4, 3600)];
    const story = tell(leases, { config: suspending });
    expect(story.nodes(1)).toBe('1 2 3');
    expect(story.nodes(2)).toBe('4');
    expect(story.timeline(3)).toMatch(/^VM\[1,468\) S\[468,500\)/);
  });
});

describe('mapping with preemption', () => {
  const preempting: Partial<SchedulerConfig> = { preemption: 'ar-preempts-everything', suspension: 'all' };

  it('preempts no more leases than needed, youngest first', () => {
    const story = tell(
      [
        bestEffort(0, 1, 7200),
        bestEffort(1, 1, 7200),
        bestEffort(2, 1, 7200),
        bestEffort(3, 1, 7200),
        reservation(10, 1000, 2, 600),
      ],
      { config: preempting },
    );
    expect(story.nodes(5)).toBe('3 4');
    expect([1, 2, 3, 4].map((id) => story.of(id, 'SUSPENSION').length)).toEqual([0, 0, 1, 1]);
  });

  it('spares leases whose preemption turns out to be unnecessary (R11)', () => {
    const large = { CPU: 100, Memory: 2048 };
    const story = tell(
      [bestEffort(0, 1, 7200), bestEffort(1, 1, 7200), reservation(10, 1000, 1, 600, { each: large })],
      { site: siteOf([1, large], [1, WHOLE]), config: preempting },
    );
    // The younger lease on node 2 is tried first and does not help. The other one then frees node 1.
    expect([1, 2, 3].map((id) => story.nodes(id))).toEqual(['1 | 1', '2', '1']);
    expect(story.timeline(2)).toBe('VM[1,7201)');
  });

  it('never preempts a lease that must not be preempted (R12)', () => {
    const story = tell([bestEffort(0, 4, 7200, { preemptible: false }), reservation(10, 1000, 1, 600)], {
      config: preempting,
    });
    expect(story.lease(2).state).toBe('REJECTED');
    expect(story.timeline(1)).toBe('VM[0,7200)');
  });
});
