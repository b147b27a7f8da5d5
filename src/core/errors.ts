import type { SkippedOccurrence } from './model/recurrence-records.ts';

/** Every way in which a command to the core can be refused. Codes are stable: clients match on them. */
export type SchedulerErrorCode =
  /** The request itself makes no sense (a count, an amount, a duration, an unknown resource type). */
  | 'INVALID_REQUEST'
  | 'UNSUPPORTED_LEASE_TYPE'
  | 'LEASE_NOT_FOUND'
  /** The lease has reached a final state. */
  | 'LEASE_ENDED'
  /** Its machines have started, so its start cannot change. */
  | 'LEASE_STARTED'
  /** It has run for longer than the new duration, or would have to end in the past. */
  | 'TOO_SHORT'
  /** An advance reservation or an immediate lease cannot be had with the new terms. */
  | 'NOT_SCHEDULABLE'
  | 'DEADLINE_CANNOT_BE_MET'
  /** Its nodes are taken after its end; `details.longest` is the longest duration that it can have. */
  | 'EXTENSION_BLOCKED'
  /** The quotas of its project do not allow it; `details.longest`: of an extension, the longest duration that they do. */
  | 'QUOTA_EXCEEDED'
  /** Leases that were promised a place would lose it; `details.leases` names them. */
  | 'WOULD_DISPLACE'
  | 'MAINTENANCE_NOT_FOUND'
  | 'RECURRENCE_NOT_FOUND'
  /** It was cancelled, or all its occurrences have started. */
  | 'RECURRENCE_ENDED'
  /** Leases hold something on the node, so its capacity cannot change. */
  | 'NODE_IN_USE'
  /** The site or the configuration cannot be scheduled on. */
  | 'INVALID_SITE'
  | 'INVALID_CONFIG'
  /** `lease-failure-handling` says that a failed lease stops the scheduler. */
  | 'LEASE_FAILURE'
  /** The core broke one of its own rules. */
  | 'INTERNAL';

/** Details of a refusal, by its code. */
export interface RefusalDetails {
  /** EXTENSION_BLOCKED, QUOTA_EXCEEDED: the longest requested duration that is possible, milliseconds. */
  readonly longest?: number;
  /** WOULD_DISPLACE: ids, ascending. */
  readonly leases?: readonly number[];
  /** NOT_SCHEDULABLE, of a recurrence: occurrences that cannot be had, as far as they were tried. Ascending index. */
  readonly occurrences?: readonly SkippedOccurrence[];
}

/** A command that the core refused. Nothing of it was carried out. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';

  constructor(
    readonly code: SchedulerErrorCode,
    message: string,
    /** Where in the input the fault lies, outermost first: `['machines', '0', 'CPU']`. */
    readonly path: readonly string[] = [],
    readonly details: RefusalDetails = {},
  ) {
    super(message);
  }
}
