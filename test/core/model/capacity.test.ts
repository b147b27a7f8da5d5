import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Amounts, SchedulerError } from '../../../src/core/index.ts';
import { fits, pack, ResourceSpace } from '../../../src/core/model/capacity.ts';
import { siteOf } from '../../support/story.ts';

const plain = new ResourceSpace(siteOf([2, { CPU: 400, Memory: 4096 }]));
const cores = new ResourceSpace(
  siteOf([1, { CPU: [100, 100, 100, 100], Memory: 4096 }], [1, { CPU: [100, 100], Memory: 1024 }]),
);

describe('a site on which every type has one instance', () => {
  const free = plain.capacity({ CPU: 400, Memory: 4096 });

  it('has the declared types, then Disk, Net-in and Net-out, which are unlimited', () => {
    expect(plain.types.map(({ name }) => name)).toEqual(['CPU', 'Memory', 'Disk', 'Net-in', 'Net-out']);
    expect(free).toEqual([400, 4096, 1_000_000, 1_000_000, 1_000_000]);
  });

  it('gives a node none of a declared type that it does not mention', () => {
    expect(plain.capacity({ CPU: 100 })).toEqual([100, 0, 1_000_000, 1_000_000, 1_000_000]);
  });

  it('takes only the first instance of a multi-instance amount', () => {
    expect(plain.need({ CPU: [100, 50] }).vector).toEqual([100, 0, 0, 0, 0]);
  });

  it('fits an amount that is not more than what is free in any type', () => {
    expect(fits(plain.need({ CPU: 400, Memory: 4096 }), free)).toBe(true);
    expect(fits(plain.need({ CPU: 401 }), free)).toBe(false);
    expect(fits(plain.need({ CPU: 1, Memory: 4097 }), free)).toBe(false);
  });

  it('rejects other types', () => {
    expect(() => plain.need({ CPU: 100, GPU: 1 })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        path: ['GPU'],
        message: 'The site has no resource type "GPU"; it has CPU, Memory, Disk, Net-in, Net-out.',
      }) as SchedulerError,
    );
  });
});

describe('a site with several CPUs per node', () => {
  const free = cores.capacity({ CPU: [100, 100, 100, 100], Memory: 4096 });
  const fitsOn = (amounts: Amounts, on = free) => fits(cores.need(amounts), on);

  it('counts each instance separately; nodes with fewer instances have 0 in the others', () => {
    expect(free.slice(0, 5)).toEqual([100, 100, 100, 100, 4096]);
    expect(cores.capacity({ CPU: [100, 100], Memory: 1024 }).slice(0, 5)).toEqual([100, 100, 0, 0, 1024]);
  });

  it('never splits a share between two instances', () => {
    expect(fitsOn({ CPU: 100 })).toBe(true);
    expect(fitsOn({ CPU: 150 })).toBe(false);
    expect(fitsOn({ CPU: [100, 100, 100, 100] })).toBe(true);
    expect(fitsOn({ CPU: [100, 100, 100, 100, 1] })).toBe(false);
  });

  it('lets two shares use one instance', () => {
    expect(pack(cores.need({ CPU: [50, 50, 30] }), free)?.slice(0, 4)).toEqual([100, 30, 0, 0]);
  });

  it('puts each share into the first instance with enough left', () => {
    const used = cores.vector({ CPU: [60, 30, 0, 0] });
    const left = free.map((amount, dimension) => amount - (used[dimension] as number));
    expect(pack(cores.need({ CPU: [50, 60] }), left)?.slice(0, 4)).toEqual([0, 50, 60, 0]);
    expect(pack(cores.need({ CPU: [100, 100, 100] }), left)).toBeNull();
  });

  it('adds up the requests of several machines', () => {
    const one = cores.need({ CPU: [50], Memory: 1024 });
    const two = cores.plus(one, one);
    expect(cores.needTotals(two).slice(0, 2)).toEqual([100, 2048]);
    expect(pack(two, free)?.slice(0, 5)).toEqual([100, 0, 0, 0, 2048]);
  });

  it('returns amounts by name', () => {
    const amounts = { CPU: [100, 50, 0, 0], Memory: 512 };
    expect(cores.amounts(cores.vector(amounts))).toEqual(amounts);
    expect(cores.amounts(cores.vector({ Memory: 512 }))).toEqual({ Memory: 512 });
  });

  it('accepts exactly what first fit can place, within what is free', () => {
    const quantity = fc.integer({ min: 1, max: 120 });
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 4 }),
        fc.array(quantity, { maxLength: 6 }),
        (instances, shares) => {
          const free = cores.capacity({ CPU: instances, Memory: 10 });
          const placed = pack(cores.need({ CPU: shares }), free);
          // First fit, computed by hand.
          const left = [...instances];
          const used = [0, 0, 0, 0];
          const all = shares.every((share) => {
            const at = left.findIndex((amount) => amount >= share);
            if (at < 0) return false;
            left[at] = (left[at] as number) - share;
            used[at] = (used[at] as number) + share;
            return true;
          });
          expect(placed?.slice(0, 4) ?? null).toEqual(all ? used : null);
        },
      ),
    );
  });
});
