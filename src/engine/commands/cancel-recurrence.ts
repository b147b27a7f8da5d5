import type { CommandKind } from './command.ts';
import { fieldsOf, isWhole } from './shape.ts';
import { firstToCome } from './update-recurrence.ts';

export interface CancelRecurrenceInput {
  readonly recurrence: number;
  /** Index of the first occurrence to cancel; null means the first one that has not started. */
  readonly from: number | null;
}

export interface CancelRecurrenceResult {
  readonly recurrence: number;
}

/** Cancels the occurrences that have not started and creates no further ones. */
export const cancelRecurrence: CommandKind<CancelRecurrenceInput, CancelRecurrenceResult> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    const from = fields?.from ?? null;
    return fields && isWhole(fields.recurrence) && (from === null || isWhole(from))
      ? { recurrence: fields.recurrence, from }
      : null;
  },
  rows: () => 300,
  apply: (core, now, { recurrence, from }) => {
    core.recurrences.cancel(now, recurrence, from ?? firstToCome(core, core.recurrences.open(recurrence)));
    return { recurrence };
  },
  idempotency: null,
};
