import { type Instant, type LeaseRecord, SchedulerError, type SkippedOccurrence } from '../../core/index.ts';
import type { Core } from '../core.ts';
import type { CommandKind } from './command.ts';
import type { PlannedOccurrence, PlannedRecurrence } from './rehearse-recurrence.ts';
import { type UpdateRecurrenceInput, updateRecurrence, updateWith } from './update-recurrence.ts';

/** Refusals for lack of capacity; others are refusals of the question as well. */
const roomCodes: ReadonlySet<string> = new Set(['NOT_SCHEDULABLE', 'QUOTA_EXCEEDED']);

/**
 * A question: what an update of a recurrence would do to its occurrences that are leases already. Of one that would be
 * refused: the first occurrence that is not available, and when it would be. Changes nothing.
 */
export const rehearseRecurrenceUpdate: CommandKind<UpdateRecurrenceInput, PlannedRecurrence> = {
  parse: (input) => updateRecurrence.parse(input),
  rows: () => 0,
  trials: 64,
  apply: (core, now, input) => {
    try {
      return core.rehearse((rehearsed) => {
        const { displaced } = updateWith(rehearsed, now, input);
        const changed = rehearsed.recurrences.waiting(input.recurrence, input.from ?? 1);
        return { accepted: true, occurrences: changed.map(planned), displaces: displaced };
      });
    } catch (error) {
      const [refused] = error instanceof SchedulerError ? (error.details.occurrences ?? []) : [];
      if (!refused || !roomCodes.has(refused.reason.code)) throw error;
      return { accepted: false, occurrences: [alternative(core, now, input, refused)], displaces: [] };
    }
  },
  idempotency: null,
};

function planned({ duration, occurrenceOf, requestedStart }: LeaseRecord): PlannedOccurrence {
  const start = requestedStart as Instant;
  const index = occurrenceOf?.index ?? 0;
  return { index, start, end: start + duration, reason: null, firstPossibleStart: null };
}

/** The other occurrences stay where they are. */
function alternative(
  core: Core,
  now: Instant,
  { duration, recurrence }: UpdateRecurrenceInput,
  { index, reason, start }: SkippedOccurrence,
): PlannedOccurrence {
  const [lease] = core.recurrences.waiting(recurrence, index);
  const terms = { start, ...(duration !== undefined && { duration }) };
  const firstPossibleStart = lease ? core.dryRunUpdate(now, lease.id, terms).firstPossibleStart : null;
  const lasts = duration ?? lease?.duration ?? 0;
  return { index, start, end: start + lasts, reason, firstPossibleStart };
}
