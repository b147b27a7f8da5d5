import type { Instant, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import type { Plan } from '../vm/plan.ts';
import { preempt } from './preemption.ts';

/**
 * Commits a plan. In this order: victims are preempted, the image transfer and then the chain are inserted, and the
 * lease changes state.
 */
export function commit(state: SchedulerState, plan: Plan, now: Instant, reason: StateReason | null = null): void {
  const { lease, vm } = plan;
  const { preparation } = state.planning;
  if (!lease.isSuspended) preparation.join(lease, plan.preparation);
  for (const victim of plan.victims) preempt(state, victim, lease.id, vm.start, now);
  const suspended = lease.isSuspended;
  state.dequeue(lease);
  state.touch(lease);
  lease.vm = vm;
  state.place(lease, vm.mapping);
  const ready = suspended || preparation.commit(lease, vm, plan.preparation);
  for (const reservation of vm.chain) state.identify(reservation);
  state.table.addChain(vm);
  lease.freedSeal = state.table.freed.seal;
  lease.hadNoBetterStart = false;
  state.setFuture(lease, plan.isFuture);
  state.setWithoutPlace(lease, false);
  if (suspended) {
    state.transition(lease, 'SUSPENDED_SCHEDULED', now, reason);
  } else {
    state.transition(lease, 'SCHEDULED', now, reason);
    if (ready) state.transition(lease, 'READY', now);
  }
}
