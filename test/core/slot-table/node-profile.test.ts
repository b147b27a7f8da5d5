import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResourceSpace } from '../../../src/core/model/capacity.ts';
import type { Lease } from '../../../src/core/model/lease.ts';
import { type Hold, NodeProfile } from '../../../src/core/slot-table/node-profile.ts';
import { siteOf } from '../../support/story.ts';

const space = new ResourceSpace(siteOf([1, { CPU: 100, Memory: 1000 }]));
const capacity = space.capacity({ CPU: 100, Memory: 1000 });

/** Leases are only compared by identity here. */
const [ann, bob, cleo] = ['ann', 'bob', 'cleo'].map((name) => ({ name }) as unknown as Lease) as [Lease, Lease, Lease];

const hold = (lease: Lease, start: number, end: number, CPU: number, Memory = 0): Hold => ({
  lease,
  start,
  end,
  amounts: space.vector({ CPU, Memory }),
  counted: true,
});

const node = (...holds: readonly Hold[]) => {
  const profile = new NodeProfile(1, capacity);
  for (const each of holds) profile.add(each);
  return profile;
};

const cpuAt = (profile: NodeProfile, time: number) => profile.freeAt(time)[0];

describe('the free capacity of a node over time', () => {
  it('is lower while a lease holds resources', () => {
    const profile = node(hold(ann, 10, 30, 60), hold(bob, 20, 40, 40));
    expect([9, 10, 20, 30, 40].map((time) => cpuAt(profile, time))).toEqual([100, 40, 0, 60, 100]);
  });

  it('is restored when resources are released', () => {
    const [first, second] = [hold(ann, 10, 30, 60), hold(bob, 20, 40, 40)];
    const profile = node(first, second);
    profile.remove(first);
    expect([10, 20, 40].map((time) => cpuAt(profile, time))).toEqual([100, 60, 100]);
    profile.remove(second);
    expect(profile.segments).toHaveLength(1);
  });

  it('can release a hold that began before the forgotten past', () => {
    const first = hold(ann, 10, 30, 60);
    const profile = node(first, hold(bob, 20, 40, 40));
    profile.forget(25);
    expect(cpuAt(profile, 25)).toBe(0);
    profile.remove(first);
    expect([25, 30, 40].map((time) => cpuAt(profile, time))).toEqual([60, 60, 100]);
  });

  it('stays unchanged while amounts and leases are equal', () => {
    const profile = node(hold(ann, 0, 10, 50), hold(bob, 10, 20, 50), hold(bob, 20, 30, 50));
    expect(profile.unchangedUntil(0)).toBe(10);
    expect(profile.unchangedUntil(10)).toBe(30);
    expect(profile.unchangedUntil(15)).toBe(30);
    expect(profile.unchangedUntil(30)).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts each lease once, up to a limit', () => {
    const profile = node(hold(ann, 0, 10, 10), hold(ann, 0, 10, 10), hold(bob, 0, 10, 10), hold(cleo, 0, 10, 0));
    expect(profile.leaseCount(5, 4)).toBe(3);
    expect(profile.leaseCount(5, 2)).toBe(2);
    expect(profile.leaseCount(10, 4)).toBe(0);
  });

  it('matches a model that lists the holds', () => {
    const made = fc.record({
      lease: fc.constantFrom(ann, bob, cleo),
      start: fc.integer({ min: 0, max: 30 }),
      length: fc.integer({ min: 1, max: 15 }),
      CPU: fc.integer({ min: 0, max: 10 }),
      Memory: fc.integer({ min: 0, max: 100 }),
      kept: fc.boolean(),
    });
    const time = fc.integer({ min: 0, max: 48 });
    fc.assert(
      fc.property(fc.array(made, { maxLength: 12 }), time, fc.array(time, { minLength: 8 }), (all, past, questions) => {
        const holds = all.map(({ lease, start, length, CPU, Memory }) =>
          hold(lease, start, start + length, CPU, Memory),
        );
        const profile = node(...holds);
        profile.forget(past);
        holds.forEach((each, index) => {
          if (!all[index]?.kept) profile.remove(each);
        });
        const left = holds.filter((_each, index) => all[index]?.kept);
        const present = (at: number) => left.filter(({ start, end }) => start <= at && at < end);
        const free = (at: number) =>
          capacity.map((amount, d) => present(at).reduce((sum, { amounts }) => sum - (amounts[d] as number), amount));
        const leases = (at: number) => new Set(present(at).map(({ lease }) => lease));
        const same = (a: number, b: number) =>
          String(free(a)) === String(free(b)) &&
          leases(a).size === new Set([...leases(a), ...leases(b)]).size &&
          leases(a).size === leases(b).size;
        for (const first of questions) {
          const at = past + first;
          expect(profile.freeAt(at)).toEqual(free(at));
          expect(profile.leaseCount(at, 9)).toBe(leases(at).size);
          const times = Array.from({ length: 60 }, (_, index) => at + 1 + index);
          expect(profile.unchangedUntil(at)).toBe(times.find((later) => !same(at, later)) ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 150 },
    );
  });
});
