/** Parses the parts of an RFC 5545 RRULE that select days. docs/decisions/recurrences.md lists them with reasons. */

export type Frequency = (typeof frequencies)[number];
const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;

/** Monday is 0. */
const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

export interface WeekdayPart {
  readonly weekday: number;
  /** 2: the second of the month or year, -1: the last; null: each. */
  readonly ordinal: number | null;
}

/** The last instant, or the last local time as if it were UTC, at which an occurrence may start. */
export interface Until {
  readonly at: number;
  readonly clock: 'UTC' | 'WALL';
}

export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | null;
  readonly until: Until | null;
  /** An empty list means that the part is absent. */
  readonly byMonth: readonly number[];
  readonly byMonthDay: readonly number[];
  readonly byDay: readonly WeekdayPart[];
  readonly bySetPos: readonly number[];
  readonly weekStart: number;
}

/** An invalid rule or one with unsupported parts. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

const knownParts = new Set([
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST'],
  ...['BYDAY', 'BYMONTHDAY', 'BYMONTH', 'BYSETPOS'],
]);
const maxInterval = 1_000;
const maxCount = 1_000_000;

/** Throws RuleError. */
export function parseRule(text: string): Rule {
  const parts = partsOf(
    text
      .trim()
      .toUpperCase()
      .replace(/^RRULE:/, ''),
  );
  const frequency = frequencies.find((each) => each === parts.get('FREQ'));
  if (!frequency) {
    throw new RuleError(`FREQ is ${parts.get('FREQ') ?? 'missing'}; it must be one of ${frequencies.join(', ')}.`);
  }
  const number = (name: string, max: number): number | null => {
    const value = parts.get(name);
    return value === undefined ? null : wholeNumber(name, value, 1, max);
  };
  const numbers = (name: string, min: number, max: number): readonly number[] =>
    (parts.get(name)?.split(',') ?? []).map((each) => signedNumber(name, each, min, max));
  const until = parts.get('UNTIL');
  const rule: Rule = {
    frequency,
    interval: number('INTERVAL', maxInterval) ?? 1,
    count: number('COUNT', maxCount),
    until: until === undefined ? null : untilOf(until),
    byMonth: (parts.get('BYMONTH')?.split(',') ?? []).map((each) => wholeNumber('BYMONTH', each, 1, 12)),
    byMonthDay: numbers('BYMONTHDAY', 1, 31),
    byDay: (parts.get('BYDAY')?.split(',') ?? []).map(weekdayPart),
    bySetPos: numbers('BYSETPOS', 1, 366),
    weekStart: weekdayOf('WKST', parts.get('WKST') ?? 'MO'),
  };
  check(rule);
  return rule;
}

function partsOf(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value, ...more] = part.split('=');
    if (value === undefined || value === '' || more.length > 0) {
      throw new RuleError(`"${part}" is not NAME=VALUE. A rule is like FREQ=WEEKLY;BYDAY=MO,TH;COUNT=10.`);
    }
    if (parts.has(name)) throw new RuleError(`${name} is given twice.`);
    if (!knownParts.has(name)) {
      throw new RuleError(`${name} is not supported. A rule may have ${[...knownParts].join(', ')}.`);
    }
    parts.set(name, value);
  }
  return parts;
}

function check({ frequency, count, until, byMonth, byMonthDay, byDay, bySetPos }: Rule): void {
  const refuse = (message: string): never => {
    throw new RuleError(message);
  };
  if (count !== null && until !== null) refuse('COUNT and UNTIL exclude each other.');
  if (frequency === 'WEEKLY' && byMonthDay.length > 0) refuse('BYMONTHDAY does not go with FREQ=WEEKLY.');
  const hasOrdinals = byDay.some(({ ordinal }) => ordinal !== null);
  if (hasOrdinals && (frequency === 'DAILY' || frequency === 'WEEKLY'))
    refuse('BYDAY with a number, such as 2TU, needs FREQ=MONTHLY or FREQ=YEARLY.');
  if (bySetPos.length > 0 && byMonth.length + byMonthDay.length + byDay.length === 0)
    refuse('BYSETPOS needs BYDAY, BYMONTHDAY or BYMONTH.');
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new RuleError(`${name} has ${text}; it must be a whole number from ${min} to ${max}.`);
}

/** Includes negative values, which count from the end. */
function signedNumber(name: string, text: string, min: number, max: number): number {
  const [, sign, digits = ''] = /^([+-]?)(\d+)$/.exec(text) ?? [];
  const value = wholeNumber(name, digits === '' ? text : digits, min, max);
  return sign === '-' ? -value : value;
}

function weekdayPart(text: string): WeekdayPart {
  const [, ordinal = '', day = ''] = /^([+-]?\d+)?([A-Z]{2})$/.exec(text) ?? [];
  return {
    weekday: weekdayOf('BYDAY', day === '' ? text : day),
    ordinal: ordinal === '' ? null : signedNumber('BYDAY', ordinal, 1, 53),
  };
}

function weekdayOf(name: string, text: string): number {
  const weekday = weekdays.indexOf(text);
  if (weekday >= 0) return weekday;
  throw new RuleError(`${name} has ${text}; a weekday is one of ${weekdays.join(', ')}.`);
}

/** A date includes the whole day. */
function untilOf(text: string): Until {
  const form = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(text);
  const [, year, month, day, hour = '23', minute = '59', second = '59', zone = ''] = form ?? [];
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const at = Date.parse(iso);
  if (form === null || Number.isNaN(at) || new Date(at).toISOString() !== iso) {
    throw new RuleError(
      `UNTIL is ${text}; it must be a date or a time, such as 20301231, 20301231T170000 (wall clock) or 20301231T160000Z (UTC).`,
    );
  }
  return { at, clock: zone === 'Z' ? 'UTC' : 'WALL' };
}
