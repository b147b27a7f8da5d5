import type { LeaseRequest } from '../../core/index.ts';
import type { CommandKind } from './command.ts';

export interface RequestResult {
  readonly leaseNumber: number;
}

export const request: CommandKind<LeaseRequest, RequestResult> = {
  parse: (input) => (isRequest(input) ? input : null),
  rows: ({ machines }) => machines.length,
  apply: (core, now, input) => ({ leaseNumber: core.request(now, input).id }),
  idempotency: {
    identity: (input) => input,
    leaseNumber: ({ leaseNumber }) => leaseNumber,
    repeated: (leaseNumber) => ({ leaseNumber }),
  },
};

/** The core checks the values. */
function isRequest(input: unknown): input is LeaseRequest {
  return (
    typeof input === 'object' &&
    input !== null &&
    'machines' in input &&
    Array.isArray(input.machines) &&
    'type' in input
  );
}
