import { fieldsOf, isWhole } from './shape.ts';

/** Input of commands that take only a lease number. */
export interface LeaseNumberInput {
  readonly leaseNumber: number;
}

export function parseLeaseNumber(input: unknown): LeaseNumberInput | null {
  const fields = fieldsOf(input);
  return fields && isWhole(fields.leaseNumber) ? { leaseNumber: fields.leaseNumber } : null;
}
