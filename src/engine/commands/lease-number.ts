import { fieldsOf, isWhole } from './shape.ts';

/** The input of commands that only name a lease. */
export interface LeaseNumberInput {
  readonly leaseNumber: number;
}

export function parseLeaseNumber(input: unknown): LeaseNumberInput | null {
  const fields = fieldsOf(input);
  return fields && isWhole(fields.leaseNumber) ? { leaseNumber: fields.leaseNumber } : null;
}
