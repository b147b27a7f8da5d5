import type { Instant, Millis, OccurrenceStart, OccurrencesAhead, RecurrenceRecord } from '../../core/index.ts';
import type { Core } from '../core.ts';
import { dayLength } from '../recurrences/days.ts';
import { refuse, ruledTime, type Series, seriesOf, startsFrom, wallClockOf } from '../recurrences/series.ts';
import { instantOf } from '../recurrences/wall-clock.ts';
import { CommandError } from './answer.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isWhole } from './shape.ts';

export interface UpdateRecurrenceInput {
  readonly recurrence: number;
  /** Index of the first occurrence to change; null means the first one that has not started. */
  readonly from: number | null;
  /** Absent fields keep their values. */
  readonly name?: string | null | undefined;
  /** New local start of that occurrence; later occurrences move by the same amount. */
  readonly start?: string | undefined;
  readonly duration?: Millis | undefined;
}

export interface UpdateRecurrenceResult {
  readonly recurrence: number;
  /** Numbers of other leases that were moved, suspended or requeued, ascending. */
  readonly displaced: readonly number[];
}

/** Changes the terms of the occurrences that have not started, all or none. */
export const updateRecurrence: CommandKind<UpdateRecurrenceInput, UpdateRecurrenceResult> = {
  parse: parseUpdate,
  rows: () => 300,
  apply: updateWith,
  idempotency: null,
};

/** Throws CommandError or SchedulerError. */
export function updateWith(
  core: Core,
  now: Instant,
  { recurrence: id, from: given, name, start, duration }: UpdateRecurrenceInput,
): UpdateRecurrenceResult {
  const recurrence = core.recurrences.open(id);
  const from = given ?? firstToCome(core, recurrence);
  const series = seriesOf(recurrence);
  const shift = start === undefined ? undefined : shiftOf(recurrence, series, from, start, now);
  const ahead = shift === undefined ? asBefore(recurrence) : movedStarts(core, recurrence, series, from, shift);
  const { displaced } = core.recurrences.update(now, id, { from, name, duration, shift, ahead });
  return { recurrence: id, displaced };
}

/** Index of the first occurrence that has not started. */
export function firstToCome(core: Core, { id, next }: RecurrenceRecord): number {
  return core.recurrences.waiting(id, 1)[0]?.occurrenceOf?.index ?? next?.index ?? 1;
}

function asBefore({ next }: RecurrenceRecord): OccurrencesAhead {
  return { occurrences: [], next };
}

const maxShift = 366 * dayLength;

/**
 * By how much an occurrence starts later than its rule says. The order of occurrences must not change, since leases are
 * created in order. Throws CommandError.
 */
function shiftOf(
  { terms, timeZone }: RecurrenceRecord,
  series: Series,
  index: number,
  start: string,
  now: Instant,
): Millis {
  const time = wallClockOf(start, 'start');
  const instant = instantOf(series.zone, time);
  if (instant < now) {
    throw new CommandError('START_IN_PAST', `The new start, ${start} in ${timeZone}, is in the past.`, ['start']);
  }
  let before = Number.NEGATIVE_INFINITY;
  for (const { position, start: at } of startsFrom(series, { index: 1, day: series.firstDay }, terms)) {
    if (position.index < index) before = at;
    if (position.index < index) continue;
    if (position.index > index) break;
    if (instant < before) refuse(`Occurrence ${index} would start before occurrence ${index - 1}.`, 'start');
    const shift = time - ruledTime(series, position);
    if (Math.abs(shift) <= maxShift) return shift;
    return refuse(`Occurrence ${index} can be moved by a year at most.`, 'start');
  }
  return refuse(`The recurrence has no occurrence ${index}.`, 'from');
}

/** Starts of the created occurrences and of the next one, including an update. */
function movedStarts(
  core: Core,
  { id, next, terms }: RecurrenceRecord,
  series: Series,
  from: number,
  shift: Millis,
): OccurrencesAhead {
  const waiting = core.recurrences.waiting(id, from).at(-1)?.occurrenceOf?.index ?? 0;
  const moved = [...terms.filter((each) => each.from < from), { from, shift }];
  const occurrences: OccurrenceStart[] = [];
  for (const { index, day, start } of startsFrom(series, { index: 1, day: series.firstDay }, moved)) {
    if (index === next?.index) return { occurrences, next: { index, day, start } };
    if (next === null && index > waiting) break;
    if (index >= from) occurrences.push({ index, day, start });
  }
  return { occurrences, next: null };
}

function parseUpdate(input: unknown): UpdateRecurrenceInput | null {
  const fields = fieldsOf(input);
  if (!fields || !isWhole(fields.recurrence)) return null;
  const { from = null, name, start, duration } = fields;
  if (from !== null && !isWhole(from)) return null;
  if (name !== undefined && name !== null && typeof name !== 'string') return null;
  if (start !== undefined && typeof start !== 'string') return null;
  if (duration !== undefined && !isWhole(duration)) return null;
  return { recurrence: fields.recurrence, from, name, start, duration };
}
