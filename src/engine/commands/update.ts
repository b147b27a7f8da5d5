import type { CommandOutcome, LeaseUpdate } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isOptionalText, isWhole } from './shape.ts';

export interface UpdateInput {
  readonly leaseNumber: number;
  /** New terms; all or none apply. */
  readonly update: LeaseUpdate;
}

export interface UpdateResult extends CommandOutcome {
  readonly leaseNumber: number;
}

/** Changes the terms of a lease, all or none. The error EXTENSION_BLOCKED states in `details` what is possible. */
export const update: CommandKind<UpdateInput, UpdateResult> = {
  parse: parseUpdate,
  rows: () => 10,
  apply: (core, now, { leaseNumber, update: terms }) => ({
    leaseNumber,
    ...core.update(now, leaseNumber, terms),
  }),
  idempotency: {
    identity: ({ leaseNumber, update: terms }) => ({ update: leaseNumber, ...terms }),
    number: ({ leaseNumber }) => leaseNumber,
    repeated: (leaseNumber) => ({ leaseNumber, displaced: [] }),
  },
};

function parseUpdate(input: unknown): UpdateInput | null {
  const fields = fieldsOf(input);
  const terms = fieldsOf(fields?.update);
  if (!fields || !terms || !isWhole(fields.leaseNumber)) return null;
  const { asFarAsPossible = false, deadline, duration, endNotice, name, preemptible, start, ...others } = terms;
  if (Object.keys(others).length > 0 || typeof asFarAsPossible !== 'boolean') return null;
  const isTime = (value: unknown): boolean => value === undefined || isWhole(value);
  if (!isTime(deadline) || !isTime(duration) || !isTime(endNotice) || !isTime(start)) return null;
  if (!isOptionalText(name)) return null;
  if (preemptible !== undefined && typeof preemptible !== 'boolean') return null;
  return { leaseNumber: fields.leaseNumber, update: terms as LeaseUpdate };
}
