import { Duration } from 'luxon';
import { describe, expect, it } from 'vitest';
import { durationOption, leaseType, machineSet, momentOption } from '../../src/cli/client/arguments.ts';

describe('the type of a lease', () => {
  it.each([
    ['best-effort', 'BEST_EFFORT'],
    ['ADVANCE_RESERVATION', 'ADVANCE_RESERVATION'],
    ['Immediate', 'IMMEDIATE'],
  ])('"%s" is %s', (text, type) => {
    expect(leaseType(text)).toBe(type);
  });

  it.each(['', 'periodic', 'constructor', '__proto__'])('"%s" is none', (text) => {
    expect(() => leaseType(text)).toThrow('Expected one of best-effort, advance-reservation, immediate, deadline.');
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

describe('durations and instants', () => {
  it.each([
    ['90m', 'PT1H30M'],
    ['1w', 'P7D'],
    ['100d', 'P100D'],
    ['5400', 'PT1H30M'],
    ['PT90S', 'PT1M30S'],
  ])('the duration %s is %s', (text, iso) => {
    const printed = durationOption(text);
    expect(printed).not.toMatch(/^P[^T]*[MY]/);
    expect(Duration.fromISO(printed).toMillis()).toBe(Duration.fromISO(iso).toMillis());
  });

  it.each(['1M', 'PT', 'P1M', 'soon', ''])('refuses the duration "%s"', (text) => {
    expect(() => durationOption(text)).toThrow('Expected a duration: seconds, 1h30m, 2d, 1w, or ISO 8601');
  });

  it('takes a start with an offset, or one that counts from now', () => {
    expect(momentOption('2030-01-31T08:00:00Z')).toEqual({ at: '2030-01-31T08:00:00.000Z' });
    expect(momentOption('2030-01-31T08:00+01:00')).toEqual({ at: '2030-01-31T08:00:00.000+01:00' });
    expect(momentOption('+1w')).toEqual({ offset: 604_800_000 });
  });

  it.each(['1960-01-01T00:00:00Z', '1970-01-01T00:00:00+01:00'])('refuses %s, which servers do not know', (text) => {
    expect(() => momentOption(text)).toThrow('Expected an instant between the years 1970 and 9999.');
  });

  it.each(['2030-01-31T08:00', '2030-01-31', '2030-01'])('refuses the start %s without an offset', (text) => {
    expect(() => momentOption(text)).toThrow('Expected an offset at the end, such as Z or +01:00.');
  });
});
