import { describe, expect, it } from 'vitest';
import { leaseType, machineSet } from '../../src/cli/client/arguments.ts';

describe('the type of a lease', () => {
  it.each([
    ['best-effort', 'BEST_EFFORT'],
    ['ADVANCE_RESERVATION', 'ADVANCE_RESERVATION'],
    ['Immediate', 'IMMEDIATE'],
  ])('"%s" is %s', (text, type) => {
    expect(leaseType(text)).toBe(type);
  });

  it.each(['', 'deadline', 'constructor', '__proto__'])('"%s" is none', (text) => {
    expect(() => leaseType(text)).toThrow('Expected one of best-effort, advance-reservation, immediate.');
  });
});

describe('machines', () => {
  it('may have several instances of a resource, written as they are shown', () => {
    const cores = { type: 'CPU', amount: 100 };
    const memory = { type: 'Memory', amount: 512 };
    const sets = [{ count: 2, capacity: [cores, cores, memory] }];
    expect(machineSet('2 CPU:100+100 Memory:512')).toEqual(sets);
    expect(machineSet('2 CPU:100 CPU:100 Memory:512')).toEqual(sets);
  });

  it.each(['CPU:100', '2', '2 CPU=100', '2 CPU:100+', '2 CPU:+100', '2 CPU:-1'])('"%s" are none', (text) => {
    expect(() => machineSet(text)).toThrow('Expected COUNT TYPE:AMOUNT');
  });
});
