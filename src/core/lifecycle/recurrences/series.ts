import { SchedulerError } from '../../errors.ts';
import type { Lease } from '../../model/lease.ts';
import type { LeaseRequest } from '../../model/records.ts';
import type { OccurrenceStart, OccurrenceTerms, RecurrenceRecord } from '../../model/recurrence-records.ts';
import type { SchedulerState } from '../../state.ts';
import { hasStarted } from '../update/terms.ts';

/** Throws RECURRENCE_NOT_FOUND, or RECURRENCE_ENDED for one whose occurrences have all started or were cancelled. */
export function openRecurrence(state: SchedulerState, id: number): RecurrenceRecord {
  const recurrence = state.recurrences.get(id);
  if (recurrence && (recurrence.next !== null || waitingOccurrences(state, id, 1).length > 0)) return recurrence;
  if (recurrence || (Number.isInteger(id) && id > 0 && id <= state.recurrences.lastId)) {
    throw new SchedulerError('RECURRENCE_ENDED', `No occurrence of recurrence ${id} is to come.`, ['id']);
  }
  throw new SchedulerError('RECURRENCE_NOT_FOUND', `Recurrence ${id} does not exist.`, ['id']);
}

/** The created occurrences from an index on that have not started, ascending. */
export function waitingOccurrences({ leases }: SchedulerState, id: number, from: number): Lease[] {
  return [...leases.values()]
    .filter((lease) => {
      const { occurrenceOf } = lease.terms;
      return occurrenceOf?.recurrence === id && occurrenceOf.index >= from && !hasStarted(lease);
    })
    .sort((a, b) => indexOf(a) - indexOf(b));
}

export function indexOf(lease: Lease): number {
  return lease.terms.occurrenceOf?.index ?? 0;
}

/** The terms that apply to an occurrence. */
export function termsAt(terms: readonly OccurrenceTerms[], index: number): OccurrenceTerms {
  return terms.findLast(({ from }) => from <= index) ?? (terms[0] as OccurrenceTerms);
}

/** The request for an occurrence. */
export function occurrenceRequest(
  recurrence: RecurrenceRecord,
  { index, start }: Pick<OccurrenceStart, 'index' | 'start'>,
): LeaseRequest {
  const { id, image, machines, name, owner, preemptible, project, terms } = recurrence;
  const { duration } = termsAt(terms, index);
  return {
    type: 'ADVANCE_RESERVATION',
    ...{ name, machines, duration, start, preemptible, image, owner, project },
    occurrenceOf: { recurrence: id, index },
  };
}

/** The following occurrences, up to the last. */
export function withinLast(
  next: OccurrenceStart | null,
  { lastIndex }: Pick<RecurrenceRecord, 'lastIndex'>,
): OccurrenceStart | null {
  return next !== null && lastIndex !== null && next.index > lastIndex ? null : next;
}
