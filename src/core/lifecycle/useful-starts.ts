import type { PlaceSearch } from '../mapping/places.ts';
import { fits, type Need } from '../model/capacity.ts';
import type { Lease, VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import type { FreedSpan } from '../slot-table/freed-space.ts';
import type { NodeProfile, Segment } from '../slot-table/node-profile.ts';
import type { SchedulerState } from '../state.ts';
import { type StartWindow, shortestStay } from '../vm/soonest.ts';

/**
 * Candidate starts that may be better, ascending. Found without changing any plan, so that a lease that cannot move
 * needs no trial.
 */
export function usefulStarts(
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  now: Instant,
): readonly StartWindow[] {
  const { start, holdStart, mustSuspend } = previous;
  const lastUseful = mustSuspend ? start : start - 1;
  if (lastUseful < now) return [];
  // A lease with a deadline moves forward only into free capacity, even if it may preempt others.
  if (lease.type !== 'DEADLINE' && state.policies.preemption.preempts(lease.view))
    return [{ from: now, to: lastUseful }];
  // It may be resumed earlier on other nodes.
  if (lease.isSuspended && state.config.migration !== 'no')
    return earlierStarts(state, lease, previous, { from: now, to: lastUseful }, now);
  const all = { from: now, to: holdStart - 1 };
  const spans = lease.isSuspended ? freedInPlace(state, lease, previous) : null;
  if (spans?.length === 0) return [];
  const earlier = spans
    ? earlierInPlace(state, lease, previous, spans, all, now)
    : earlierStarts(state, lease, previous, all, now);
  return mustSuspend && fitsWhole(state, lease, previous) ? [...earlier, { from: holdStart, to: holdStart }] : earlier;
}

/**
 * Capacity released since the last look on the nodes to which a lease is bound, if no better start was possible then.
 * Only a start that uses some of it can be new: between two releases the free capacity of a node only decreases, so no
 * start appears as time passes. Null: the lease must be examined again.
 */
function freedInPlace(
  { config, quotas, table: { freed } }: SchedulerState,
  lease: Lease,
  { amounts }: VmReservation,
): readonly FreedSpan[] | null {
  const { hadNoBetterStart, freedSeal } = lease;
  const onlyPlacesCount = config.preparation === 'unmanaged' && !quotas.concern(lease);
  if (!hadNoBetterStart || !onlyPlacesCount || !freed.remembers(freedSeal)) return null;
  return freed.since(freedSeal).filter(({ nodes }) => nodes.some((node) => amounts.has(node)));
}

function earlierInPlace(
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  spans: readonly FreedSpan[],
  all: StartWindow,
  now: Instant,
): readonly StartWindow[] {
  const stay = shortestStay(state.planning, lease);
  const windows = spans.flatMap((span) => startsThatReach([span], all, stay) ?? []);
  return fromFirstPossible(state, lease, previous, merge(windows), stay, now);
}

/** Whether it may fit from its current start until all its work is done. */
function fitsWhole(state: SchedulerState, lease: Lease, previous: VmReservation): boolean {
  const { start, holdStart } = previous;
  const stay = start - holdStart + lease.remaining + state.planning.estimates.shutdown(lease);
  return placeSearch(state, lease, previous, stay).notBefore(holdStart, holdStart) === holdStart;
}

/**
 * Starts within the window for which the site as a whole has capacity. For leases that only need enough free places for
 * long enough (no transfer, no shorter stay that ends in a suspension), no earlier start was possible when the plan was
 * made, so only capacity released since can have made one possible: the lease must fit on one of the nodes concerned.
 */
function earlierStarts(
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  all: StartWindow,
  now: Instant,
): readonly StartWindow[] {
  const onlyPlacesCount =
    lease.type !== 'DEADLINE' &&
    !state.quotas.concern(lease) &&
    lease.uniform &&
    !state.planning.estimates.canSuspend(lease) &&
    state.config.preparation === 'unmanaged';
  const stay = shortestStay(state.planning, lease);
  const { freed } = state.table;
  let windows: StartWindow[];
  if (onlyPlacesCount && freed.remembers(lease.freedSeal)) {
    const spans = freed.since(lease.freedSeal);
    const range = startsThatReach(spans, all, stay);
    const found: StartWindow[] = [];
    for (const possible of range ? roomOnSite(state, lease, previous, range, stay) : [])
      for (const span of spans) addStartsWithin(found, state, lease, span, possible, stay);
    windows = merge(found);
  } else {
    windows = roomOnSite(state, lease, previous, all, stay);
  }
  return windows.length > 0 ? fromFirstPossible(state, lease, previous, windows, stay, now) : windows;
}

/** The windows, beginning with the first start at which the lease may fit; its current place counts as free. */
function fromFirstPossible(
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  windows: readonly StartWindow[],
  stay: Millis,
  now: Instant,
): readonly StartWindow[] {
  const { config, quotas, table } = state;
  const search = placeSearch(state, lease, previous, stay);
  // Without copies and quotas, it starts as early as allowed or when capacity is released (R7).
  const onlyPlacesCount =
    config.preparation === 'unmanaged' && (!lease.isSuspended || config.migration === 'no') && !quotas.concern(lease);
  const earliest = lease.isSuspended ? now : Math.max(now, lease.requestedStart ?? now);
  const nextStart = (at: Instant) => {
    if (!onlyPlacesCount) return at;
    const released = table.releases.next(at - 1) ?? Number.POSITIVE_INFINITY;
    return at <= earliest ? Math.min(earliest, released) : released;
  };
  for (const [index, { from, to }] of windows.entries()) {
    for (let at = nextStart(from); at <= to; ) {
      const possible = search.notBefore(at, to);
      if (possible === at) return [{ from: at, to }, ...windows.slice(index + 1)];
      at = nextStart(possible);
    }
  }
  return [];
}

function placeSearch(
  { planning: { mapper }, config }: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  stay: Millis,
): Pick<PlaceSearch, 'notBefore'> {
  return lease.isSuspended && config.migration === 'no' && lease.mapping
    ? mapper.searchOld(lease, lease.mapping, stay, previous)
    : mapper.search(lease, stay, previous);
}

/** From the first to the last start that uses some of the released capacity. */
function startsThatReach(
  spans: readonly FreedSpan[],
  { from: first, to: last }: StartWindow,
  stay: Millis,
): StartWindow | null {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { start, end } of spans) {
    from = Math.min(from, start - stay + 1);
    to = Math.max(to, end - 1);
  }
  const window = { from: Math.max(first, from), to: Math.min(last, to) };
  return window.from <= window.to ? window : null;
}

