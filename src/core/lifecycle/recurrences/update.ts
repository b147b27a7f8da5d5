import { SchedulerError } from '../../errors.ts';
import type { Lease } from '../../model/lease.ts';
import type { Instant, LeaseUpdate } from '../../model/records.ts';
import type { OccurrenceTerms, RecurrenceRecord, RecurrenceUpdate } from '../../model/recurrence-records.ts';
import type { SchedulerState } from '../../state.ts';
import { updateLease } from '../update/update.ts';
import { indexOf, openRecurrence, termsAt, waitingOccurrences, withinLast } from './series.ts';

/** Maximum number of updates stored with a recurrence. */
export const maxUpdates = 100;

/**
 * Changes the occurrences from an index on that have not started, including future ones: all or none (C4). Throws
 * RECURRENCE_NOT_FOUND, RECURRENCE_ENDED, INVALID_REQUEST or NOT_SCHEDULABLE.
 */
export function updateRecurrence(
  state: SchedulerState,
  id: number,
  update: RecurrenceUpdate,
  now: Instant,
): RecurrenceRecord {
  const before = openRecurrence(state, id);
  const { ahead, duration, name, shift } = update;
  const terms = newTerms(before.terms, update);
  const after: RecurrenceRecord = {
    ...before,
    ...(name !== undefined && { name }),
    terms,
    next: before.next && withinLast(ahead.next, before),
  };
  state.journal.attempt(() => {
    const starts = new Map(ahead.occurrences.map(({ index, start }) => [index, start]));
    const affected = waitingOccurrences(state, id, update.from);
    const later = affected.some((lease) => (starts.get(indexOf(lease)) ?? 0) > (lease.requestedStart ?? 0));
    // Each may use the place that the previous one has left.
    for (const lease of later ? affected.reverse() : affected) {
      updateOccurrence(state, lease, now, {
        ...(shift !== undefined && {
          start: starts.get(indexOf(lease)) ?? (lease.requestedStart as Instant),
        }),
        ...(duration !== undefined && { duration }),
      });
    }
    state.recurrences.set(after);
    return true;
  });
  return after;
}

function updateOccurrence(state: SchedulerState, lease: Lease, now: Instant, update: LeaseUpdate): void {
  try {
    updateLease(state, lease.id, update, now);
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    throw new SchedulerError(
      error.code,
      `Occurrence ${indexOf(lease)} cannot be changed. ${error.message}`,
      error.path,
      { ...error.details, occurrences: [refusedOccurrence(lease, update, error)] },
    );
  }
}

function refusedOccurrence(lease: Lease, { start }: LeaseUpdate, { code, message }: SchedulerError) {
  return {
    index: indexOf(lease),
    start: start ?? (lease.requestedStart as Instant),
    reason: { code, message },
  };
}

function newTerms(terms: readonly OccurrenceTerms[], update: RecurrenceUpdate): readonly OccurrenceTerms[] {
  const { from } = update;
  if (!Number.isSafeInteger(from) || from < 1) refuse('from', `Occurrences count from 1: there is none ${from}.`);
  const { duration = termsAt(terms, from).duration, shift = termsAt(terms, from).shift } = update;
  if (!Number.isSafeInteger(duration) || duration <= 0)
    refuse('duration', `The duration is ${duration} ms; it must be longer than 0.`);
  const kept = terms.filter((each) => each.from < from);
  if (kept.length >= maxUpdates) {
    refuse('from', `A recurrence keeps ${maxUpdates} updates. Cancel it and create another.`);
  }
  return [...kept, { from, duration, shift }];
}

function refuse(field: string, message: string): never {
  throw new SchedulerError('INVALID_REQUEST', message, [field]);
}
