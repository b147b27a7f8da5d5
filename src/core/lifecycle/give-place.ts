import { rulesOf } from '../lease-types/table.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant, StateReason } from '../model/records.ts';
import { commit } from '../placement/commit.ts';
import { scheduleWithRoom } from '../room/claims.ts';
import type { SchedulerState } from '../state.ts';
import { isPlan } from '../vm/plan.ts';

/**
 * Decides a lease outside of a pass by the same rules. Returns why it has no place, in which case nothing has changed.
 */
export function givePlace(state: SchedulerState, lease: Lease, now: Instant): StateReason | null {
  const outcome = rulesOf(lease.type).plan(state, lease, now, null);
  if (isPlan(outcome)) commit(state, outcome, now);
  else if (!scheduleWithRoom(state, lease, now)) return outcome.notSchedulable;
  return null;
}
