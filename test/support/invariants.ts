/** What must hold of a site whatever happened to its servers. Each check says what it found; empty when all is well. */
import {
  type LeaseEventRecord,
  type LeaseRecord,
  leaseTransitions,
  type ReservationRecord,
  type SiteSpec,
} from '../../src/core/index.ts';

/** Sequence numbers count up from the first one without gaps or repeats. */
export const sequenceFaults = (events: readonly Pick<LeaseEventRecord, 'sequence'>[]): string[] =>
  events.flatMap(({ sequence }, index) => {
    const before = events[index - 1];
    return before && sequence !== before.sequence + 1
      ? [`event ${sequence} follows event ${before.sequence}`]
      : [];
  });

/** Each lease's events form a path of the state machine from NEW to its present state, and do not go back in time. */
export const pathFaults = (
  leases: readonly Pick<LeaseRecord, 'id' | 'state'>[],
  events: readonly Omit<LeaseEventRecord, 'reason'>[],
): string[] => {
  const faults: string[] = [];
  const present = new Map(leases.map((lease) => [lease.id, 'NEW' as LeaseRecord['state']]));
  let last = Number.NEGATIVE_INFINITY;
  for (const { sequence, leaseId, from, to, at } of events) {
    const state = present.get(leaseId);
    if (state === undefined) faults.push(`event ${sequence} is of lease ${leaseId}, which is not there`);
    else if (state !== from)
      faults.push(`event ${sequence}: lease ${leaseId} leaves ${from}, but was ${state}`);
    if (!leaseTransitions[from].includes(to))
      faults.push(`event ${sequence}: ${from} does not lead to ${to}`);
    if (at < last) faults.push(`event ${sequence} happened before the one before it`);
    present.set(leaseId, to);
    last = at;
  }
  for (const { id, state } of leases) {
    if (present.get(id) !== state)
      faults.push(`lease ${id} is ${state}, but its events end in ${present.get(id)}`);
  }
  return faults;
};

/** No node was, is or will be over capacity at any instant. */
export const capacityFaults = (
  site: SiteSpec,
  reservations: readonly Pick<ReservationRecord, 'kind' | 'start' | 'end' | 'amounts'>[],
): string[] => {
  const faults: string[] = [];
  for (const { number, capacity } of site.nodes) {
    for (const type of site.resourceTypes) {
      const changes = reservations
        .filter(
          ({ kind }) =>
            kind === 'VM' || kind === 'SHUTDOWN' || kind === 'SUSPENSION' || kind === 'RESUMPTION',
        )
        .flatMap(({ start, end, amounts }) => {
          const amount = Number(amounts[number]?.[type] ?? 0);
          return amount > 0 && start < end
            ? [
                { at: start, by: amount },
                { at: end, by: -amount },
              ]
            : [];
        })
        .sort((a, b) => a.at - b.at || a.by - b.by);
      let used = 0;
      for (const { at, by } of changes) {
        used += by;
        if (used > Number(capacity[type]))
          faults.push(`node ${number} at ${at}: ${type} ${used} of ${capacity[type]}`);
      }
    }
  }
  return faults;
};
