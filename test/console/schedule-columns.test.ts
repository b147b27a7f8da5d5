/** How the console lays out the bars of a schedule, and finds its way among them. */
import { describe, expect, it } from 'vitest';
import { buffersOf, columnsOf, textAt } from '../../console/src/chart/schedule-columns.ts';
import {
  barOf,
  buildModel,
  eachBarWithin,
  labelOf,
  matchingLeases,
  neighbourOf,
  sameBar,
} from '../../console/src/chart/schedule-model.ts';

const at = (hour: number) => new Date(Date.UTC(2030, 0, 1, hour)).toISOString();

const reservation = (lease: number, start: number, end: number, nodes: readonly number[]) => ({
  id: `r${lease}`,
  kind: 'VM' as const,
  state: 'SCHEDULED' as const,
  start: at(start),
  end: at(end),
  nodes,
  leaseNumber: lease,
  leaseName: lease % 2 === 0 ? `lease “${lease}”` : null,
  leaseState: lease === 1 ? ('ACTIVE' as const) : ('SCHEDULED' as const),
  leaseType: 'BEST_EFFORT' as const,
  leaseProject: lease === 3 ? 'genomics' : null,
});

const reservations = [
  reservation(1, 0, 4, [1, 2]),
  reservation(2, 2, 6, [2]),
  reservation(3, 4, 5, [2]),
  reservation(4, 6, 7, [2]),
];
const maintenance = [
  {
    id: 'm',
    reason: 'new disks',
    start: at(8),
    end: at(9),
    nodes: [{ number: 2, hostname: 'node-2' }],
  },
];
const everything = { project: null, states: null };
const columns = () => columnsOf({ isComplete: true, reservations }, maintenance, everything);
const nodes = [3, 2, 1].map((number) => ({
  number,
  hostname: `node-${number}.example.org`,
  state: 'UP' as const,
}));

describe('the bars of a schedule', () => {
  it('have lanes in which they do not overlap, as many as their group needs', () => {
    const { bars, nodes: numbers, firsts } = columns();
    expect([...numbers]).toEqual([1, 2]);
    expect([...firsts]).toEqual([0, 1, 6]);
    expect([...bars.subject]).toEqual([0, 0, 1, 2, 3, 0]);
    expect([...bars.lane]).toEqual([0, 0, 1, 0, 0, 0]);
    expect([...bars.lanes]).toEqual([1, 2, 2, 2, 1, 1]);
    expect([...bars.latestEnd].map((end) => new Date(end).getUTCHours())).toEqual([4, 4, 6, 6, 7, 9]);
  });

  it('are in rows in the order of the nodes, and are found by time', () => {
    const model = buildModel(nodes, columns());
    expect(model.rows.map(({ label, first, last }) => [label, first, last])).toEqual([
      ['node-3', 0, 0],
      ['node-2', 1, 6],
      ['node-1', 0, 1],
    ]);
    const within = (row: number, from: number, to: number) => {
      const found: string[] = [];
      eachBarWithin(model, row, Date.parse(at(from)), Date.parse(at(to)), (bar) => found.push(labelOf(model, bar)));
      return found;
    };
    expect(within(1, 4, 6)).toEqual(['2 lease “2”', '3']);
    expect(within(1, 7, 24)).toEqual(['new disks']);
    expect(within(0, 0, 24)).toEqual([]);
  });

  it('are visited row by row, both ways around', () => {
    const model = buildModel(nodes, columns());
    const visit = (step: number) => {
      const seen: string[] = [];
      let bar = neighbourOf(model, null, step);
      for (let count = 0; count < 7 && bar; count += 1) {
        seen.push(`${bar.row}/${labelOf(model, bar.index)}`);
        bar = neighbourOf(model, bar, step);
      }
      return seen;
    };
    const forth = ['1/1', '1/2 lease “2”', '1/3', '1/4 lease “4”', '1/new disks', '2/1'];
    expect(visit(1)).toEqual([...forth, '1/1']);
    expect(visit(-1)).toEqual([...[...forth].reverse(), '2/1']);
    expect(neighbourOf(buildModel([], columns()), null, 1)).toBe(null);
  });

  it('are found again in another answer, with everything that is told of them', () => {
    const before = buildModel(nodes, columns());
    const after = buildModel([...nodes].reverse(), columns());
    const bar = barOf(before, 1, 3);
    expect(bar.reservation).toEqual({
      id: 'r3',
      state: 'SCHEDULED',
      leaseNumber: 3,
      leaseName: '',
      leaseState: 'SCHEDULED',
      leaseType: 'BEST_EFFORT',
      leaseProject: 'genomics',
      nodes: 1,
    });
    expect(sameBar(after, before, bar)).toEqual({ ...bar, row: 1 });
    expect(sameBar(after, before, barOf(before, 1, 5))?.reason).toBe('new disks');
    const without = columnsOf({ isComplete: true, reservations: [] }, [], everything);
    expect(sameBar(buildModel(nodes, without), before, bar)).toBe(null);
  });

  it('are only those of the project and the states that are asked for', () => {
    const leasesOf = (filter: Parameters<typeof columnsOf>[2]) => [
      ...columnsOf({ isComplete: false, reservations }, maintenance, filter).leaseNumbers,
    ];
    expect(leasesOf({ project: 'genomics', states: null })).toEqual([3]);
    expect(leasesOf({ project: null, states: ['ACTIVE'] })).toEqual([1]);
    expect(leasesOf({ project: 'genomics', states: ['ACTIVE'] })).toEqual([]);
  });

  it('are found by the number, the name or the state of their lease', () => {
    const found = (text: string) => {
      const all = columns();
      const indexes = matchingLeases(text, all);
      return indexes && [...indexes].map((index) => all.leaseNumbers[index]);
    };
    expect(found('3')).toEqual([3]);
    expect(found('LEASE “4')).toEqual([4]);
    expect(found('active')).toEqual([1]);
    expect(found('nothing')).toBe(null);
    expect(found(' ')).toBe(null);
  });

  it('are handed over to another thread without a copy', () => {
    const sent = columns();
    const received = structuredClone(sent, { transfer: buffersOf(sent) });
    expect(received).toEqual(columns());
    expect(sent.bars.start.length).toBe(0);
    expect(textAt(received.leaseNames, 1)).toBe('lease “2”');
  });
});
