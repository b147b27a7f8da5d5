import { describe, expect, it } from 'vitest';
import type { Amounts } from '../../../src/core/index.ts';
import { machineOrder } from '../../../src/core/mapping/machine-order.ts';
import { ResourceSpace } from '../../../src/core/model/capacity.ts';
import { siteOf } from '../../support/story.ts';

const plain = new ResourceSpace(siteOf([1, { CPU: 400, Memory: 4096 }]));
const cores = new ResourceSpace(siteOf([1, { CPU: [100, 100], Memory: 4096 }]));

const order = (space: ResourceSpace, ...machines: readonly Amounts[]) =>
  machineOrder(space, [{ vector: space.zero, used: [], shares: [] }, ...machines.map((each) => space.need(each))]);

describe('the order in which machines are mapped', () => {
  it('is by number if all machines are equal', () => {
    expect(order(plain, { CPU: 100, Memory: 512 }, { CPU: 100, Memory: 512 })).toEqual([1, 2]);
  });

  it('is by weight, heaviest first: the sum of each amount divided by the largest amount of its type', () => {
    // Weights 0.5 + 1, 1 + 0.25, 1 + 1.
    expect(order(plain, { CPU: 50, Memory: 1024 }, { CPU: 100, Memory: 256 }, { CPU: 100, Memory: 1024 })).toEqual([
      3, 1, 2,
    ]);
  });

  it('ignores types that no machine requests', () => {
    expect(order(plain, { Memory: 256 }, { Memory: 512 })).toEqual([2, 1]);
  });

  it('ignores multi-instance types', () => {
    expect(order(cores, { CPU: [50], Memory: 512 }, { CPU: [100, 100], Memory: 512 })).toEqual([1, 2]);
  });
});
