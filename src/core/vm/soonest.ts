import type { FoundMapping } from '../mapping/greedy-mapper.ts';
import { PlaceSearch } from '../mapping/places.ts';
import { fits, type Need } from '../model/capacity.ts';
import { type Lease, type Mapping, type Reservation, VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import { LAST_INSTANT } from '../model/time.ts';
import type { EarliestTime } from '../preparation/preparation.ts';
import type { NodeProfile } from '../slot-table/node-profile.ts';
import { isInTheWay, preemptionCandidates } from './candidates.ts';
import { type NotSchedulable, notSchedulable, type Plan, type Planning, precede } from './plan.ts';
import { type Readiness, readyToResume, readyToStart } from './readiness.ts';

export interface SoonestOptions {
  /**
   * Whether it must fit for its whole duration; otherwise a shorter stay that ends in a suspension will do, where it
   * can be suspended.
   */
  readonly whole: boolean;
  /** Whether a changepoint in the future may be taken when nothing fits at the earliest times. */
  readonly future: boolean;
  /** Where alone a start can be of use, ascending; null: anywhere. */
  readonly starts: readonly StartWindow[] | null;
}

/** Starts from `from` to `to`, both included. */
export interface StartWindow {
  readonly from: Instant;
  readonly to: Instant;
}

const anywhere: readonly StartWindow[] = [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }];

/** What the search at each changepoint needs to know of the lease. */
interface Search {
  readonly lease: Lease;
  readonly resuming: boolean;
  /** Where it must run: without migration a lease is resumed where it was suspended (R55). Null: anywhere. */
  readonly fixed: Mapping | null;
  readonly readiness: Readiness;
  /** How long a VM with everything round it takes. */
  readonly duration: Millis;
  readonly shutdown: Millis;
  /** What a shorter mapping must reach at least. */
  readonly threshold: Millis;
  readonly strict: boolean;
  /** Whether the preemption policy lets it put others aside. */
  readonly preempts: boolean;
}

/** As soon as the lease fits (docs/glossary.md, best-effort windows). */
export const planSoonest = (
  planning: Planning,
  lease: Lease,
  now: Instant,
  options: SoonestOptions,
): Plan | NotSchedulable => {
  if (!options.future && isShortNow(planning, lease, now)) return notNow;
  const search = describe(planning, lease, options.whole, now);
  const { earliest, copiesFrom } = search.readiness;
  const last = (earliest.at(-1) as EarliestTime).time;
  const starts = options.starts ?? anywhere;
  const found =
    searchTimes(planning, search, earliest, starts) ??
    (options.future ? searchFuture(planning, search, last, starts) : null);
  if (!found) {
    const { time: first } = earliest[0] as EarliestTime;
    const beyondQuota = planning.quotas.whyBlocked(lease, first, first + minReach(search));
    if (beyondQuota) return { notSchedulable: beyondQuota };
    return options.future ? notSchedulable('NO_CAPACITY', 'its machines fit nowhere in the schedule') : notNow;
  }
  const vm = buildVm(planning, search, found.at, found.mapping);
  if (search.resuming) {
    vm.before.unshift(...planning.migrations.plan(lease, lease, vm.mapping, copiesFrom));
    precede(vm, vm.before);
  }
  const preparation = search.resuming
    ? { sources: [], transfer: null }
    : planning.preparation.planSoonest(lease, vm, now);
  const victims = found.mapping.preempted.filter((victim) =>
    isInTheWay(victim, vm.amounts, found.at, found.mapping.end),
  );
  return { lease, vm, preparation, victims, isFuture: found.at > last };
};

const notNow = notSchedulable('NO_CAPACITY', 'its machines do not fit now');

/**
 * Whether a lease that could only start now cannot do so in any case: most leases in a long queue, in every pass. Told
 * from what is free at this instant alone.
 */
function isShortNow({ config, preemption, quotas, table }: Planning, lease: Lease, now: Instant): boolean {
  // What a quota says is a reason of its own.
  if (preemption.preempts(lease.view) || quotas.concern(lease)) return false;
  if (!lease.isSuspended) {
    const startsNow = config.preparation === 'unmanaged' || lease.image === null;
    return startsNow && lease.totals.some((amount, type) => table.site.at(now, type) < amount);
  }
  const { mapping, needs } = lease;
  if (config.migration !== 'no' || mapping === null) return false;
  for (let machine = 1; machine < mapping.length; machine += 1) {
    const node = table.nodes[mapping[machine] as number] as NodeProfile;
    if (!fits(needs[machine] as Need, node.freeAt(now))) return true;
  }
  return false;
}

const describe = (planning: Planning, lease: Lease, whole: boolean, now: Instant): Search => {
  const { estimates, preemption } = planning;
  const resuming = lease.isSuspended;
  const shutdown = estimates.shutdown(lease);
  return {
    lease,
    resuming,
    fixed: resuming && planning.config.migration === 'no' ? lease.mapping : null,
    shutdown,
    readiness: resuming ? readyToResume(planning, lease, lease, now) : readyToStart(planning, lease, now),
    duration: wholeStay(planning, lease),
    threshold: estimates.threshold(lease, resuming),
    strict: whole || !estimates.canSuspend(lease),
    preempts: preemption.preempts(lease.view),
  };
};

