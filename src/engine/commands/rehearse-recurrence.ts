import {
  type Instant,
  type LeaseRecord,
  type RecurrenceRequest,
  SchedulerError,
  type SkippedOccurrence,
  type StateReason,
} from '../../core/index.ts';
import type { Core } from '../core.ts';
import type { CommandKind } from './command.ts';
import { checkedSeries, createWith, parseRecurrence } from './create-recurrence.ts';

export interface PlannedOccurrence {
  readonly index: number;
  readonly start: Instant;
  readonly end: Instant;
  /** Why the occurrence is impossible; null when it is possible. */
  readonly reason: StateReason | null;
  /** If it is impossible: the first possible start at or after its own; null when there is none. */
  readonly firstPossibleStart: Instant | null;
}

export interface PlannedRecurrence {
  readonly accepted: boolean;
  /** In ascending index order, up to the horizon. */
  readonly occurrences: readonly PlannedOccurrence[];
  /** Numbers of the leases that would be moved, suspended or requeued, ascending. */
  readonly displaces: readonly number[];
}

/** Maximum number of impossible occurrences for which alternatives are searched. */
const maxAlternatives = 10;

/** Query: the outcome of a new recurrence. Changes nothing. */
export const rehearseRecurrence: CommandKind<RecurrenceRequest, PlannedRecurrence> = {
  parse: parseRecurrence,
  rows: () => 0,
  trials: 64 * maxAlternatives,
  apply: (core, now, request, { recurrences }) => {
    const series = checkedSeries(core, now, request, recurrences);
    const skipping = { ...request, collisions: 'SKIP' as const };
    try {
      return core.rehearse((rehearsed) => {
        const { displaced, recurrence } = createWith(rehearsed, now, skipping, series, recurrences);
        const { id, skipped } = recurrence;
        const made = rehearsed.recurrences.waiting(id, 1).map((lease) => plannedAt(request, lease));
        const others = alternatives(rehearsed, now, request, skipped);
        return {
          accepted: request.collisions === 'SKIP' || skipped.length === 0,
          occurrences: [...made, ...others].sort((a, b) => a.index - b.index),
          displaces: displaced,
        };
      });
    } catch (error) {
      const skipped = error instanceof SchedulerError ? error.details.occurrences : undefined;
      if (!skipped) throw error;
      return { accepted: false, occurrences: alternatives(core, now, request, skipped), displaces: [] };
    }
  },
  idempotency: null,
};

function plannedAt({ duration }: RecurrenceRequest, { occurrenceOf, requestedStart }: LeaseRecord): PlannedOccurrence {
  const start = requestedStart as Instant;
  const index = occurrenceOf?.index ?? 0;
  return { index, start, end: start + duration, reason: null, firstPossibleStart: null };
}

function alternatives(
  core: Core,
  now: Instant,
  { duration, machines, preemptible }: RecurrenceRequest,
  skipped: readonly SkippedOccurrence[],
): PlannedOccurrence[] {
  return skipped.map(({ index, reason, start }, at) => {
    const question = { machines, duration, preemptible, from: start, to: null };
    const firstPossibleStart = at < maxAlternatives ? core.availability(now, question).earliestStart : null;
    return { index, start, end: start + duration, reason, firstPossibleStart };
  });
}
