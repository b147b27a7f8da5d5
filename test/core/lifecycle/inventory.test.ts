import { describe, expect, it } from 'vitest';
import { defaultSchedulerConfig, Scheduler, type SchedulerError } from '../../../src/core/index.ts';
import { request } from '../../support/lease.ts';
import { siteOf, WHOLE } from '../../support/story.ts';

const two = siteOf([2, WHOLE]);
const third = { number: 3, hostname: 'node-3', capacity: WHOLE };
const scheduler = () => Scheduler.create(two, defaultSchedulerConfig);
const machines = (count: number) => new Array(count).fill(WHOLE);
const refusal = (code: string) => expect.objectContaining({ code }) as SchedulerError;

/** The nodes on which a lease is planned or runs. */
const nodesOf = (site: Scheduler, id: number) => Object.values(site.lease(id)?.mapping ?? {});

describe('the nodes of a site', () => {
  it('can be added: waiting leases start on them', () => {
    const site = scheduler();
    site.request(0, request({ machines: machines(2), duration: 1_000_000 }));
    site.request(0, request({ machines: machines(1), duration: 500_000 }));
    site.schedule(0);
    expect(site.lease(2)?.plannedStart).toBe(1_000_000);
    site.advance(1_000);
    site.addNodes(1_000, [third]);
    expect([site.nodeCount, site.totalCapacity('CPU'), site.site.nodes.length]).toEqual([3, 300, 3]);
    expect([site.lease(2)?.plannedStart, nodesOf(site, 2)]).toEqual([1_000, [3]]);
    site.request(1_000, request({ machines: machines(3) }));
    expect(site.lease(3)?.state).toBe('PENDING');
  });

  it('are numbered consecutively', () => {
    const site = scheduler();
    expect(() => site.addNodes(0, [{ ...third, number: 4 }])).toThrow(refusal('INVALID_SITE'));
    expect(() => site.addNodes(0, [{ ...third, capacity: { CPU: [100, 100] } }])).toThrow(refusal('INVALID_SITE'));
    expect(site.nodeCount).toBe(2);
  });

  it('can change their capacity while they are unused', () => {
    const site = scheduler();
    site.request(0, request({ machines: machines(1) }));
    site.schedule(0);
    expect(() => site.updateNode(0, 1, { capacity: { CPU: 50, Memory: 512 } })).toThrow(refusal('NODE_IN_USE'));
    site.updateNode(0, 1, { labels: { rack: 'a' } });
    site.updateNode(0, 2, { capacity: { CPU: 200, Memory: 2048 } });
    expect(site.takeChanges().inventory).toEqual([
      { number: 1, hostname: 'node-1', capacity: WHOLE, labels: { rack: 'a' }, state: 'UP' },
      { number: 2, hostname: 'node-2', capacity: { CPU: 200, Memory: 2048 }, state: 'UP' },
    ]);
    expect(site.takeChanges().inventory).toBeUndefined();
    site.request(0, request({ machines: [{ CPU: 100, Memory: 1024 }, WHOLE] }));
    site.schedule(0);
    expect(nodesOf(site, 2)).toEqual([2, 2]);
    expect(site.totalCapacity('CPU')).toBe(300);
  });

  it('keep the number of instances over a restart, also when no node is left that has as many', () => {
    const cores = { CPU: [100, 100], Memory: 1024 };
    const site = Scheduler.create(
      {
        ...two,
        nodes: [
          { number: 1, hostname: 'node-1', capacity: cores },
          { ...third, number: 2, hostname: 'node-2' },
        ],
      },
      defaultSchedulerConfig,
    );
    site.request(0, request({ machines: [{ CPU: [100, 100], Memory: 512 }] }));
    site.removeNode(0, 1);
    expect(site.site.nodes.map(({ capacity }) => capacity)).toEqual([{}, { ...WHOLE, CPU: [100, 0] }]);
    expect(site.takeChanges().inventory?.map(({ number }) => number)).toEqual([1, 2]);
    expect(() => site.removeNode(0, 2)).toThrow(refusal('INVALID_REQUEST'));
    const restored = Scheduler.restore(site.site, defaultSchedulerConfig, site.snapshot());
    restored.schedule(0);
    restored.addNodes(0, [{ ...third, capacity: cores }]);
    restored.schedule(0);
    restored.advance(0);
    expect([restored.lease(1)?.state, nodesOf(restored, 1)]).toEqual(['ACTIVE', [3]]);
  });

  it('are only checked in a rehearsal, which leaves no trace', () => {
    const site = scheduler();
    site.request(0, request({ machines: machines(1) }));
    site.schedule(0);
    site.takeChanges();
    const before = { site: site.site, snapshot: site.snapshot() };
    site.rehearse((rehearsed) => rehearsed.addNodes(0, [third]));
    site.rehearse((rehearsed) => rehearsed.updateNode(0, 2, { capacity: { CPU: 200, Memory: 2048 } }));
    site.rehearse((rehearsed) => rehearsed.updateNode(0, 1, { labels: { rack: 'a' } }));
    site.rehearse((rehearsed) => rehearsed.removeNode(0, 2));
    for (const [change, code] of [
      [(rehearsed: Scheduler) => rehearsed.addNodes(0, [{ ...third, number: 4 }]), 'INVALID_SITE'],
      [(rehearsed: Scheduler) => rehearsed.updateNode(0, 1, { capacity: { CPU: 50 } }), 'NODE_IN_USE'],
      [(rehearsed: Scheduler) => rehearsed.removeNode(0, 1), 'NODE_IN_USE'],
    ] as const) {
      expect(() => site.rehearse(change)).toThrow(refusal(code));
    }
    expect({ site: site.site, snapshot: site.snapshot() }).toEqual(before);
    expect([site.nodeCount, site.totalCapacity('CPU'), site.takeChanges().inventory]).toEqual([...[2, 200, undefined]]);
  });

  it('can be removed: a removed node is not used, not even when it is set UP', () => {
    const site = scheduler();
    site.setNodeState(0, 1, 'DRAINING');
    site.removeNode(0, 1);
    site.setNodeState(0, 1, 'UP');
    site.request(0, request({ machines: machines(1) }));
    site.request(0, request({ machines: machines(2) }));
    site.schedule(0);
    expect([nodesOf(site, 1), site.totalCapacity('CPU')]).toEqual([[2], 100]);
    expect(site.lease(2)).toBeNull();
    const copy = Scheduler.restore(site.site, defaultSchedulerConfig, site.snapshot());
    expect(copy.snapshot()).toEqual(site.snapshot());
  });
});
