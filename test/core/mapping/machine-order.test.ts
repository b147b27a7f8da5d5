import { describe, expect, it } from 'vitest';
import type { Amounts } from '../../../src/core/index.ts';
import { machineOrder } from '../../../src/core/mapping/machine-order.ts';
import { ResourceSpace } from '../../../src/core/model/capacity.ts';
import { siteOf } from '../../support/story.ts';

const plain = new ResourceSpace(siteOf([1, { CPU: 400, Memory: 4096 }]));
const cores = new ResourceSpace(siteOf([1, { CPU: [100, 100], Memory: 4096 }]));

const order = (space: ResourceSpace, ...machines: readonly Amounts[]) =>
  machineOrder(space, [
    { vector: space.zero, used: [], shares: [] },
    ...machines.map((each) => space.need(each)),
  ]);

describe('the order in which machines are mapped', () => {
  it('is by number where all are alike', () => {
    expect(order(plain, { CPU: 100, Memory: 512 }, { CPU: 100, Memory: 512 })).toEqual([1, 2]);
  });

  it('puts the heaviest first: its share in the largest amount of each type, added up', () => {
    // Weights 0.5 + 1, 1 + 0.25, 1 + 1.
    expect(
      order(plain, { CPU: 50, Memory: 1024 }, { CPU: 100, Memory: 256 }, { CPU: 100, Memory: 1024 }),
    ).toEqual([3, 1, 2]);
  });

  it('leaves out types that nobody asks for', () => {
    expect(order(plain, { Memory: 256 }, { Memory: 512 })).toEqual([2, 1]);
  });

  it('does not look at types of several instances', () => {
    expect(order(cores, { CPU: [50], Memory: 512 }, { CPU: [100, 100], Memory: 512 })).toEqual([1, 2]);
  });
});
