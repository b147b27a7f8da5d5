import { rulesOf } from '../lease-types/table.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { backToQueue, placeAnew, type Withdrawn } from '../placement/plan-anew.ts';
import type { SchedulerState } from '../state.ts';
import { isPlan } from '../vm/plan.ts';

/**
 * Plans a best-effort lease anew whose plan was taken back, within the limits of backfilling; otherwise it goes to the
 * queue.
 */
export function planBestEffortAnew(
  state: SchedulerState,
  withdrawn: Withdrawn,
  now: Instant,
  reason: StateReason | null = null,
): void {
  const { lease } = withdrawn;
  const outcome = rulesOf(lease.type).plan(state, lease, now, null);
  if (isPlan(outcome)) placeAnew(state, withdrawn, outcome, now, reason);
  else backToQueue(state, withdrawn, now, reason);
}
