import { rulesOf } from '../lease-types/table.ts';
import { draftLease, whyRefused } from '../lifecycle/request.ts';
import type { Instant, LeaseRequest, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { type Availability, availability } from './availability.ts';
import { decideOnTrial, refused } from './decision.ts';

/** What a request would be answered now. */
export interface PlannedLease {
  readonly accepted: boolean;
  /** Why it would be rejected, or why it has to wait. */
  readonly reason: StateReason | null;
  /** Null when it would be rejected or wait without a plan. */
  readonly start: Instant | null;
  readonly end: Instant | null;
  /** Machine -> node. */
  readonly machines: Readonly<Record<string, number>> | null;
  /** Leases that would be suspended, requeued or planned anew: ids, ascending. */
  readonly displaces: readonly number[];
  /** When it would be rejected: the first start at which an advance reservation of its machines would be accepted. */
  readonly firstPossibleStart: Instant | null;
  /** Set if there is no such start before this instant, from which the search has to go on. */
  readonly continueFrom: Instant | null;
}

/**
 * Decides a request as the pass would decide it next, and changes nothing. Throws INVALID_REQUEST or
 * UNSUPPORTED_LEASE_TYPE.
 */
export function dryRun(state: SchedulerState, request: LeaseRequest, now: Instant): PlannedLease {
  const lease = draftLease(state, request, now);
  const never = whyRefused(state, lease, now);
  const decision = never ? refused(never) : decideOnTrial(state, lease, now);
  const { refusal: reason, start, end, mapping, displaced: displaces } = decision;
  const accepted = reason === null || (never === null && rulesOf(lease.type).decidedIn === 'QUEUE');
  const { machines, duration, preemptible, project } = request;
  const first =
    accepted || never
      ? null
      : availability(
          state,
          { machines, duration, preemptible, project: project ?? null, from: request.start ?? now, to: null },
          now,
        );
  const nodes = mapping?.slice(1).map((node, index) => [index + 1, node] as const);
  return {
    accepted,
    reason,
    start,
    end,
    machines: nodes ? Object.fromEntries(nodes) : null,
    displaces,
    ...(first ? alternative(first) : { firstPossibleStart: null, continueFrom: null }),
  };
}

/** The search ends at the first start that is possible. */
export function alternative({
  continueFrom,
  earliestStart,
}: Availability): Pick<PlannedLease, 'firstPossibleStart' | 'continueFrom'> {
  return { firstPossibleStart: earliestStart, continueFrom: earliestStart === null ? continueFrom : null };
}
