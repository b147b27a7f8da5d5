import type { Quota } from '../model/quotas.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/**
 * Gives a project (null: none, they are only checked) other quotas, all of them; none removes them. What is planned or runs stays, even if it exceeds them:
 * they hold for what is planned from now on. What machines have used in the present period counts on while its length
 * stays. Throws INVALID_REQUEST, and then nothing has changed.
 */
export function setQuotas(
  state: SchedulerState,
  project: number | null,
  quotas: readonly Quota[],
  now: Instant,
): void {
  state.quotas.check(quotas);
  if (project === null) return;
  const before = state.quotas.record(project, now);
  const periodOf = (list: readonly Quota[], type: string) =>
    list.find((quota) => quota.type === type)?.period;
  const usage = before.usage.filter(({ type }) => periodOf(before.quotas, type) === periodOf(quotas, type));
  state.quotas.set({ project, quotas, usage });
  enterPlans(state, project);
  state.changedQuotas.add(project);
  state.askForReevaluation();
  state.askForPass();
}

/** The new ledger of a project begins with what its leases hold and plan. */
function enterPlans({ leases, table }: SchedulerState, project: number): void {
  for (const lease of leases.values()) {
    if (lease.terms.project !== project) continue;
    for (const vm of lease.vms) {
      table.projects.hold(lease, Math.max(vm.holdStart, table.now), vm.finalEnd, lease.totals, 1);
      if (table.has(vm)) table.projects.plan(vm, 1);
    }
  }
}

/** A period of a quota has ended: leases that wait for it may run. */
export function passPeriods(state: SchedulerState, at: Instant): void {
  if (nextPeriodEnd(state, at - 1) !== at) return;
  state.askForReevaluation();
  state.askForPass();
}

/** The next end of a period that gives something back to a project whose leases wait; null when none does. */
export function nextPeriodEnd(state: SchedulerState, after: Instant): Instant | null {
  return state.quotas.nextReliefOfAny(state.queue, after);
}
