import type { History } from '../support/invariants/index.ts';

const broken = new Set(['NODE_FAILED', 'NODE_UNAVAILABLE', 'MAINTENANCE']);

/** Reports accepted reservations and deadlines that are not kept, unless nodes were taken from them. */
export function promiseFaults({ leases, events, reservations }: History): string[] {
  return leases.flatMap((lease) => {
    const own = events.filter(({ leaseId }) => leaseId === lease.id);
    if (!own.some(({ to }) => to === 'SCHEDULED') || lease.state === 'CANCELLED') return [];
    if (own.some(({ reason }) => reason && broken.has(reason.code))) return [];
    if (lease.type === 'DEADLINE') {
      const isKept = lease.state === 'DONE' && (lease.endedAt ?? 0) <= (lease.deadline ?? 0);
      return isKept
        ? []
        : [`lease ${lease.id} was promised by ${lease.deadline}, and was ${lease.state} at ${lease.endedAt}`];
    }
    if (lease.type !== 'ADVANCE_RESERVATION') return [];
    const vms = reservations.filter(
      ({ leaseId, kind, state }) => leaseId === lease.id && kind === 'VM' && state !== 'SCHEDULED',
    );
    const end = (lease.requestedStart ?? 0) + lease.duration;
    const isKept =
      lease.state === 'DONE' &&
      vms.length === 1 &&
      vms[0]?.start === lease.requestedStart &&
      (lease.endedAt ?? 0) <= end;
    return isKept
      ? []
      : [`lease ${lease.id} was reserved from ${lease.requestedStart}, and was ${lease.state} at ${lease.endedAt}`];
  });
}
