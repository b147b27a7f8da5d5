/** Every way in which a command to the core can be refused. Codes are stable: clients match on them. */
export type SchedulerErrorCode =
  /** The request itself makes no sense (a count, an amount, a duration, an unknown resource type). */
  | 'INVALID_REQUEST'
  | 'UNSUPPORTED_LEASE_TYPE'
  | 'LEASE_NOT_FOUND'
  /** The lease has reached a final state. */
  | 'LEASE_ENDED'
  /** The site or the configuration cannot be scheduled on. */
  | 'INVALID_SITE'
  | 'INVALID_CONFIG'
  /** `lease-failure-handling` says that a failed lease stops the scheduler. */
  | 'LEASE_FAILURE'
  /** The core broke one of its own rules. */
  | 'INTERNAL';

/** A command that the core refused. Nothing of it was carried out. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';

  constructor(
    readonly code: SchedulerErrorCode,
    message: string,
    /** Where in the input the fault lies, outermost first: `['machines', '0', 'CPU']`. */
    readonly path: readonly string[] = [],
  ) {
    super(message);
  }
}
