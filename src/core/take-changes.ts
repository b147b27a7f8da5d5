import type { Changes } from './model/changes.ts';
import type { NodeSpec } from './model/records.ts';
import type { SchedulerState } from './state.ts';

/** What changed since this was last asked. */
export function takeChanges(state: SchedulerState): Changes {
  const recurrences = state.recurrences.take();
  return state.log.take(state.takeSiteRecord(), {
    ...state.availability.takeChanges(),
    ...takeInventory(state),
    ...takeQuotas(state),
    ...(recurrences.length > 0 && { recurrences }),
  });
}

/** Nodes that were added or changed. */
function takeInventory({ availability, changedNodes, site }: SchedulerState): Pick<Changes, 'inventory'> {
  if (changedNodes.size === 0) return {};
  const numbers = [...changedNodes].sort((a, b) => a - b);
  changedNodes.clear();
  const inventory = numbers.map((number) => ({
    ...(site.nodes[number - 1] as NodeSpec),
    ...availability.recordOf(number),
  }));
  return { inventory };
}

/** The quotas that were set, and those whose use has changed. */
function takeQuotas(state: SchedulerState): Pick<Changes, 'quotas'> {
  const quotas = state.quotas.takeChanges(state.changedQuotas, state.table.now);
  state.changedQuotas.clear();
  return quotas.length > 0 ? { quotas } : {};
}
