import { givePlace } from '../lifecycle/give-place.ts';
import type { Lease } from '../model/lease.ts';
import { schedulingFault } from '../model/reasons.ts';
import type { Instant, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/** What would become of a lease if it were decided now. */
export interface Decision {
  /** Why it would be refused; null when it gets a plan. */
  readonly refusal: StateReason | null;
  readonly start: Instant | null;
  /** Its last operation included. */
  readonly end: Instant | null;
  /** Machine -> node; index 0 is not used. */
  readonly mapping: readonly number[] | null;
  /** Leases that would be suspended, requeued or planned anew: ids, ascending. */
  readonly displaced: readonly number[];
}

/** Decides a new lease as the pass would, and takes everything back. */
export function decideOnTrial(state: SchedulerState, lease: Lease, now: Instant): Decision {
  const noted = [...state.displaced];
  state.displaced.clear();
  let decision: Decision | null = null;
  try {
    state.journal.attempt(() => {
      decision = decide(state, lease, now);
      return null;
    });
  } finally {
    state.displaced.clear();
    for (const id of noted) state.displaced.add(id);
  }
  return decision ?? refused(schedulingFault(new Error('the lease was not decided')));
}

function decide(state: SchedulerState, lease: Lease, now: Instant): Decision {
  lease.state = 'PENDING';
  try {
    const refusal = givePlace(state, lease, now);
    if (refusal) return refused(refusal);
  } catch (error) {
    return refused(schedulingFault(error));
  }
  const { vm } = lease;
  const last = lease.vms.at(-1);
  return {
    refusal: null,
    start: vm?.start ?? null,
    end: last?.finalEnd ?? null,
    mapping: vm?.mapping ?? null,
    displaced: [...state.displaced].filter((id) => id !== lease.id).sort((a, b) => a - b),
  };
}

export function refused(refusal: StateReason): Decision {
  return { refusal, start: null, end: null, mapping: null, displaced: [] };
}
