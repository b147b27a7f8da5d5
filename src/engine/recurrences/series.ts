/** Start times of the occurrences of a recurrence. */
import type { IANAZone } from 'luxon';
import type {
  Instant,
  OccurrenceStart,
  OccurrencesAhead,
  OccurrenceTerms,
  RecurrenceRecord,
  RecurrenceRequest,
} from '../../core/index.ts';
import { CommandError } from '../commands/answer.ts';
import { dayLength, isOwnDay, type Position, positionsFrom } from './days.ts';
import { parseRule, type Rule, RuleError } from './rule.ts';
import { formatDay, instantOf, parseDay, parseWallClock, type WallClock, zoneOf } from './wall-clock.ts';

export interface Series {
  readonly rule: Rule;
  readonly zone: IANAZone;
  readonly firstDay: number;
  /** After local midnight. */
  readonly time: number;
}

/** Throws CommandError INVALID_REQUEST. */
export function seriesOf({
  firstStart,
  rule,
  timeZone,
}: Pick<RecurrenceRequest, 'rule' | 'timeZone' | 'firstStart'>): Series {
  const zone = zoneOf(timeZone);
  if (!zone) {
    return refuse(`"${timeZone}" is not a time zone. Use a name such as Europe/Berlin or UTC.`, 'timeZone');
  }
  const first = wallClockOf(firstStart, 'firstStart');
  const parsed = parsedRule(rule);
  const firstDay = Math.floor(first / dayLength);
  if (!isOwnDay(parsed, firstDay)) {
    refuse(
      `The rule has no occurrence on ${formatDay(firstDay)}, the day of the first start. Start on a day of the rule.`,
      'firstStart',
    );
  }
  const series = { rule: parsed, zone, firstDay, time: first - firstDay * dayLength };
  if (startsFrom(series, { index: 1, day: firstDay }, unchanged).next().done)
    refuse('The rule ends before the first start.', 'rule');
  return series;
}

/** Throws CommandError INVALID_REQUEST. */
export function wallClockOf(text: string, ...path: readonly string[]): WallClock {
  return (
    parseWallClock(text) ??
    refuse(`"${text}" is not a time on the wall clock. Write it without an offset: 2030-01-31T08:00.`, ...path)
  );
}

function parsedRule(text: string): Rule {
  try {
    return parseRule(text);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return refuse(error.message, 'rule');
  }
}

export function refuse(message: string, ...path: readonly string[]): never {
  throw new CommandError('INVALID_REQUEST', message, path);
}

const unchanged: readonly Pick<OccurrenceTerms, 'from' | 'shift'>[] = [{ from: 1, shift: 0 }];

/** The local time that the rule gives, before any update. */
export function ruledTime({ time }: Series, { day }: Position): WallClock {
  return day * dayLength + time;
}

/** Ascending index, from a position on. */
export function* startsFrom(
  series: Series,
  from: Position,
  terms: readonly Pick<OccurrenceTerms, 'from' | 'shift'>[],
): Generator<OccurrenceStart & { readonly position: Position }, void, void> {
  const { firstDay, rule, zone } = series;
  for (const position of positionsFrom(rule, firstDay, from)) {
    const ruled = ruledTime(series, position);
    if (rule.until?.clock === 'WALL' && ruled > rule.until.at) return;
    if (rule.until?.clock === 'UTC' && instantOf(zone, ruled) > rule.until.at) return;
    const { index, day } = position;
    const shift = terms.findLast((each) => each.from <= index)?.shift ?? 0;
    yield { index, day: formatDay(day), start: instantOf(zone, ruled + shift), position };
  }
}

/**
 * Occurrences from index `from` that start in [now, until], and the first one after them. Occurrences in the past are
 * skipped.
 */
export function occurrencesAhead(
  series: Series,
  from: Pick<OccurrenceStart, 'index' | 'day'>,
  terms: RecurrenceRecord['terms'],
  now: Instant,
  until: Instant,
): OccurrencesAhead {
  const occurrences: OccurrenceStart[] = [];
  const position = { index: from.index, day: parseDay(from.day) };
  for (const { index, day, start } of startsFrom(series, position, terms)) {
    const occurrence = { index, day, start };
    if (start > until) return { occurrences, next: occurrence };
    if (start >= now) occurrences.push(occurrence);
  }
  return { occurrences, next: null };
}
