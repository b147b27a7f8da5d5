import type { Instant } from '../../model/records.ts';
import type { OccurrencesAhead } from '../../model/recurrence-records.ts';
import type { SchedulerState } from '../../state.ts';
import { requestLease } from '../request.ts';
import { occurrenceRequest, withinLast } from './series.ts';

/**
 * Requests the leases of due occurrences. Occurrences that already exist or lie in the past are skipped (C1, C2). The
 * pass decides them like other requests.
 */
export function makeOccurrences(
  state: SchedulerState,
  id: number,
  { occurrences, next }: OccurrencesAhead,
  now: Instant,
): void {
  const recurrence = state.recurrences.get(id);
  if (!recurrence?.next) return;
  const due = occurrences.filter(
    (each) => each.start >= now && each.index >= (recurrence.next?.index ?? 0) && withinLast(each, recurrence),
  );
  for (const occurrence of due) requestLease(state, occurrenceRequest(recurrence, occurrence), now);
  state.recurrences.set({ ...recurrence, next: withinLast(next, recurrence) });
}
