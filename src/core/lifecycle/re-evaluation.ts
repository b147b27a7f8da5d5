import { fits, type Need } from '../model/capacity.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant, LeaseState, Millis, StateReason } from '../model/records.ts';
import type { VmReservation } from '../model/reservation.ts';
import type { NodeProfile, Segment } from '../slot-table/node-profile.ts';
import type { SchedulerState } from '../state.ts';
import { isPlan, type Plan } from '../vm/plan.ts';
import { planSoonest, type StartWindow } from '../vm/soonest.ts';
import { commit } from './commit.ts';
import { failLease } from './endings.ts';

const REEVALUATED: ReadonlySet<LeaseState> = new Set(['READY', 'SCHEDULED', 'SUSPENDED_SCHEDULED']);

/** Something was given back earlier than planned: leases with a reservation in the future may move forward (R44), now or in the next pass. */
export const reevaluate = (state: SchedulerState, now: Instant): void => {
  state.reevaluationDue = true;
  if (state.reevaluation === 'in-pass') return;
  const round = reevaluateEach(state, () => now);
  while (!round.next().done);
};

/** One after the other, in ascending order of id (R44, R62). */
export function* reevaluateEach(
  state: SchedulerState,
  now: () => Instant,
): Generator<void, void, Instant | undefined> {
  state.reevaluationDue = false;
  const candidates = [...state.future].sort((a, b) => a.id - b.id);
  for (const lease of candidates) {
    if (!state.future.has(lease) || !REEVALUATED.has(lease.state) || lease.isBeingBroughtBack) continue;
    reevaluateOne(state, lease, now());
    yield;
  }
  state.table.freed.nextRound();
}

const reevaluateOne = (state: SchedulerState, lease: Lease, now: Instant): void => {
  const before = lease.state;
  const previous = lease.vm as VmReservation;
  const { table } = state;
  const starts = usefulStarts(state, lease, previous, now);
  lease.freedSeal = table.freed.seal;
  if (starts.length === 0) {
    moveBehindEquals(state, previous);
    return;
  }
  const withdrawn = state.preparation.withdraw(lease, before === 'SUSPENDED_SCHEDULED');
  table.withdrawChain(previous);
  state.future.delete(lease);
  lease.vm = null;
  const meanwhile = before === 'SUSPENDED_SCHEDULED' ? 'SUSPENDED_PENDING' : 'PENDING';
  // On trial, so without an event: nobody is to see a lease that stays where it was.
  lease.state = meanwhile;
  let plan: Plan | null = null;
  let fault: StateReason | null = null;
  try {
    plan = betterPlan(state, lease, previous, starts, now);
  } catch (error) {
    fault = { code: 'SCHEDULING_FAULT', message: error instanceof Error ? error.message : String(error) };
  }
  lease.state = before;
  if (!plan) {
    withdrawn.undo();
    lease.vm = previous;
    state.future.add(lease);
    if (table.reinsertChain(previous)) logChain(state, previous);
    if (fault) failLease(state, lease, now, fault);
    return;
  }
  table.give(previous);
  for (const reservation of previous.chain) state.stop(reservation, now);
  withdrawn.settle(now);
  lease.isFuture = false;
  state.transition(lease, meanwhile, now);
  commit(state, plan, now);
};

/**
 * Where a better start can lie, ascending. For leases that just need enough free places for long enough, none was possible before
 * the plan when it was made, so only what was given back since can have made one possible: the lease must fit on one of the nodes concerned.
 */
const usefulStarts = (
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  now: Instant,
): readonly StartWindow[] => {
  const last = previous.mustSuspend ? previous.start : previous.start - 1;
  const everywhere = last < now ? [] : [{ from: now, to: last }];
  const onlyPlacesCount =
    lease.uniform && !state.planning.estimates.canSuspend(lease) && !needsImage(state, lease);
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

const needsImage = (state: SchedulerState, lease: Lease): boolean =>
  state.imageTransfers !== null && lease.image !== null;

/** As if it had been taken out and put back. */
const moveBehindEquals = (state: SchedulerState, vm: VmReservation): void => {
  if (!state.table.isOvertaken(vm)) return;
  state.table.withdrawChain(vm);
  state.table.addChain(vm);
  logChain(state, vm);
};

const logChain = (state: SchedulerState, vm: VmReservation): void => {
  for (const reservation of vm.chain) if (reservation.state !== 'DONE') state.log.reservation(reservation);
};

/** A plan that starts earlier, or equally early without having to suspend where the previous one did (R62). */
const betterPlan = (
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  starts: readonly StartWindow[],
  now: Instant,
): Plan | null => {
  const outcome = planSoonest(state.planning, lease, now, { future: state.mayPlanFuture, starts });
  if (!isPlan(outcome)) return null;
  const { vm } = outcome;
  const better =
    vm.start < previous.start || (vm.start === previous.start && previous.mustSuspend && !vm.mustSuspend);
  return better ? outcome : null;
};
