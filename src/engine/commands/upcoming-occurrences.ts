import type { Instant, RecurrenceRecord } from '../../core/index.ts';
import { seriesOf, startsFrom } from '../recurrences/series.ts';
import { parseDay } from '../recurrences/wall-clock.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isWhole } from './shape.ts';

export interface UpcomingOccurrencesInput {
  readonly recurrence: number;
  readonly limit: number;
}

export interface UpcomingOccurrence {
  readonly index: number;
  readonly start: Instant;
  readonly end: Instant;
  /** Its lease, once created. */
  readonly leaseNumber: number | null;
}

/** Query: upcoming occurrences of a recurrence in ascending index order. Changes nothing. */
export const upcomingOccurrences: CommandKind<UpcomingOccurrencesInput, readonly UpcomingOccurrence[]> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    return fields && isWhole(fields.recurrence) && isWhole(fields.limit)
      ? { recurrence: fields.recurrence, limit: fields.limit }
      : null;
  },
  rows: () => 0,
  apply: (core, _now, { recurrence: id, limit }) => {
    const recurrence = core.recurrences.all.find((each) => each.id === id);
    if (!recurrence) return [];
    const made = core.recurrences.waiting(id, 1).map(({ id: leaseNumber, duration, ...lease }) => {
      const start = lease.requestedStart as Instant;
      return { index: lease.occurrenceOf?.index ?? 0, start, end: start + duration, leaseNumber };
    });
    return [...made.slice(0, limit), ...toBeMade(recurrence, limit - made.length)];
  },
  idempotency: null,
};

function toBeMade({ lastIndex, next, terms, ...rest }: RecurrenceRecord, limit: number): UpcomingOccurrence[] {
  const planned: UpcomingOccurrence[] = [];
  if (next === null || limit <= 0) return planned;
  const position = { index: next.index, day: parseDay(next.day) };
  for (const { index, start } of startsFrom(seriesOf(rest), position, terms)) {
    if (lastIndex !== null && index > lastIndex) break;
    const duration = terms.findLast(({ from }) => from <= index)?.duration ?? 0;
    planned.push({ index, start, end: start + duration, leaseNumber: null });
    if (planned.length >= limit) break;
  }
  return planned;
}
