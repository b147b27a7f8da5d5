import type { CommandKind } from './command.ts';
import { type LeaseNumberInput, parseLeaseNumber } from './lease-number.ts';

export const cancel: CommandKind<LeaseNumberInput, LeaseNumberInput> = {
  parse: parseLeaseNumber,
  rows: () => 1,
  apply: (core, now, { leaseNumber }) => {
    core.cancel(now, leaseNumber);
    return { leaseNumber };
  },
  idempotency: null,
};
