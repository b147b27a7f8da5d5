import { describe, expect, it } from 'vitest';
import { ResourceSpace } from '../../../src/core/model/capacity.ts';
import type { Lease } from '../../../src/core/model/lease.ts';
import { MigrationPlanner } from '../../../src/core/vm/migration.ts';
import { type Config, leaseWith } from '../../support/lease.ts';
import { configOf, FOUR_NODES, image } from '../../support/story.ts';

const planner = (config: Config = {}) =>
  new MigrationPlanner(configOf({ migration: 'yes', ...config }), new ResourceSpace(FOUR_NODES));

/** A suspended lease: its machines' memory by the node on which it was saved, and how large it is. */
const suspended = (...at: readonly (readonly [node: number, memory: number])[]): Lease => {
  const lease = leaseWith(at.map(([, memory]) => ({ CPU: 10, Memory: memory })));
  at.forEach(([node], index) => {
    lease.memoryAt.set(index + 1, node);
  });
  return lease;
};

const told = (lease: Lease, to: readonly number[], config: Config = {}) =>
  planner(config)
    .plan(lease, lease, [0, ...to], 1_000_000)
    .map(({ kind, start, end, moves }) => {
      const who = moves.map(([machine, from, node]) => `${machine}:${from}>${node}`).join(' ');
      return `${kind === 'DISK_MIGRATION' ? 'D' : 'M'}[${start / 1000},${end / 1000}) ${who}`;
    });

describe('migrating a lease to where it will be resumed', () => {
  it('moves only machines whose node changes', () => {
    expect(told(suspended([1, 500], [2, 500]), [1, 2])).toEqual([]);
    expect(told(suspended([1, 500], [2, 500]), [1, 3])).toEqual(['M[1000,1040) 2:2>3']);
  });

  it('moves machines with different nodes in parallel, which takes as long as the largest', () => {
    expect(told(suspended([1, 500], [2, 250]), [3, 4])).toEqual(['M[1000,1040) 1:1>3 2:2>4']);
  });

  it('moves machines that share an origin or a destination one after the other', () => {
    expect(told(suspended([1, 500], [1, 250]), [3, 4])).toEqual(['M[1000,1040) 1:1>3', 'M[1040,1060) 2:1>4']);
    expect(told(suspended([1, 500], [2, 250]), [3, 3])).toEqual(['M[1000,1040) 1:1>3', 'M[1040,1060) 2:2>3']);
  });

  it('does not swap two machines at once', () => {
    expect(told(suspended([1, 500], [2, 250]), [2, 1])).toEqual(['M[1000,1040) 1:1>2', 'M[1040,1060) 2:2>1']);
  });

  it('fills each group as far as possible, in order of the machines', () => {
    expect(told(suspended([1, 100], [1, 100], [3, 100], [3, 100]), [2, 2, 4, 4])).toEqual([
      'M[1000,1008) 1:1>2 3:3>4',
      'M[1008,1016) 2:1>2 4:3>4',
    ]);
  });

  it('moves disk images first, from their nodes (R53)', () => {
    const lease = leaseWith([{ CPU: 10, Memory: 500 }], image('A', 400));
    lease.memoryAt.set(1, 1);
    lease.diskAt.set(1, 2);
    expect(told(lease, [3])).toEqual(['D[1000,1032) 1:2>3', 'M[1032,1072) 1:1>3']);
    expect(told(lease, [2])).toEqual(['M[1000,1040) 1:1>2']);
  });

  it('takes no time and no bandwidth if the configuration says so', () => {
    const lease = suspended([1, 500], [1, 250]);
    const [all, ...others] = planner({ migration: 'yes-notransfer' }).plan(lease, lease, [0, 3, 4], 1_000_000);
    expect(others).toEqual([]);
    expect(all).toMatchObject({
      start: 1_000_000,
      end: 1_000_000,
      moves: [
        [1, 1, 3],
        [2, 1, 4],
      ],
    });
    expect(all?.amounts.size).toBe(0);
  });

  it('is not done if migration is off', () => {
    expect(told(suspended([1, 500]), [2], { migration: 'no' })).toEqual([]);
  });

  it('reserves the bandwidth on both nodes', () => {
    const lease = suspended([1, 500]);
    const [only] = planner().plan(lease, lease, [0, 2], 0);
    const space = new ResourceSpace(FOUR_NODES);
    expect([...(only?.amounts ?? [])].map(([node, amounts]) => [node, space.amounts(amounts)])).toEqual([
      [1, { 'Net-out': 100 }],
      [2, { 'Net-in': 100 }],
    ]);
  });
});
