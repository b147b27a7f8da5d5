import type { PlannedUpdate } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { type UpdateInput, update } from './update.ts';

/** Query: the answer that an update would receive now. Changes nothing. */
export const dryRunUpdate: CommandKind<UpdateInput, PlannedUpdate> = {
  parse: (input) => update.parse(input),
  rows: () => 0,
  apply: (core, now, { leaseNumber, update: terms }) => core.dryRunUpdate(now, leaseNumber, terms),
  idempotency: null,
};
