import type { LeaseRequest, PlannedLease } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { request } from './request.ts';

/** Query: the answer that a request would receive now. Changes nothing. */
export const dryRun: CommandKind<LeaseRequest, PlannedLease> = {
  parse: (input) => request.parse(input),
  rows: () => 0,
  trials: 64,
  apply: (core, now, input) => core.dryRun(now, input),
  idempotency: null,
};
