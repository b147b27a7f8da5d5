import { SchedulerError } from '../../errors.ts';
import type { Instant } from '../../model/records.ts';
import type { RecurrenceRecord } from '../../model/recurrence-records.ts';
import { cancelLease } from '../../placement/endings.ts';
import type { SchedulerState } from '../../state.ts';
import { openRecurrence, waitingOccurrences, withinLast } from './series.ts';

/**
 * Cancels the occurrences from an index on that have not started, and creates no further ones (C4). Throws
 * RECURRENCE_NOT_FOUND, RECURRENCE_ENDED or INVALID_REQUEST.
 */
export function cancelRecurrence(state: SchedulerState, id: number, from: number, now: Instant): RecurrenceRecord {
  const before = openRecurrence(state, id);
  if (!Number.isSafeInteger(from) || from < 1)
    throw new SchedulerError('INVALID_REQUEST', `Occurrences count from 1: there is none ${from}.`, ['from']);
  const lastIndex = Math.min(from - 1, before.lastIndex ?? from);
  const reason = { code: 'RECURRENCE_CANCELLED', message: `recurrence ${id} was cancelled` };
  for (const lease of waitingOccurrences(state, id, from)) cancelLease(state, lease, now, reason);
  const after = {
    ...before,
    lastIndex,
    next: withinLast(before.next, { lastIndex }),
    cancelledAt: now,
  };
  state.recurrences.set(after);
  return after;
}
