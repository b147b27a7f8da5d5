import { runPass } from '../lifecycle/pass.ts';
import type { Instant } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';

/** What would follow if leases ended now. */
export interface PlannedEnding {
  /** The leases that would end: ids, ascending. */
  readonly ends: readonly number[];
  /** Others that would start or continue earlier than planned, by the new start, then by id. */
  readonly sooner: readonly SoonerStart[];
  /** Whether all waiting leases were tried. Otherwise there may be more that would start earlier. */
  readonly isComplete: boolean;
}

export interface SoonerStart {
  readonly lease: number;
  /** As planned now; null: it has no plan. */
  readonly planned: Instant | null;
  readonly start: Instant;
}

/**
 * How many leases the pass tries for one answer: a trial takes a millisecond or more on a site with a thousand plans,
 * and the scheduler does nothing else meanwhile.
 */
const maxTrials = 32;

/** `carryOut` ends leases; the caller takes it back. */
export function plannedEnding(state: SchedulerState, now: Instant, carryOut: () => void): PlannedEnding {
  // What the pass would plan anyway does not follow from the ending.
  const isSettled = !state.needsPass && !state.reevaluationDue && state.pending.size === 0;
  const wasComplete = isSettled || plans(state, now);
  const before = plannedStarts(state);
  const live = [...state.leases.keys()];
  carryOut();
  const ends = live.filter((id) => !state.leases.has(id)).sort((a, b) => a - b);
  const isComplete = plans(state, now) && wasComplete;
  const sooner = [...plannedStarts(state)].flatMap(([lease, start]): SoonerStart[] => {
    const planned = before.get(lease) ?? null;
    return start !== null && start < (planned ?? Number.POSITIVE_INFINITY) ? [{ lease, planned, start }] : [];
  });
  return { ends, sooner: sooner.sort((a, b) => a.start - b.start || a.lease - b.lease), isComplete };
}

/** Plans as the next pass would. Whether it tried all leases. */
function plans(state: SchedulerState, now: Instant): boolean {
  const pass = runPass(state, now);
  for (let trials = 0; trials < maxTrials; trials += 1) if (pass.next().done) return true;
  return false;
}

/** When each lease whose machines do not run would start or continue; null where nothing is planned. */
function plannedStarts({ leases }: SchedulerState): Map<number, Instant | null> {
  const starts = new Map<number, Instant | null>();
  for (const { id, vm } of leases.values())
    if (vm === null || vm.state === 'SCHEDULED') starts.set(id, vm?.start ?? null);
  return starts;
}
