import type { CommandKind } from './command.ts';

/**
 * Query: what a command would be answered now, or why it would be refused, also for its idempotency key. Changes
 * nothing.
 */
export function rehearsalOf<Input, Result>(kind: CommandKind<Input, Result>): CommandKind<Input, Result> {
  return {
    parse: (input) => kind.parse(input),
    rows: () => 0,
    apply: (core, now, input, tools) => core.rehearse((rehearsed) => kind.apply(rehearsed, now, input, tools)),
    idempotency: kind.idempotency && { ...kind.idempotency, isLookup: true },
  };
}
