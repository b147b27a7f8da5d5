import { Settings } from 'luxon';
import { afterEach, describe, expect, it } from 'vitest';
import { dateTime, duration, long } from '../../src/api/schema/scalars.ts';

describe('DateTime', () => {
  afterEach(() => {
    Settings.defaultZone = 'system';
  });

  it.each([
    ['2030-01-31T08:00:00Z', '2030-01-31T08:00:00.000Z'],
    ['2030-01-31t09:00:00.5+01:00', '2030-01-31T08:00:00.500Z'],
    ['2030-01-30T20:30:00.123456789-11:30', '2030-01-31T08:00:00.123Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    // An hour that local time in Berlin skips.
    ['2030-03-31T02:30:00Z', '2030-03-31T02:30:00.000Z'],
  ])('reads %s as %s, whatever the local time zone', (text, expected) => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/Chicago', 'Pacific/Apia', 'Asia/Kathmandu']) {
      Settings.defaultZone = zone;
      expect(dateTime.serialize(dateTime.parseValue(text))).toBe(expected);
    }
  });

  it.each([
    '2030-01-31',
    '2030-01-31T08:00:00',
    '2030-01-31T08:00Z',
    '2030-02-30T08:00:00Z',
    '2030-01-31T24:00:00Z',
    '2030-01-31T08:00:60Z',
    '2030-01-31 08:00:00Z',
    '+12030-01-31T08:00:00Z',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    'now',
    '',
    1_700_000_000,
    null,
  ])('refuses %j', (value) => {
    expect(() => dateTime.parseValue(value)).toThrow(
      expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT' } }),
    );
  });
});

describe('Duration', () => {
  it.each([
    ['PT1H30M', 5_400_000, 'PT1H30M'],
    ['P2D', 172_800_000, 'P2D'],
    ['PT48H', 172_800_000, 'P2D'],
    ['P1W', 604_800_000, 'P7D'],
    ['PT0.5S', 500, 'PT0.5S'],
    ['PT90M', 5_400_000, 'PT1H30M'],
    ['PT0S', 0, 'PT0S'],
    ['P1DT1H1M1.001S', 90_061_001, 'P1DT1H1M1.001S'],
  ])('reads %s as %i ms and prints %s', (text, millis, printed) => {
    expect(duration.parseValue(text)).toBe(millis);
    expect(duration.serialize(BigInt(millis))).toBe(printed);
  });

  it.each([
    'P1M',
    'P1Y',
    '-PT1H',
    'PT-1H',
    'PT1H-1S',
    '1h',
    'PT',
    'P',
    '',
    'PT1.0001S',
    'P999999999999D',
    60,
    'PT1H'.repeat(100),
  ])('refuses %j', (value) => {
    expect(() => duration.parseValue(value)).toThrow(
      expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT' } }),
    );
  });

  it('says what to use instead of months', () => {
    expect(() => duration.parseValue('P1M')).toThrow(
      '"P1M" has years or months, whose length is not fixed. Use hours or days, such as "PT1H30M" or "P2D" (a day is 24 hours).',
    );
  });
});

describe('Long', () => {
  it('reaches from 0 to 2^53 - 1', () => {
    for (const value of [0, 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(long.serialize(BigInt(long.parseValue(value)))).toBe(value);
    }
  });

  it.each([-1, 1.5, 2 ** 53, Number.NaN, '1', null, true])('refuses %j', (value) => {
    expect(() => long.parseValue(value)).toThrow(expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT' } }));
  });
});

it('tells of what is nested without end in one line', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  for (const scalar of [dateTime, duration, long]) {
    expect(() => scalar.parseValue(deep)).toThrow(/^A list is not /);
    expect(() => scalar.parseValue({ a: { b: 1 } })).toThrow(/^An object is not /);
  }
});
