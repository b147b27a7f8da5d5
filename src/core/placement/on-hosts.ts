import type { Lease } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

export type Place = readonly [machine: number, node: number];

/**
 * Where hosts hold something of the lease: machines that run, are saved, are prepared or are being so, or are on the
 * way from one to another.
 */
export const heldByHosts = ({ vm, memoryAt, diskAt, transfers, id }: Lease): Place[] => {
  const begun = vm?.chain.some((each) => each.state === 'ACTIVE' || each.state === 'DONE') ? vm : null;
  const arriving = [...transfers].flatMap(({ startedWith }) =>
    (startedWith ?? []).flatMap(({ lease, machine, node }) =>
      lease.id === id ? [[machine, node] as const] : [],
    ),
  );
  const places = new Map<string, Place>();
  for (const place of [...(begun?.mapping.entries() ?? []), ...memoryAt, ...diskAt, ...arriving])
    if (place[0] > 0) places.set(String(place), place);
  return [...places.values()].sort(([a, here], [b, there]) => a - b || here - there);
};

/** Tells the hosts to remove what they hold of the lease in these places. */
export const haveRemoved = (
  state: SchedulerState,
  lease: Lease,
  places: readonly Place[],
  now: Instant,
): void => {
  // Also on a node that is down: when it comes back, its machines may still be there.
  const targets = places.map(([machine, node]) => state.target(lease, machine, node));
  state.log.action('DESTROY', now, lease, null, targets);
};
