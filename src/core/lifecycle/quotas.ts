import type { Quota } from '../model/quotas.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/**
 * Replaces the quotas of a project; an empty list removes them, and a null project only validates them. Plans and
 * running leases stay even if they exceed the quotas, which apply to future plans. Usage in the current period still
 * counts if the period's length is unchanged. Throws INVALID_REQUEST; nothing has changed then.
 */
export function setQuotas(state: SchedulerState, project: number | null, quotas: readonly Quota[], now: Instant): void {
  state.quotas.check(quotas);
  if (project === null) return;
  const before = state.quotas.record(project, now);
  const periodOf = (list: readonly Quota[], type: string) => list.find((quota) => quota.type === type)?.period;
  const usage = before.usage.filter(({ type }) => periodOf(before.quotas, type) === periodOf(quotas, type));
  state.quotas.set({ project, quotas, usage });
  enterPlans(state, project);
  state.changedQuotas.add(project);
  state.askForReevaluation();
  state.askForPass();
}

/** The new ledger of a project starts with the reservations of its leases. */
function enterPlans({ leases, table }: SchedulerState, project: number): void {
  for (const lease of leases.values()) {
    if (lease.terms.project !== project) continue;
    for (const vm of lease.vms) {
      table.projects.hold(lease, Math.max(vm.holdStart, table.now), vm.finalEnd, lease.totals, 1);
      if (table.has(vm)) table.projects.plan(vm, 1);
    }
  }
}

/** A quota period has ended: leases waiting for it may run. */
export function passPeriods(state: SchedulerState, at: Instant): void {
  if (nextPeriodEnd(state, at - 1) !== at) return;
  state.askForReevaluation();
  state.askForPass();
}

/** The next end of a period that restores quota to a project with waiting leases; null when there is none. */
export function nextPeriodEnd(state: SchedulerState, after: Instant): Instant | null {
  return state.quotas.nextReliefOfAny(state.queue, after);
}
