import type { CommandKind } from './command.ts';
import { type LeaseNumberInput, parseLeaseNumber } from './lease-number.ts';

/** The machines of a running lease are no longer needed, or ended by themselves: it is DONE now. */
export const end: CommandKind<LeaseNumberInput, LeaseNumberInput> = {
  parse: parseLeaseNumber,
  rows: () => 1,
  apply: (core, now, { leaseNumber }) => {
    core.vmEnded(now, leaseNumber);
    return { leaseNumber };
  },
  idempotency: null,
};
