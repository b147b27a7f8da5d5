import { SchedulerError } from '../../errors.ts';
import { isFinal } from '../../model/lease-states.ts';
import type { Instant, StateReason } from '../../model/records.ts';
import type {
  OccurrenceStart,
  OccurrencesAhead,
  RecurrenceRecord,
  RecurrenceRequest,
  SkippedOccurrence,
} from '../../model/recurrence-records.ts';
import type { SchedulerState } from '../../state.ts';
import { givePlace } from '../give-place.ts';
import { draftLease, requestLease } from '../request.ts';
import { occurrenceRequest } from './series.ts';

/**
 * Creates a recurrence and the leases of its first occurrences, each decided at once (C3). Throws INVALID_REQUEST, or
 * NOT_SCHEDULABLE with the first impossible occurrence: if any is impossible, or, where occurrences may be skipped, if
 * all are. Nothing has changed then.
 */
export function createRecurrence(
  state: SchedulerState,
  { duration, ...request }: RecurrenceRequest,
  { occurrences, next }: OccurrencesAhead,
  now: Instant,
): RecurrenceRecord {
  const first = occurrences[0] ?? next;
  if (!first) throw new SchedulerError('INVALID_REQUEST', 'The rule has no occurrences.', ['rule']);
  const recurrence: RecurrenceRecord = {
    ...request,
    id: state.recurrences.lastId + 1,
    createdAt: now,
    terms: [{ from: 1, duration, shift: 0 }],
    next,
    lastIndex: null,
    skipped: [],
    cancelledAt: null,
  };
  draftLease(state, occurrenceRequest(recurrence, first), now);
  let created = recurrence;
  state.journal.attempt(() => {
    const skipped: SkippedOccurrence[] = [];
    for (const occurrence of occurrences) {
      const reason = placeOccurrence(state, recurrence, occurrence, now);
      if (!reason) continue;
      const { index, start } = occurrence;
      skipped.push({ index, start, reason });
      if (request.collisions === 'ALL_OR_NOTHING') throw cannotBeHad(skipped);
    }
    if (skipped.length > 0 && skipped.length === occurrences.length) throw cannotBeHad(skipped);
    created = { ...recurrence, skipped };
    state.recurrences.set(created);
    return true;
  });
  return created;
}

/** Requests an occurrence and plans it. Returns why it is impossible, in which case nothing has changed. */
function placeOccurrence(
  state: SchedulerState,
  recurrence: RecurrenceRecord,
  occurrence: OccurrenceStart,
  now: Instant,
): StateReason | null {
  let refusal: StateReason | null = null;
  state.journal.attempt(() => {
    const lease = requestLease(state, occurrenceRequest(recurrence, occurrence), now);
    refusal = isFinal(lease.state) ? lease.reason : givePlace(state, lease, now);
    return refusal === null ? true : null;
  });
  return refusal;
}

function cannotBeHad(occurrences: readonly SkippedOccurrence[]): SchedulerError {
  const first = occurrences[0] as SkippedOccurrence;
  return new SchedulerError(
    'NOT_SCHEDULABLE',
    `Occurrence ${first.index} is not available: ${first.reason.message}.`,
    ['rule'],
    { occurrences },
  );
}
