import type { Lease } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

export type Place = readonly [machine: number, node: number];

/** Nodes that hold machines of the lease: running, saved, prepared, or in transition. */
export const heldByHosts = ({ vm, memoryAt, diskAt, transfers, id }: Lease): Place[] => {
  const begun = vm?.chain.some((each) => each.state === 'ACTIVE' || each.state === 'DONE') ? vm : null;
  const arriving = [...transfers].flatMap(({ startedWith }) =>
    (startedWith ?? []).flatMap(({ lease, machine, node }) => (lease.id === id ? [[machine, node] as const] : [])),
  );
  const places = new Map<string, Place>();
  for (const place of [...(begun?.mapping.entries() ?? []), ...memoryAt, ...diskAt, ...arriving])
    if (place[0] > 0) places.set(String(place), place);
  return [...places.values()].sort(([a, here], [b, there]) => a - b || here - there);
};

/** For how long the machines of a lease have run that run now. */
export function ranFor({ notStarted }: SchedulerState, { id, vm }: Lease, now: Instant): Millis {
  return vm?.state === 'ACTIVE' && !notStarted.has(id) ? Math.max(0, now - vm.start) : 0;
}

/** Tells hosts to remove the lease's machines from these places. */
export const haveRemoved = (state: SchedulerState, lease: Lease, places: readonly Place[], now: Instant): void => {
  // Also on a node that is DOWN: its machines may still be there when it returns.
  const targets = places.map(([machine, node]) => state.target(lease, machine, node));
  state.log.action('DESTROY', now, lease, null, targets);
};
