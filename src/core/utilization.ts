import { SchedulerError } from './errors.ts';
import type { Reservation } from './model/lease.ts';
import type { Instant } from './model/records.ts';
import type { SchedulerState } from './state.ts';

/** Shares of a resource, 0 to 1. */
export interface Utilization {
  readonly used: number;
  readonly suspending: number;
  readonly resuming: number;
  readonly shuttingDown: number;
  readonly free: number;
}

/**
 * What the site's CPU does at an instant: a VM counts as used, an operation as what its VM holds on the nodes it
 * touches.
 */
export const utilizationAt = (state: SchedulerState, at: Instant): Utilization => {
  const cpu = state.space.types.findIndex(({ name }) => name === 'CPU');
  const sums = { used: 0, suspending: 0, resuming: 0, shuttingDown: 0 };
  for (const { reservations } of state.leases.values()) {
    for (const reservation of reservations) {
      const share = SHARES[reservation.kind];
      if (share && state.table.has(reservation) && reservation.start <= at && at < reservation.end)
        sums[share] += amount(state, reservation, cpu);
    }
  }
  const total = state.table.capacity[cpu] ?? 0;
  const share = (sum: number) => (total > 0 ? sum / total : 0);
  const used = share(sums.used);
  const suspending = share(sums.suspending);
  const resuming = share(sums.resuming);
  const shuttingDown = share(sums.shuttingDown);
  return { used, suspending, resuming, shuttingDown, free: 1 - used - suspending - resuming - shuttingDown };
};

const SHARES: Partial<Record<Reservation['kind'], 'used' | 'suspending' | 'resuming' | 'shuttingDown'>> = {
  VM: 'used',
  SUSPENSION: 'suspending',
  RESUMPTION: 'resuming',
  SHUTDOWN: 'shuttingDown',
};

const amount = (state: SchedulerState, reservation: Reservation, type: number): number => {
  let sum = 0;
  for (const vector of reservation.amounts.values()) sum += state.space.totals(vector)[type] as number;
  return sum;
};

/** Of the whole site. Throws INVALID_REQUEST for a type that it does not have. */
export function totalCapacity({ space, table }: SchedulerState, type: string): number {
  const index = space.types.findIndex(({ name }) => name === type);
  if (index < 0) throw new SchedulerError('INVALID_REQUEST', `The site has no resource type "${type}".`);
  return table.capacity[index] as number;
}
