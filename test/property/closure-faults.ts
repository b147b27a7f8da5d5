/** Nodes that may not be used, and what was found on them. */
import type { Instant, NodeState } from '../../src/core/index.ts';

export interface Closed {
  readonly node: number;
  readonly why: NodeState | 'MAINTENANCE';
  readonly from: Instant;
  to: Instant;
}

interface Holding {
  readonly id: number;
  readonly vmId: number | null;
  readonly kind: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly machines: Readonly<Record<string, number>> | null;
  readonly moves: Readonly<Record<string, readonly [number, number]>> | null;
  readonly targets: Readonly<Record<string, unknown>> | null;
}

/** What ends on a draining node what began there earlier. */
const closing: readonly string[] = ['SUSPENSION', 'SHUTDOWN'];

/**
 * Nothing of a lease lies on a node that is DOWN or under maintenance, its image and the source of its memory included,
 * and nothing starts on one that is draining. `others` are all reservations: what goes on is looked up there.
 */
export function closureFaults(
  reservations: readonly Holding[],
  closed: readonly Closed[],
  now: Instant,
  others: readonly Holding[] = reservations,
): string[] {
  return reservations.flatMap((reservation) => {
    const { id, kind, start, end, machines, moves, targets } = reservation;
    const towards = new Set([
      ...Object.values(machines ?? {}),
      ...Object.values(moves ?? {}).map(([, to]) => to),
      ...Object.keys(targets ?? {}).map(Number),
    ]);
    const touched = new Set([...towards, ...Object.values(moves ?? {}).map(([from]) => from)]);
    return closed
      .filter(({ node, why, from, to }) => {
        if (start === end || from >= to) return false;
        if (why !== 'DRAINING') return touched.has(node) && start < to && end > Math.max(from, 0);
        if (!towards.has(node) || closing.includes(kind)) return false;
        return start >= from && start < to && !isResumedBefore(reservation, from, others);
      })
      .map(
        ({ node, why, from }) =>
          `reservation ${id} (${kind}) from ${start} to ${end} is on node ${node}, which is ${why} from ${from}, at ${now}`,
      );
  });
}

/** Whether a reservation belongs to a resumption of all machines that had begun by an instant. */
function isResumedBefore({ id, kind, vmId }: Holding, instant: Instant, others: readonly Holding[]): boolean {
  if (kind !== 'VM' && kind !== 'RESUMPTION') return false;
  return others.some((other) => other.kind === 'RESUMPTION' && other.vmId === (vmId ?? id) && other.start < instant);
}
