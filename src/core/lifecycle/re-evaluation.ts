import type { Lease } from '../model/lease.ts';
import type { Instant, LeaseState, StateReason } from '../model/records.ts';
import type { VmReservation } from '../model/reservation.ts';
import type { SchedulerState } from '../state.ts';
import { isPlan, type Plan } from '../vm/plan.ts';
import { planSoonest } from '../vm/soonest.ts';
import { commit } from './commit.ts';
import { failLease } from './endings.ts';

const REEVALUATED: ReadonlySet<LeaseState> = new Set(['READY', 'SCHEDULED', 'SUSPENDED_SCHEDULED']);

/** Something was given back earlier than planned: leases with a reservation in the future may move forward, one after the other (R44, R62). */
export const reevaluate = (state: SchedulerState, now: Instant): void => {
  const candidates = [...state.future].sort((a, b) => a.id - b.id);
  for (const lease of candidates) {
    if (state.future.has(lease) && REEVALUATED.has(lease.state) && !lease.isBeingBroughtBack)
      reevaluateOne(state, lease, now);
  }
};

const reevaluateOne = (state: SchedulerState, lease: Lease, now: Instant): void => {
  const before = lease.state;
  const previous = lease.vm as VmReservation;
  const withdrawn = state.preparation.withdraw(lease, before === 'SUSPENDED_SCHEDULED');
  state.table.removeChain(previous);
  state.future.delete(lease);
  lease.vm = null;
  const meanwhile = before === 'SUSPENDED_SCHEDULED' ? 'SUSPENDED_PENDING' : 'PENDING';
  // On trial, so without an event: nobody is to see a lease that stays where it was.
  lease.state = meanwhile;
  let plan: Plan | null = null;
  let fault: StateReason | null = null;
  try {
    plan = betterPlan(state, lease, previous, now);
  } catch (error) {
    fault = { code: 'SCHEDULING_FAULT', message: error instanceof Error ? error.message : String(error) };
  }
  lease.state = before;
  if (!plan) {
    withdrawn.undo();
    lease.vm = previous;
    state.future.add(lease);
    if (state.table.reinsertChain(previous))
      for (const reservation of previous.chain) state.log.reservation(reservation);
    if (fault) failLease(state, lease, now, fault);
    return;
  }
  for (const reservation of previous.chain) state.stop(reservation, now);
  withdrawn.settle(now);
  lease.isFuture = false;
  state.transition(lease, meanwhile, now);
  commit(state, plan, now);
};

/** A plan that starts earlier, or equally early without having to suspend where the previous one did (R62). */
const betterPlan = (
  state: SchedulerState,
  lease: Lease,
  previous: VmReservation,
  now: Instant,
): Plan | null => {
  const notAfter = previous.mustSuspend ? previous.start : previous.start - 1;
  const outcome = planSoonest(state.planning, lease, now, { future: state.mayPlanFuture, notAfter });
  if (!isPlan(outcome)) return null;
  const { vm } = outcome;
  const better =
    vm.start < previous.start || (vm.start === previous.start && previous.mustSuspend && !vm.mustSuspend);
  return better ? outcome : null;
};
