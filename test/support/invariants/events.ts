import { type LeaseEventRecord, type LeaseRecord, leaseTransitions } from '../../../src/core/index.ts';

/** Sequence numbers count up from the first one without gaps or repeats. */
export function sequenceFaults(events: readonly Pick<LeaseEventRecord, 'sequence'>[]): string[] {
  return events.flatMap(({ sequence }, index) => {
    const before = events[index - 1];
    return before && sequence !== before.sequence + 1 ? [`event ${sequence} follows event ${before.sequence}`] : [];
  });
}

/** Each lease's events form a path of the state machine from NEW to its present state, and do not go back in time. */
export function pathFaults(
  leases: readonly Pick<LeaseRecord, 'id' | 'state'>[],
  events: readonly Omit<LeaseEventRecord, 'reason'>[],
): string[] {
  const faults: string[] = [];
  const present = new Map(leases.map((lease) => [lease.id, 'NEW' as LeaseRecord['state']]));
  let last = Number.NEGATIVE_INFINITY;
  for (const { sequence, leaseId, from, to, at } of events) {
    const state = present.get(leaseId);
    if (state === undefined) faults.push(`event ${sequence} is of lease ${leaseId}, which is not there`);
    else if (state !== from) faults.push(`event ${sequence}: lease ${leaseId} leaves ${from}, but was ${state}`);
    if (!leaseTransitions[from].includes(to)) faults.push(`event ${sequence}: ${from} does not lead to ${to}`);
    if (at < last) faults.push(`event ${sequence} happened before the one before it`);
    present.set(leaseId, to);
    last = at;
  }
  for (const { id, state } of leases) {
    if (present.get(id) !== state) faults.push(`lease ${id} is ${state}, but its events end in ${present.get(id)}`);
  }
  return faults;
}
