/**
 * Verifies that the stored plan of a lease is complete: a lease with a partial plan might never start or end, or might
 * share its nodes with others.
 */
import type { LeaseRecord, LeaseState, ReservationKind, ReservationRecord } from '../core/index.ts';

/** For each entry, a lease in this state needs one reservation of one of these kinds. */
const required: Partial<Record<LeaseState, readonly (readonly ReservationKind[])[]>> = {
  SCHEDULED: [['VM']],
  PREPARING: [['VM']],
  READY: [['VM']],
  // Its machines run, or the reservation that ends their running is next.
  ACTIVE: [['VM', 'SHUTDOWN', 'SUSPENSION']],
  SUSPENDING: [['SUSPENSION']],
  SUSPENDED_SCHEDULED: [['VM'], ['RESUMPTION']],
  MIGRATING: [['VM'], ['RESUMPTION']],
  RESUMING: [['VM']],
  RESUMED_READY: [['VM']],
};

/** Describes what is missing, one clause each; `reservations` are those of the lease. */
export function missingParts(lease: LeaseRecord, reservations: readonly ReservationRecord[]): string[] {
  const kinds = new Set(reservations.map(({ kind }) => kind));
  const absent = (required[lease.state] ?? [])
    .filter((alternatives) => !alternatives.some((kind) => kinds.has(kind)))
    .map((alternatives) => `it is ${lease.state} and has no reservation of kind ${alternatives.join(' or ')}`);
  return [...absent, ...reservations.flatMap((reservation) => missingNodes(lease, reservation))];
}

function missingNodes(lease: LeaseRecord, { id, kind, machines, amounts }: ReservationRecord): string[] {
  if (machines === null || kind === 'IMAGE_TRANSFER') return [];
  const missing: string[] = [];
  if (kind === 'VM') {
    const unmapped = lease.machines.findIndex((_, position) => machines[position + 1] === undefined);
    if (unmapped >= 0) missing.push(`reservation ${id} maps machine ${unmapped + 1} to no node`);
  }
  const unheld = Object.values(machines).find((node) => amounts[node] === undefined);
  if (unheld !== undefined) missing.push(`reservation ${id} holds nothing on node ${unheld}, where its machines are`);
  return missing;
}
