import type { CommandKind } from './command.ts';
import { type LeaseNumberInput, parseLeaseNumber } from './lease-number.ts';

/** Ends a running lease early, on request or because its machines stopped: the lease becomes DONE. */
export const end: CommandKind<LeaseNumberInput, LeaseNumberInput> = {
  parse: parseLeaseNumber,
  rows: () => 1,
  apply: (core, now, { leaseNumber }) => {
    core.vmEnded(now, leaseNumber);
    return { leaseNumber };
  },
  idempotency: null,
};
