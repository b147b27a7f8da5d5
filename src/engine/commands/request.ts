import type { LeaseRequest } from '../../core/index.ts';
import type { CommandKind } from './command.ts';

export interface RequestResult {
  readonly leaseNumber: number;
  /**
   * Present until a pass has considered a lease with a fixed start, which will be planned or REJECTED. (A best-effort
   * lease may wait in the queue for any time, so no decision is outstanding.)
   */
  readonly undecided?: true;
}

export const request: CommandKind<LeaseRequest, RequestResult> = {
  parse: (input) => (isRequest(input) ? input : null),
  rows: ({ machines }) => machines.length,
  apply: (core, now, input) => ({ leaseNumber: core.request(now, input).id }),
  conclude: (core, { type }, { leaseNumber }) =>
    type !== 'BEST_EFFORT' && core.lease(leaseNumber)?.state === 'PENDING'
      ? { leaseNumber, undecided: true }
      : { leaseNumber },
  idempotency: {
    identity: (input) => input,
    number: ({ leaseNumber }) => leaseNumber,
    repeated: (leaseNumber) => ({ leaseNumber }),
  },
};

/** The core validates the values. */
function isRequest(input: unknown): input is LeaseRequest {
  return (
    typeof input === 'object' &&
    input !== null &&
    'machines' in input &&
    Array.isArray(input.machines) &&
    'type' in input
  );
}
