import type { Lease } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import type { EarliestTime } from '../preparation/preparation.ts';
import type { Saved } from './migration.ts';
import type { Planning } from './plan.ts';

/** When, at the earliest, and where the machines of a lease may start, considering what must be copied before. */
export interface Readiness {
  /** Distinct, ascending, each with the nodes that may be used from then on. */
  readonly earliest: readonly EarliestTime[];
  /** From when on memory and images of a suspended lease are copied. */
  readonly copiesFrom: Instant;
  /** Of the nodes that may be used for a start (null: all), those to which everything can be copied before. */
  reachable(nodes: readonly number[] | null, start: Instant): readonly number[] | null;
}

/** Of a lease that has not run yet. */
export function readyToStart({ preparation }: Planning, lease: Lease, now: Instant): Readiness {
  const reachable = preparation.reachable(lease, now);
  return {
    earliest: preparation.earliestTimes(lease, now),
    copiesFrom: now,
    reachable: (nodes) =>
      reachable === null ? nodes : (nodes?.filter((node) => reachable.includes(node)) ?? reachable),
  };
}

/** Of a lease that is to be resumed. Copying is charged whether or not anything will move. */
export function readyToResume(planning: Planning, lease: Lease, saved: Saved, now: Instant): Readiness {
  const { config, estimates, table } = planning;
  const copying = config.migration === 'no' ? 0 : estimates.diskMigration(lease) + estimates.memoryMigration(lease);
  const from = config.migration === 'no' ? now : copyableFrom(planning, saved, now, copying);
  return {
    earliest: [{ time: from + copying, nodes: null }],
    copiesFrom: from,
    reachable(nodes, start) {
      if (config.migration === 'no' || !table.hasClosedNodes || start <= from) return nodes;
      const open = table.nodes.slice(1).filter((node) => node.isOpen(from, start));
      return open.map(({ number }) => number).filter((number) => nodes?.includes(number) ?? true);
    },
  };
}

/** What lies on a node during its maintenance waits there: no copy is taken (N3). */
function copyableFrom({ availability }: Planning, saved: Saved, now: Instant, length: Millis): Instant {
  if (availability.isIdle) return now;
  const nodes = new Set([...saved.memoryAt.values(), ...saved.diskAt.values()]);
  let from = now;
  for (let waits = true; waits; ) {
    waits = false;
    for (const node of nodes) {
      const until = availability.busyUntil(node, from, from + Math.max(length, 1));
      if (until === null) continue;
      from = until;
      waits = true;
    }
  }
  return from;
}
