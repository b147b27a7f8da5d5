import type { Availability, AvailabilityQuestion } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isWhole } from './shape.ts';

/** Query: when machines are available. Changes nothing. */
export const availability: CommandKind<AvailabilityQuestion, Availability> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    return fields && Array.isArray(fields.machines) && isWhole(fields.duration) && isWhole(fields.from)
      ? (input as AvailabilityQuestion)
      : null;
  },
  rows: () => 0,
  trials: 64,
  apply: (core, now, question) => core.availability(now, question),
  idempotency: null,
};
