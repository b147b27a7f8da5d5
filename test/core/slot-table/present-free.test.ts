import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Journal } from '../../../src/core/journal.ts';
import { fits, ResourceSpace } from '../../../src/core/model/capacity.ts';
import { type Lease, Reservation } from '../../../src/core/model/lease.ts';
import { Occupancy } from '../../../src/core/slot-table/occupancy.ts';
import { ProjectLedgers } from '../../../src/core/slot-table/project-ledgers.ts';
import { siteOf } from '../../support/story.ts';

const lease = { terms: { project: null } } as Lease;
const nodes = fc.integer({ min: 1, max: 3 });
const times = fc.integer({ min: 0, max: 40 });
const amount = fc.constantFrom(0, 20, 50, 100);

const step = fc.oneof(
  fc.record({ what: fc.constant('hold' as const), node: nodes, from: times, length: times, CPU: amount }),
  fc.record({ what: fc.constant('take back a hold' as const), node: nodes, from: times, CPU: amount }),
  fc.record({ what: fc.constant('release' as const), which: fc.nat() }),
  fc.record({ what: fc.constant('close' as const), node: nodes, from: times, length: times }),
  fc.record({ what: fc.constant('open' as const), node: nodes }),
  fc.record({ what: fc.constant('replace' as const), node: nodes, CPU: amount }),
  fc.record({ what: fc.constant('wait' as const), by: fc.integer({ min: 1, max: 10 }) }),
);

it('agrees with the profiles of the nodes, whatever changes them', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const site = siteOf([3, { CPU: 100, Memory: 100 }]);
      const space = new ResourceSpace(site);
      const journal = new Journal();
      const occupancy = new Occupancy(space, site, journal, new ProjectLedgers(journal));
      occupancy.moveTo(0);
      const held: Reservation[] = [];
      const hold = (node: number, from: number, to: number, CPU: number): Reservation => {
        const start = occupancy.now + from;
        const amounts = new Map([[node, space.vector({ CPU })]]);
        const reservation = new Reservation(lease, 'VM', start, occupancy.now + to, amounts);
        occupancy.hold(reservation, amounts, start, reservation.end, true);
        return reservation;
      };
      const isUnused = (node: number): boolean => occupancy.nodes[node]?.holds().size === 0;
      for (const each of steps) {
        if (each.what === 'hold') held.push(hold(each.node, each.from, each.from + each.length, each.CPU));
        else if (each.what === 'take back a hold')
          journal.attempt(() => {
            hold(each.node, 0, each.from, each.CPU);
            occupancy.freeNow.hasRoom(each.node, space.need({ CPU: 50 }), occupancy.now);
            return null;
          });
        else if (each.what === 'release')
          for (const reservation of held.splice(each.which % (held.length + 1), 1)) occupancy.release(reservation);
        else if (each.what === 'close') {
          const start = occupancy.now + each.from;
          occupancy.close(each.node, [{ start, end: start + each.length + 1 }]);
        } else if (each.what === 'open') occupancy.close(each.node, []);
        else if (each.what === 'replace') {
          if (isUnused(each.node)) occupancy.replaceNode(each.node, { CPU: each.CPU, Memory: 100 });
        } else occupancy.moveTo(occupancy.now + each.by);
        for (const [number, node] of occupancy.nodes.entries()) {
          for (const ahead of [0, 1, 7]) {
            const at = occupancy.now + ahead;
            for (const CPU of [1, 60, 100]) {
              const need = space.need({ CPU });
              expect(occupancy.freeNow.hasRoom(number, need, at)).toBe(fits(need, node.freeAt(at)));
            }
          }
        }
      }
    }),
  );
});

it('knows nodes that are added', () => {
  const site = siteOf([1, { CPU: 100 }]);
  const space = new ResourceSpace(site);
  const journal = new Journal();
  const occupancy = new Occupancy(space, site, journal, new ProjectLedgers(journal));
  occupancy.moveTo(0);
  occupancy.addNode({ CPU: 300 });
  expect(occupancy.freeNow.hasRoom(2, space.need({ CPU: 300 }), 0)).toBe(true);
  expect(occupancy.freeNow.hasRoom(2, space.need({ CPU: 301 }), 0)).toBe(false);
});