interface Found {
  readonly at: Instant;
  readonly mapping: FoundMapping;
}

const searchTimes = (
  planning: Planning,
  search: Search,
  times: readonly EarliestTime[],
  starts: readonly StartWindow[],
): Found | null => {
  for (const { time, nodes } of times) {
    if (!starts.some(({ from, to }) => time >= from && time <= to)) continue;
    const mapping = fitAt(planning, search, time, nodes);
    if (mapping) return { at: time, mapping };
  }
  return null;
};

/**
 * The instants at which VMs give back what they hold (R7), ascending. Those at which too little is free are stepped
 * over.
 */
const searchFuture = (
  planning: Planning,
  search: Search,
  after: Instant,
  starts: readonly StartWindow[],
): Found | null => {
  const times = releaseTimes(planning, search.lease);
  const places = search.preempts ? null : placeSearch(planning, search);
  for (const { from, to } of starts) {
    let at = times.next(Math.max(after, from - 1));
    while (at !== null && at <= to) {
      const possible = places?.notBefore(at, to) ?? at;
      if (possible > at) {
        at = times.next(possible - 1);
        continue;
      }
      const mapping = fitAt(planning, search, at, null, places);
      if (mapping) return { at, mapping };
      at = times.next(at);
    }
  }
  return null;
};

/** The instants at which something is given back: by machines that end, and to a quota per period by its end. */
export function releaseTimes(
  { quotas, table: { releases } }: Planning,
  lease: Lease,
): { next(after: Instant): Instant | null } {
  if (!quotas.concern(lease)) return releases;
  return {
    next(after) {
      const release = releases.next(after);
      const relief = after === Number.POSITIVE_INFINITY ? null : quotas.nextRelief(lease, after);
      return release === null || relief === null ? (release ?? relief) : Math.min(release, relief);
    },
  };
}

type StartSearch = Pick<PlaceSearch, 'notBefore'>;

function placeSearch({ mapper }: Planning, search: Search): StartSearch {
  const { lease, fixed } = search;
  const reach = minReach(search);
  return fixed ? mapper.searchOld(lease, fixed, reach) : mapper.search(lease, reach);
}

/** How far a mapping must reach to be of use, whatever else. */
const minReach = ({ duration, threshold, strict }: Pick<Search, 'duration' | 'threshold' | 'strict'>): Millis =>
  Math.max(1, strict ? duration : Math.min(duration, threshold));

/** How long a VM with everything around it takes. */
function wholeStay({ estimates }: Planning, lease: Lease): Millis {
  return lease.remaining + estimates.shutdown(lease) + (lease.isSuspended ? estimates.resume(lease) : 0);
}

/** The shortest time for which the lease must fit from its start on, whatever its type allows. */
export function shortestStay(planning: Planning, lease: Lease): Millis {
  const { estimates } = planning;
  const strict = lease.type === 'DEADLINE' || !estimates.canSuspend(lease);
  const threshold = estimates.threshold(lease, lease.isSuspended);
  return minReach({ duration: wholeStay(planning, lease), threshold, strict });
}

/**
 * What a stay that a quota ends must reach at least. What it would leave of a quota per period is then too little for
 * another stay: otherwise the lease would be suspended and resumed over and over until the period ends.
 */
export function quotaThreshold(threshold: Millis): Millis {
  return 2 * threshold;
}

/** A mapping from `start` that reaches far enough (R8), or null. */
const fitAt = (
  planning: Planning,
  search: Search,
  start: Instant,
  nodes: readonly number[] | null,
  places: StartSearch | null = null,
): FoundMapping | null => {
  const { lease, duration, shutdown, threshold, strict, fixed, readiness } = search;
  const end = start + duration;
  if (end > LAST_INSTANT) return null;
  // Where a quota ends a stay that is nearly long enough, it is suspended earlier, since it would have to be anyway.
  const reachable = planning.quotas.reach(lease, start, end);
  const request = {
    lease,
    start,
    end: strict || reachable === end ? end : Math.min(reachable, end - shutdown),
    strict,
    nodes: readiness.reachable(nodes, start),
    candidates: search.preempts ? preemptionCandidates(planning, lease, start, end) : [],
    worthwhileUntil: start + minReach(search),
    search: places instanceof PlaceSearch ? places : null,
  };
  const found = fixed ? planning.mapper.refit(request, fixed) : planning.mapper.map(request);
  if (!found || found.end === end) return found;
  const reach = found.end - start;
  const worthwhile = reachable === end ? threshold : quotaThreshold(threshold);
  return reach >= worthwhile && reach <= duration - shutdown ? found : null;
};

/** The VM over the mapping, resumed first if it was suspended, and shut down or suspended at its end (R8, R52). */
const buildVm = (
  { chains }: Planning,
  { lease, resuming, shutdown }: Search,
  start: Instant,
  found: FoundMapping,
): VmReservation => {
  const vm = new VmReservation(lease, start, found.end, found.amounts, found.mapping);
  if (resuming) {
    vm.before = chains.resumptions(vm, start);
    vm.start = vm.before.at(-1)?.end ?? start;
  }
  vm.after = chains.ending(vm, found.end, lease.remaining, shutdown);
  vm.end = (vm.after[0] as Reservation).start;
  return vm;
};
