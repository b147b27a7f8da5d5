import type { SkippedOccurrence } from './model/recurrence-records.ts';

/** All reasons for which the core refuses a command. Codes are stable: clients match on them. */
export type SchedulerErrorCode =
  /** The request is invalid: a count, an amount, a duration or an unknown resource type. */
  | 'INVALID_REQUEST'
  | 'UNSUPPORTED_LEASE_TYPE'
  | 'LEASE_NOT_FOUND'
  /** The lease has reached a final state. */
  | 'LEASE_ENDED'
  /** Its machines have started, so its start cannot change. */
  | 'LEASE_STARTED'
  /** It has run longer than the new duration, or would end in the past. */
  | 'TOO_SHORT'
  /** An advance reservation or immediate lease is impossible with the new terms. */
  | 'NOT_SCHEDULABLE'
  | 'DEADLINE_CANNOT_BE_MET'
  /** Its nodes are reserved after its end; `details.maxDuration` is the maximum possible duration. */
  | 'EXTENSION_BLOCKED'
  /**
   * The quotas of its project do not allow it; for an extension, `details.maxDuration` is the maximum duration they
   * allow.
   */
  | 'QUOTA_EXCEEDED'
  /** Leases would lose a promised place; `details.leases` lists them. */
  | 'WOULD_DISPLACE'
  | 'MAINTENANCE_NOT_FOUND'
  | 'RECURRENCE_NOT_FOUND'
  /** It was cancelled, or all its occurrences have started. */
  | 'RECURRENCE_ENDED'
  /** Leases have reservations on the node, so its capacity cannot change. */
  | 'NODE_IN_USE'
  /** The site or the configuration is invalid. */
  | 'INVALID_SITE'
  | 'INVALID_CONFIG'
  /** `lease-failure-handling` requires a failed lease to stop the scheduler. */
  | 'LEASE_FAILURE'
  /** An invariant of the core is violated. */
  | 'INTERNAL';

/** Details of a refusal, by its code. */
export interface RefusalDetails {
  /** EXTENSION_BLOCKED, QUOTA_EXCEEDED: the maximum possible requested duration, in milliseconds. */
  readonly maxDuration?: number;
  /** WOULD_DISPLACE: ids, ascending. */
  readonly leases?: readonly number[];
  /** NOT_SCHEDULABLE of a recurrence: impossible occurrences among those tried, by ascending index. */
  readonly occurrences?: readonly SkippedOccurrence[];
}

/** A command that the core refused. Nothing has changed. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';

  constructor(
    readonly code: SchedulerErrorCode,
    message: string,
    /** Path of the invalid input field, outermost first: `['machines', '0', 'CPU']`. */
    readonly path: readonly string[] = [],
    readonly details: RefusalDetails = {},
  ) {
    super(message);
  }
}
