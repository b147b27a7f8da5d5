import { describe, expect, it } from 'vitest';
import { leaseTypes, rulesOf } from '../../../src/core/lease-types/table.ts';

describe('the table of lease types', () => {
  it('lists the types in the order of the pass', () => {
    expect(leaseTypes.map(({ type, decidedIn }) => [type, decidedIn])).toEqual([
      ['BEST_EFFORT', 'QUEUE'],
      ['IMMEDIATE', 'PASS'],
      ['ADVANCE_RESERVATION', 'PASS'],
      ['DEADLINE', 'PASS'],
    ]);
  });

  it('finds the rules of a type', () => {
    for (const rules of leaseTypes) expect(rulesOf(rules.type)).toBe(rules);
  });

  it('rejects an unknown type', () => {
    expect(() => rulesOf('NO_SUCH_TYPE' as 'IMMEDIATE')).toThrow(
      'Leases of type NO_SUCH_TYPE cannot be scheduled here; supported types are BEST_EFFORT, IMMEDIATE, ADVANCE_RESERVATION',
    );
  });
});
