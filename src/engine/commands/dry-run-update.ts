import type { Instant, PlannedUpdate } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isWhole } from './shape.ts';
import { type UpdateInput, update } from './update.ts';

/** `searchFrom`: where an earlier answer ended (`continueFrom`). */
type Rehearsal = UpdateInput & { readonly searchFrom?: Instant };

/** Query: the answer that an update would receive now. Changes nothing. */
export const dryRunUpdate: CommandKind<Rehearsal, PlannedUpdate> = {
  parse: (input) => {
    const parsed = update.parse(input);
    const searchFrom = fieldsOf(input)?.searchFrom;
    if (!parsed || searchFrom === undefined) return parsed;
    return isWhole(searchFrom) ? { ...parsed, searchFrom } : null;
  },
  rows: () => 0,
  trials: 64,
  apply: (core, now, { leaseNumber, searchFrom, update: terms }) =>
    core.dryRunUpdate(now, leaseNumber, terms, searchFrom),
  idempotency: null,
};