/**
 * Starts within the window for which the site as a whole has enough free capacity; what the lease itself holds counts
 * as free.
 */
function roomOnSite(
  { table: { site } }: SchedulerState,
  { totals }: Lease,
  { holdStart }: VmReservation,
  { from: first, to: last }: StartWindow,
  stay: Millis,
): StartWindow[] {
  const windows: StartWindow[] = [];
  const until = Math.min(last + 1, holdStart);
  for (let at = first; at < until; ) {
    const from = site.firstEnough(at, until, totals);
    if (from >= until) break;
    const short = site.firstBelow(from, holdStart, totals);
    const to = short === holdStart ? last : Math.min(last, short - stay);
    if (from <= to) windows.push({ from, to });
    at = short;
  }
  // From its current place on there is always capacity for it.
  if (windows.at(-1)?.to !== last && last >= holdStart) windows.push({ from: Math.max(first, holdStart), to: last });
  return windows;
}

/** Adds the possible starts that use some of the released capacity and from which a machine of the lease fits there. */
function addStartsWithin(
  found: StartWindow[],
  { table }: SchedulerState,
  lease: Lease,
  { start, end, nodes }: FreedSpan,
  possible: StartWindow,
  stay: Millis,
): void {
  const from = Math.max(possible.from, start - stay + 1);
  const to = Math.min(possible.to, end - 1);
  if (from > to) return;
  for (const number of nodes) addFittingStarts(found, table.nodes[number] as NodeProfile, lease, { from, to }, stay);
}

/** Adds the starts within the window from which one machine of the lease fits on the node for the whole stay. */
function addFittingStarts(
  found: StartWindow[],
  node: NodeProfile,
  lease: Lease,
  { from, to }: StartWindow,
  stay: Millis,
): void {
  const { segments } = node;
  const need = lease.needs[1] as Need;
  let start = from;
  for (let i = node.indexAt(from); i < segments.length; i += 1) {
    const segment = segments[i] as Segment;
    if (segment.time >= to + stay) break;
    if (fits(need, segment.free) || isHeldBy(segment, lease)) continue;
    if (segment.time - start >= stay) found.push({ from: start, to: segment.time - stay });
    start = segments[i + 1]?.time ?? Number.POSITIVE_INFINITY;
    if (start > to) return;
  }
  if (start <= to) found.push({ from: start, to });
}

/** Its own place counts as free, since it would release it. */
function isHeldBy({ holds }: Segment, lease: Lease): boolean {
  for (const hold of holds) if (hold.lease === lease) return true;
  return false;
}

function merge(windows: StartWindow[]): StartWindow[] {
  const merged: StartWindow[] = [];
  for (const window of windows.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && window.from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, window.to) };
    else merged.push(window);
  }
  return merged;
}
