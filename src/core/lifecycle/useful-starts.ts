import { fits, type Need } from '../model/capacity.ts';
import type { Lease, VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import type { NodeProfile, Segment } from '../slot-table/node-profile.ts';
import type { SchedulerState } from '../state.ts';
import type { StartWindow } from '../vm/soonest.ts';

/**
 * Where a better start can lie, ascending. For leases that just need enough free places for long enough (nothing to transfer, no shorter
 * stay that ends in a suspension), none was possible before the plan when it was made, so only what was given back since can have made one possible: the lease must fit on one of the nodes concerned.
 */
export const usefulStarts = (
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  now: Instant,
): readonly StartWindow[] => {
  const last = previous.mustSuspend ? previous.start : previous.start - 1;
  const everywhere = last < now ? [] : [{ from: now, to: last }];
  const onlyPlacesCount =
    lease.type !== 'DEADLINE' &&
    lease.uniform &&
    !state.planning.estimates.canSuspend(lease) &&
    state.config.preparation === 'unmanaged';
  if (!onlyPlacesCount || state.policies.preemption.preempts(lease.view)) return everywhere;
  const { freed, nodes } = state.table;
  if (!freed.remembers(lease.freedSeal)) return everywhere;
  const length = previous.finalEnd - previous.start;
  const possible = roomOnSite(state, lease, previous, now, last);
  if (possible.length === 0) return [];
  const found: StartWindow[] = [];
  for (const [number, spans] of freed.since(lease.freedSeal)) {
    const node = nodes[number] as NodeProfile;
    for (const span of spans) {
      for (const window of possible) {
        // A start between these takes in something of what was given back.
        const from = Math.max(window.from, span.start - length + 1);
        const to = Math.min(window.to, span.end - 1);
        if (from <= to) addFittingStarts(found, node, lease, { from, to }, length);
      }
    }
  }
  return merge(found);
};

/** The starts up to `last` for which the site as a whole has enough free. What the lease itself holds, from its present start on, counts as free. */
const roomOnSite = (
  { table: { site } }: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  now: Instant,
  last: Instant,
): StartWindow[] => {
  const length = previous.finalEnd - previous.start;
  const windows: StartWindow[] = [];
  let at = now;
  while (at <= last) {
    const from = site.firstEnough(at, last + 1, lease.totals);
    if (from > last) break;
    const short = site.firstBelow(from, previous.start, lease.totals);
    const to = short === previous.start ? last : short - length;
    if (from <= to) windows.push({ from, to });
    at = short;
  }
  return windows;
};

/** Adds the starts within the window from which one machine of the lease fits on the node for as long as the lease lasts. */
const addFittingStarts = (
  found: StartWindow[],
  node: NodeProfile,
  lease: Lease,
  { from, to }: StartWindow,
  length: Millis,
): void => {
  const { segments } = node;
  const need = lease.needs[1] as Need;
  let start = from;
  for (let i = node.indexAt(from); i < segments.length; i += 1) {
    const segment = segments[i] as Segment;
    if (segment.time >= to + length) break;
    if (fits(need, segment.free) || isHeldBy(segment, lease)) continue;
    if (segment.time - start >= length) found.push({ from: start, to: segment.time - length });
    start = segments[i + 1]?.time ?? Number.POSITIVE_INFINITY;
    if (start > to) return;
  }
  if (start <= to) found.push({ from: start, to });
};

/** Its own place counts as free: it would give it up. */
const isHeldBy = ({ holds }: Segment, lease: Lease): boolean => {
  for (const hold of holds) if (hold.lease === lease) return true;
  return false;
};

const merge = (windows: StartWindow[]): StartWindow[] => {
  const merged: StartWindow[] = [];
  for (const window of windows.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && window.from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, window.to) };
    else merged.push(window);
  }
  return merged;
};
