/**
 * The days of a rule in the calendar, without time zones. A day is an integer, counted since 1970-01-01. The days of
 * each period (day, week, month or year) are filtered one by one, which bounds the work for every rule.
 */
import type { Rule } from './rule.ts';

export const dayLength = 86_400_000;

/** An occurrence and its day. Indices start at 1. */
export interface Position {
  readonly index: number;
  readonly day: number;
}

/** If this many days pass without an occurrence, none follows: the calendar repeats. */
const maxGap = 146_097;

/** 9999-12-31. */
const lastDay = 2_932_896;

/** Whether the first day itself matches the rule. */
export function isOwnDay(rule: Rule, day: number): boolean {
  return daysOfPeriod(rule, filterOf(rule, day), periodOf(rule, day)).includes(day);
}

/** Occurrences of a rule that begins on `first`, from a given one. */
export function* positionsFrom(rule: Rule, first: number, from: Position): Generator<Position, void, void> {
  let { index } = from;
  let last = from.day;
  const isWanted = filterOf(rule, first);
  for (let period = periodOf(rule, from.day); ; period += rule.interval) {
    const [start] = boundsOf(rule, period);
    if (start > lastDay || start - last > maxGap) return;
    for (const day of daysOfPeriod(rule, isWanted, period)) {
      if (day < from.day) continue;
      if (day > lastDay || (rule.count !== null && index > rule.count)) return;
      yield { index, day };
      index += 1;
      last = day;
    }
  }
}

interface CalendarDay {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

function calendarDay(day: number): CalendarDay {
  const date = new Date(day * dayLength);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** `month` may be above 12. */
function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / dayLength;
}

/** Monday is 0. 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** The number of its day, week, month or year since a common origin. */
function periodOf({ frequency, weekStart }: Rule, day: number): number {
  if (frequency === 'DAILY') return day;
  if (frequency === 'WEEKLY') return Math.floor((day + 3 - weekStart) / 7);
  const { year, month } = calendarDay(day);
  return frequency === 'MONTHLY' ? year * 12 + month - 1 : year;
}

/** The first day of a period and the first day after it. */
function boundsOf({ frequency, weekStart }: Rule, period: number): readonly [start: number, end: number] {
  if (frequency === 'DAILY') return [period, period + 1];
  if (frequency === 'WEEKLY') return [period * 7 - 3 + weekStart, period * 7 + 4 + weekStart];
  if (frequency === 'YEARLY') return [dayNumber(period, 1, 1), dayNumber(period + 1, 1, 1)];
  const [year, month] = [Math.floor(period / 12), (period % 12) + 1];
  return [dayNumber(year, month, 1), dayNumber(year, month + 1, 1)];
}

function daysOfPeriod(rule: Rule, isWanted: (day: number) => boolean, period: number): number[] {
  const [start, end] = boundsOf(rule, period);
  const days: number[] = [];
  for (let day = start; day < end; day += 1) if (isWanted(day)) days.push(day);
  const { bySetPos } = rule;
  if (bySetPos.length === 0) return days;
  return days.filter((_, at) => bySetPos.includes(at + 1) || bySetPos.includes(at - days.length));
}

/** Parts that the rule does not specify are taken from the first day. */
function filterOf(rule: Rule, first: number): (day: number) => boolean {
  const { byDay, frequency } = rule;
  const isOpen = byDay.length === 0 && rule.byMonthDay.length === 0;
  const own = calendarDay(first);
  const byMonth = isOpen && frequency === 'YEARLY' && rule.byMonth.length === 0 ? [own.month] : rule.byMonth;
  const hasOwnDay = isOpen && (frequency === 'YEARLY' || frequency === 'MONTHLY');
  const byMonthDay = hasOwnDay ? [own.day] : rule.byMonthDay;
  const weekdays = isOpen && frequency === 'WEEKLY' ? [{ weekday: weekdayOf(first), ordinal: null }] : byDay;
  const withinYear = frequency === 'YEARLY' && rule.byMonth.length === 0;
  return (day) => {
    const { year, month, day: ofMonth } = calendarDay(day);
    if (byMonth.length > 0 && !byMonth.includes(month)) return false;
    const length = dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
    if (byMonthDay.length > 0 && !byMonthDay.includes(ofMonth) && !byMonthDay.includes(ofMonth - length - 1))
      return false;
    if (weekdays.length === 0) return true;
    const [start, end] = withinYear
      ? [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)]
      : [dayNumber(year, month, 1), dayNumber(year, month + 1, 1)];
    return weekdays.some(({ weekday, ordinal }) => {
      if (weekday !== weekdayOf(day)) return false;
      if (ordinal === null) return true;
      return ordinal === Math.ceil((day - start + 1) / 7) || ordinal === -Math.ceil((end - day) / 7);
    });
  };
}
