import type { Waiting } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { type LeaseNumberInput, parseLeaseNumber } from './lease-number.ts';

/** Query: why a lease is not running; null when it is. Changes nothing. */
export const waiting: CommandKind<LeaseNumberInput, Waiting | null> = {
  parse: parseLeaseNumber,
  rows: () => 0,
  apply: (core, now, { leaseNumber }) => core.waiting(now, leaseNumber),
  idempotency: null,
};
