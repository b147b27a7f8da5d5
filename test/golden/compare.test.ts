import { describe, expect, it } from 'vitest';
import type { SimulationResult } from '../../src/simulation/result.ts';
import { differences, type ExpectedSchedule } from '../support/compare-golden.ts';

const expected: ExpectedSchedule = {
  leases: [
    {
      id: 1,
      type: 'BEST_EFFORT',
      state: 'DONE',
      submit: 0,
      start: 0,
      end: 62,
      accumulated: 60,
      reservations: [
        { kind: 'VM', start: 0, end: 60, nodes: { 1: 2, 2: 1 } },
        { kind: 'SHUTDOWN', start: 60, end: 62 },
      ],
    },
  ],
  events: [
    [0, 1, 'NEW', 'PENDING'],
    [62, 1, 'ACTIVE', 'DONE'],
  ],
  summary: { end: 62 },
};

/** The differences when the result is as expected but for one piece of its text. */
const compareWith = (text: string, instead: string): string[] => {
  const equal = JSON.stringify(expected);
  expect(equal).toContain(text);
  return differences(expected, JSON.parse(equal.replace(text, instead)) as SimulationResult);
};

describe('comparing a run with its expected schedule', () => {
  it('finds equal runs equal, whatever else a result holds and in whatever order keys stand', () => {
    expect(compareWith('"id":1', '"machines":2,"id":1,"reason":null')).toEqual([]);
    expect(compareWith('{"1":2,"2":1}', '{"2":1,"1":2}')).toEqual([]);
    expect(compareWith('"kind":"SHUTDOWN"', '"kind":"SHUTDOWN","nodes":{"1":2,"2":1}')).toEqual([]);
  });

  it('names a lease that ended at another time, and one that is missing', () => {
    expect(compareWith('"end":62,"acc', '"end":63,"acc')).toEqual(['lease 1 end: expected 62, got 63']);
    expect(compareWith('"id":1', '"id":2')).toEqual(['lease 1: missing']);
  });

  it('names a machine on another node, and a reservation too many', () => {
    expect(compareWith('{"1":2,"2":1}', '{"1":2,"2":3}')).toEqual([
      'lease 1 reservation 1: expected {"end":60,"kind":"VM","nodes":{"1":2,"2":1},"start":0}, got {"end":60,"kind":"VM","nodes":{"1":2,"2":3},"start":0}',
    ]);
    expect(compareWith('"end":62}]', '"end":62},{"kind":"VM","start":70,"end":80}]')).toEqual([
      'lease 1 reservation 3: expected null, got {"end":80,"kind":"VM","start":70}',
    ]);
  });

  it('names another path of states, and another end of the run', () => {
    expect(compareWith('"ACTIVE","DONE"', '"ACTIVE","CANCELLED"')).toEqual([
      'lease 1 events: expected ["0:NEW>PENDING","62:ACTIVE>DONE"], got ["0:NEW>PENDING","62:ACTIVE>CANCELLED"]',
    ]);
    expect(compareWith('{"end":62}', '{"end":63}')).toEqual(['end of the run: expected 62, got 63']);
  });
});
