import { CommandError } from './answer.ts';
import type { CommandKind } from './command.ts';
import { type LeaseNumberInput, parseLeaseNumber } from './lease-number.ts';

/** Discards a quarantined lease: the lease becomes FAILED and its machines are destroyed. */
export const discard: CommandKind<LeaseNumberInput, LeaseNumberInput> = {
  parse: parseLeaseNumber,
  rows: () => 10,
  apply: (core, now, { leaseNumber }, { quarantine }) => {
    if (!quarantine.has(leaseNumber)) {
      // Throws for a lease that has ended or does not exist.
      core.waiting(now, leaseNumber);
      throw new CommandError(
        'LEASE_NOT_QUARANTINED',
        `Lease ${leaseNumber} is sound, so it cannot be discarded. Cancel it instead.`,
      );
    }
    const remains = quarantine.remainsOf(leaseNumber);
    if (!remains) throw new CommandError('LEASE_ENDED', `Lease ${leaseNumber} has ended.`);
    const targets = remains.machines.map((machine) => ({
      ...machine,
      ...{ leaseId: leaseNumber, toNode: null, image: null },
    }));
    core.discard(now, { leaseId: leaseNumber, from: remains.state, targets });
    quarantine.release(leaseNumber);
    return { leaseNumber };
  },
  idempotency: null,
};
