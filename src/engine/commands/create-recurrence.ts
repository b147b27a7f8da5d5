import {
  type Instant,
  type RecurrenceRecord,
  type RecurrenceRequest,
  recurrenceCollisions,
  SchedulerError,
  type SkippedOccurrence,
} from '../../core/index.ts';
import type { Core } from '../core.ts';
import type { RecurrenceLimits } from '../recurrences/limits.ts';
import { occurrencesAhead, type Series, seriesOf } from '../recurrences/series.ts';
import { formatDay, formatWallClock, instantOf, wallClockAt } from '../recurrences/wall-clock.ts';
import { CommandError } from './answer.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isOneOf, isWhole } from './shape.ts';

export interface CreateRecurrenceResult {
  readonly recurrence: number;
  readonly skipped: readonly SkippedOccurrence[];
  /** Numbers of the leases that were moved, suspended or requeued, ascending. */
  readonly displaced: readonly number[];
}

/** Creates a recurring advance reservation. Its first occurrences become leases at once. */
export const createRecurrence: CommandKind<RecurrenceRequest, CreateRecurrenceResult> = {
  parse: parseRecurrence,
  rows: ({ machines }) => 30 * (machines.length + 5),
  apply: (core, now, request, { recurrences }) => {
    const series = checkedSeries(core, now, request, recurrences);
    try {
      const { displaced, recurrence } = createWith(core, now, request, series, recurrences);
      return { recurrence: recurrence.id, skipped: recurrence.skipped, displaced };
    } catch (error) {
      throw withTime(error, series, request.timeZone);
    }
  },
  idempotency: {
    identity: (input) => ({ recurrence: input }),
    number: ({ recurrence }) => recurrence,
    repeated: (recurrence) => ({ recurrence, skipped: [], displaced: [] }),
  },
};

/** Throws CommandError or SchedulerError. */
export function createWith(
  core: Core,
  now: Instant,
  request: RecurrenceRequest,
  series: Series,
  { horizon }: RecurrenceLimits,
): { readonly recurrence: RecurrenceRecord; readonly displaced: readonly number[] } {
  const { firstDay } = series;
  const first = { index: 1, day: formatDay(firstDay) };
  const ahead = occurrencesAhead(series, first, [], now, now + horizon);
  return core.recurrences.create(now, request, ahead);
}

/** Throws CommandError: INVALID_REQUEST, START_IN_PAST or TOO_MANY_RECURRENCES. */
export function checkedSeries(
  core: Core,
  now: Instant,
  request: RecurrenceRequest,
  { maxPerProject }: RecurrenceLimits,
): Series {
  const series = seriesOf(request);
  const { firstDay, time, zone } = series;
  if (instantOf(zone, firstDay * 86_400_000 + time) < now) {
    throw new CommandError(
      'START_IN_PAST',
      `The first start, ${request.firstStart} in ${request.timeZone}, is in the past.`,
      ['firstStart'],
    );
  }
  const { owner, project } = request;
  const others = core.recurrences.all.filter(
    (each) =>
      each.project === project &&
      (project !== null || each.owner === owner) &&
      (each.next !== null || core.recurrences.waiting(each.id, 1).length > 0),
  );
  if (others.length < maxPerProject) return series;
  throw new CommandError(
    'TOO_MANY_RECURRENCES',
    `There are ${others.length} recurrences with occurrences to come, and there may be ${maxPerProject}. Cancel one first.`,
  );
}

/** The refusal names the occurrence by its local start. */
function withTime(error: unknown, { zone }: Series, timeZone: string): unknown {
  const first = error instanceof SchedulerError ? error.details.occurrences?.[0] : undefined;
  if (!(error instanceof SchedulerError) || !first) return error;
  const { index, reason, start } = first;
  const time = formatWallClock(wallClockAt(zone, start));
  return new SchedulerError(
    error.code,
    `Occurrence ${index}, at ${time} in ${timeZone}, is not available: ${reason.message}.`,
    error.path,
    error.details,
  );
}

/** The core, the rule parser and the clock check the values. */
export function parseRecurrence(input: unknown): RecurrenceRequest | null {
  const fields = fieldsOf(input);
  if (!fields || !Array.isArray(fields.machines) || !isWhole(fields.duration)) return null;
  if (!isOneOf(recurrenceCollisions, fields.collisions)) return null;
  const texts = [fields.rule, fields.timeZone, fields.firstStart];
  return texts.every((text) => typeof text === 'string') ? (input as RecurrenceRequest) : null;
}
