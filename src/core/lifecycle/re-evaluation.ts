import { rulesOf } from '../lease-types/table.ts';
import type { Lease, VmReservation } from '../model/lease.ts';
import { replanned, schedulingFault } from '../model/reasons.ts';
import type { Instant, LeaseState, StateReason } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { failLease } from '../placement/endings.ts';
import { haveRemoved, heldByHosts } from '../placement/on-hosts.ts';
import { stopChain } from '../placement/stop-chain.ts';
import { scheduleAnew, schedulePiece } from '../room/claims.ts';
import { commitLater, restOf } from '../room/promised.ts';
import type { SchedulerState } from '../state.ts';
import { isPlan, type Plan } from '../vm/plan.ts';
import type { StartWindow } from '../vm/soonest.ts';
import { usefulStarts } from './useful-starts.ts';

const REEVALUATED: ReadonlySet<LeaseState> = new Set(['READY', 'SCHEDULED', 'SUSPENDED_SCHEDULED']);

/**
 * Re-evaluation after capacity was released early: leases with a future reservation may move forward (R44). Does
 * nothing if re-evaluation is left to the next pass.
 */
export function reevaluateIfDue(state: SchedulerState, now: Instant): void {
  while (state.reevaluationDue && state.reevaluation === 'at-once') {
    const round = reevaluateEach(state, () => now);
    while (!round.next().done);
  }
}

/** One by one, in ascending id order (R44, R62). */
export function* reevaluateEach(state: SchedulerState, now: () => Instant): Generator<void, void, Instant | undefined> {
  state.reevaluationBegins();
  const candidates =
    state.withDeadline.size + state.withoutPlace.size === 0
      ? state.future
      : new Set([...state.future, ...state.withDeadline, ...state.withoutPlace]);
  for (const lease of [...candidates].sort((a, b) => a.id - b.id)) {
    if (lease.isWithoutPlace) {
      findPlace(state, lease, now());
    } else {
      if (!state.future.has(lease) && lease.type !== 'DEADLINE') continue;
      if (!lease.vm || !REEVALUATED.has(lease.state) || lease.isBeingBroughtBack) continue;
      reevaluateOne(state, lease, now());
    }
    yield;
  }
  state.table.nextRoundOfLooking();
}

/** A promised lease that has lost its place gets another as soon as possible (N2). */
function findPlace(state: SchedulerState, lease: Lease, now: Instant): void {
  const rest = restOf(lease);
  if (!rest) {
    scheduleAnew(state, { lease, held: [] }, now);
  } else if (schedulePiece(state, rest, now, (plan) => commitLater(state, lease, plan))) {
    state.setWithoutPlace(lease, false);
  }
}

const reevaluateOne = (state: SchedulerState, lease: Lease, now: Instant): void => {
  const previous = lease.vm as VmReservation;
  const { table } = state;
  const starts = usefulStarts(state, lease, previous, now);
  state.touch(lease);
  lease.freedSeal = table.freed.seal;
  lease.hadNoBetterStart = starts.length === 0;
  let fault: StateReason | null = null;
  const moved =
    starts.length > 0 &&
    state.journal.attempt(() => {
      const suspended = lease.isSuspended;
      const held = suspended ? [] : heldByHosts(lease);
      state.transfers.withdraw(lease, suspended, now);
      stopChain(state, lease, now);
      const before = lease.state;
      const meanwhile = suspended ? 'SUSPENDED_PENDING' : 'PENDING';
      try {
        // Policies see it as a lease without a plan.
        lease.state = meanwhile;
        const plan = betterPlan(state, lease, previous, starts, now);
        lease.state = before;
        if (!plan) return null;
        const reason = replanned(previous.start, plan.vm.start);
        state.transition(lease, meanwhile, now, reason);
        commit(state, plan, now, reason);
      } catch (error) {
        fault = schedulingFault(error);
        return null;
      }
      // Preparations that are useful for the new nodes are kept.
      const left = held.filter(([machine, node]) => lease.diskAt.get(machine) !== node);
      haveRemoved(state, lease, left, now);
      return true;
    });
  if (!moved) moveBehindEquals(state, previous);
  if (fault) failLease(state, lease, now, fault);
};

/** As if it had been removed and added again. */
function moveBehindEquals(state: SchedulerState, vm: VmReservation): void {
  for (const reservation of state.table.moveBehindEquals(vm)) state.log.reservation(reservation);
}

/** A plan that starts earlier, or equally early without a suspension that the previous plan needed (R62). */
const betterPlan = (
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  starts: readonly StartWindow[],
  now: Instant,
): Plan | null => {
  const outcome = rulesOf(lease.type).plan(state, lease, now, starts);
  if (!isPlan(outcome)) return null;
  const { vm } = outcome;
  const better = vm.start < previous.start || (vm.start === previous.start && previous.mustSuspend && !vm.mustSuspend);
  return better ? outcome : null;
};
