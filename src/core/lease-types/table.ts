import { SchedulerError } from '../errors.ts';
import type { LeaseType } from '../model/records.ts';
import { advanceReservation } from './advance-reservation.ts';
import { bestEffort } from './best-effort.ts';
import { deadline } from './deadline.ts';
import { immediate } from './immediate.ts';
import type { LeaseTypeRules } from './lease-type.ts';

/** Every type that can be scheduled, in the order in which the pass takes them. */
export const leaseTypes: readonly LeaseTypeRules[] = [bestEffort, immediate, advanceReservation, deadline];

const byType = new Map(leaseTypes.map((rules) => [rules.type, rules]));

/** Throws UNSUPPORTED_LEASE_TYPE for a type that is not in the table. */
export function rulesOf(type: LeaseType): LeaseTypeRules {
  const rules = byType.get(type);
  if (rules) return rules;
  const known = leaseTypes.map((each) => each.type).join(', ');
  throw new SchedulerError(
    'UNSUPPORTED_LEASE_TYPE',
    `Leases of type ${type} cannot be scheduled here; supported types are ${known}.`,
    ['type'],
  );
}
