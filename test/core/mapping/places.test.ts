import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Journal } from '../../../src/core/journal.ts';
import { makeLease } from '../../../src/core/lifecycle/request.ts';
import { PlaceSearch } from '../../../src/core/mapping/places.ts';
import { ResourceSpace } from '../../../src/core/model/capacity.ts';
import { VmReservation } from '../../../src/core/model/lease.ts';
import { SlotTable } from '../../../src/core/slot-table/slot-table.ts';
import { siteOf } from '../../support/story.ts';

const NODES = 4;
const LAST = 60;
const site = siteOf([NODES, { CPU: 100, Memory: 1024 }]);
const space = new ResourceSpace(site);

const lease = (machines: number, CPU: number) =>
  makeLease(
    { space },
    {
      ...{ id: 1, name: null, type: 'BEST_EFFORT', submittedAt: 0, requestedStart: null },
      ...{
        originalDuration: 1,
        duration: 1,
        knownDuration: null,
        preemptible: true,
        image: null,
        owner: null,
        project: null,
        occurrenceOf: null,
        deadline: null,
      },
      machines: new Array(machines).fill({ CPU, Memory: 64 }),
    },
  );

it('finds the first instant at which enough places are free for long enough', () => {
  const hold = fc.record({
    node: fc.integer({ min: 1, max: NODES }),
    start: fc.integer({ min: 0, max: LAST - 20 }),
    length: fc.integer({ min: 1, max: 20 }),
    CPU: fc.constantFrom(20, 50, 100),
  });
  const question = fc.record({
    machines: fc.integer({ min: 1, max: 9 }),
    CPU: fc.constantFrom(30, 50, 100),
    reach: fc.integer({ min: 1, max: 15 }),
    calls: fc.array(fc.integer({ min: 0, max: LAST }), { minLength: 1, maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(hold, { maxLength: 20 }), question, (holds, { machines, CPU, reach, calls }) => {
      const table = new SlotTable(space, site, new Journal());
      for (const { node, start, length, CPU } of holds) {
        const amounts = new Map([[node, space.need({ CPU }).vector]]);
        table.addChain(new VmReservation(lease(1, CPU), start, start + length, amounts, [0, node]));
      }
      const free = (node: number, at: number) =>
        holds
          .filter((each) => each.node === node && each.start <= at && at < each.start + each.length)
          .reduce((sum, each) => sum - each.CPU, 100);
      const throughout = (from: number) => Array.from({ length: reach }, (_, index) => from + index);
      const mayFit = (from: number) => {
        const places = (node: number) =>
          Math.min(...throughout(from).map((at) => Math.max(0, Math.floor(free(node, at) / CPU))));
        const nodes = Array.from({ length: NODES }, (_, index) => index + 1);
        const onSite = (at: number) => nodes.reduce((sum, node) => sum + free(node, at), 0);
        return (
          throughout(from).every((at) => onSite(at) >= machines * CPU) &&
          nodes.reduce((sum, node) => sum + places(node), 0) >= machines
        );
      };
      const search = new PlaceSearch(table, lease(machines, CPU), reach);
      for (const from of calls.sort((a, b) => a - b)) {
        const times = Array.from({ length: LAST + 1 }, (_, index) => from + index);
        expect(search.notBefore(from, Number.POSITIVE_INFINITY)).toBe(times.find(mayFit) ?? Number.POSITIVE_INFINITY);
      }
    }),
    { numRuns: 500 },
  );
});
