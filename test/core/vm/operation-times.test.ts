import { describe, expect, it } from 'vitest';
import {
  globalBackward,
  globalForward,
  localBackward,
  localForward,
  type Operation,
  type OperationPlan,
} from '../../../src/core/vm/operation-times.ts';

/** Machines by the node that they are on and the time that each takes. */
const plan = (overhead: number, ...machines: readonly (readonly [node: number, time: number])[]): OperationPlan => ({
  mapping: [0, ...machines.map(([node]) => node)],
  times: [0, ...machines.map(([, time]) => time)],
  overhead,
});

/** `1+2[0,10)`: machines 1 and 2 together. */
const told = (operations: readonly Operation[]) =>
  operations.map(({ start, end, machines }) => `${[...machines].sort().join('+')}[${start},${end})`).join(' ');

describe('one operation at a time on the whole site', () => {
  const three = plan(1, [1, 8], [1, 8], [2, 4]);

  it('resumes machine by machine', () => {
    expect(told(globalForward(three, 100))).toBe('1[100,109) 2[109,118) 3[118,123)');
  });

  it('suspends machine by machine, in reverse order', () => {
    expect(told(globalBackward(three, 100))).toBe('3[77,82) 2[82,91) 1[91,100)');
  });
});

describe('one operation at a time on each node', () => {
  it('works on all nodes in parallel if the machines are equal', () => {
    const alike = plan(0, [1, 8], [1, 8], [2, 8]);
    expect(told(localForward(alike, 100))).toBe('1+3[100,108) 2[108,116)');
    expect(told(localBackward(alike, 100))).toBe('2[84,92) 1+3[92,100)');
  });

  it('adds the overhead of each command in a group', () => {
    const alike = plan(1, [1, 8], [1, 8], [2, 8]);
    // Two commands, then one; what comes second is shifted to touch the first.
    expect(told(localForward(alike, 100))).toBe('1+3[100,110) 2[110,119)');
    expect(told(localBackward(alike, 100))).toBe('2[81,90) 1+3[90,100)');
  });

  it('serializes operations of different lengths, even on different nodes', () => {
    const mixed = plan(0, [1, 8], [2, 4]);
    expect(told(localForward(mixed, 100))).toBe('2[100,104) 1[104,112)');
    expect(told(localBackward(mixed, 100))).toBe('1[88,96) 2[96,100)');
  });

  it('groups operations that take no time; only their commands take time', () => {
    const quick = plan(2, [1, 0], [1, 0], [3, 0]);
    expect(told(localForward(quick, 100))).toBe('1+2+3[100,106)');
    expect(told(localBackward(quick, 100))).toBe('1+2+3[94,100)');
    expect(told(localBackward(plan(0, [1, 0]), 100))).toBe('1[100,100)');
  });

  it('orders an operation that takes no time before the one that starts at the same instant', () => {
    // Machine 2 is saved first, at the instant at which the saving of machine 1 begins.
    expect(told(localBackward(plan(0, [1, 8], [1, 0]), 100))).toBe('2[92,92) 1[92,100)');
    expect(told(globalBackward(plan(0, [1, 8], [1, 0]), 100))).toBe('2[92,92) 1[92,100)');
    expect(told(localForward(plan(0, [1, 0], [1, 8]), 100))).toBe('1[100,100) 2[100,108)');
  });

  it('orders groups of equal times by the node of their first machine', () => {
    // One operation of 8 s with one command equals one of 4 s with two commands.
    const equal = plan(4, [2, 4], [3, 4], [1, 8]);
    expect(told(localForward(equal, 0))).toBe('3[0,12) 1+2[12,24)');
    expect(told(localBackward(equal, 100))).toBe('1+2[76,88) 3[88,100)');
  });

  it('leaves no gap between groups', () => {
    const machines = plan(1, [1, 8], [1, 2], [2, 4], [2, 4], [3, 16]);
    for (const operations of [localForward(machines, 0), localBackward(machines, 1000)]) {
      operations.slice(1).forEach((each, index) => {
        expect(each.start).toBe(operations[index]?.end);
      });
    }
    expect(localForward(machines, 0)[0]?.start).toBe(0);
    expect(localBackward(machines, 1000).at(-1)?.end).toBe(1000);
  });
});
