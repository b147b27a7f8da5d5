import type { PlannedEnding } from '../../core/index.ts';
import type { CommandKind } from './command.ts';

/** Query: what would follow from a command that ends leases, or why it would be refused. Changes nothing. */
export function endingOf<Input>(kind: CommandKind<Input, unknown>): CommandKind<Input, PlannedEnding> {
  return {
    parse: (input) => kind.parse(input),
    rows: () => 0,
    trials: 64,
    apply: (core, now, input, tools) => core.dryRunEnding(now, (rehearsed) => kind.apply(rehearsed, now, input, tools)),
    idempotency: null,
  };
}
