import type { CommandOutcome, LeaseUpdate } from '../../core/index.ts';
import type { CommandKind } from './command.ts';

export interface UpdateInput {
  readonly leaseNumber: number;
  /** New terms, all or none. */
  readonly update: LeaseUpdate;
}

export interface UpdateResult extends CommandOutcome {
  readonly leaseNumber: number;
}

export const update: CommandKind<UpdateInput, UpdateResult> = {
  parse: (input) => (isUpdate(input) ? input : null),
  rows: () => 1,
  apply: (core, now, { leaseNumber, update: terms }) => ({
    leaseNumber,
    ...core.update(now, leaseNumber, terms),
  }),
  idempotency: {
    identity: ({ leaseNumber, update: terms }) => ({ update: leaseNumber, ...terms }),
    leaseNumber: ({ leaseNumber }) => leaseNumber,
    repeated: (leaseNumber) => ({ leaseNumber, displaced: [] }),
  },
};

/** The core checks the values. */
function isUpdate(input: unknown): input is UpdateInput {
  return (
    typeof input === 'object' &&
    input !== null &&
    'leaseNumber' in input &&
    Number.isSafeInteger(input.leaseNumber) &&
    'update' in input &&
    typeof input.update === 'object' &&
    input.update !== null
  );
}
