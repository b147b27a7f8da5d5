import { describe, expect, it } from 'vitest';
import { leaseType } from '../../src/cli/client/arguments.ts';

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
