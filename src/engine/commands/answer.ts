/** The outcome of a command: a result or a refusal. */
import { type RefusalDetails, SchedulerError, type SchedulerErrorCode } from '../../core/index.ts';

export type CommandErrorCode =
  | SchedulerErrorCode
  | 'IDEMPOTENCY_CONFLICT'
  | 'EVENTS_EXPIRED'
  /** The stored lease is inconsistent, so the scheduler does not load it. */
  | 'LEASE_QUARANTINED'
  /** The lease is consistent: it can be cancelled and must not be discarded. */
  | 'LEASE_NOT_QUARANTINED'
  /** The action does not exist or is finished. */
  | 'ACTION_NOT_OPEN'
  /** The node does not exist or was removed. */
  | 'NODE_NOT_FOUND'
  | 'NAME_TAKEN'
  /** The start is in the past. */
  | 'START_IN_PAST'
  /** The project has reached its maximum number of recurrences. */
  | 'TOO_MANY_RECURRENCES'
  /**
   * The database is unreachable, or another writer has taken over. The outcome is unknown; the call may be repeated.
   */
  | 'UNAVAILABLE'
  | 'SHUTTING_DOWN';

/** A refused command. It changed nothing; with UNAVAILABLE and SHUTTING_DOWN the outcome is unknown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    readonly code: CommandErrorCode,
    message: string,
    readonly path: readonly string[] = [],
    readonly retryable = false,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
  }
}

export interface Refusal {
  readonly error: {
    readonly code: CommandErrorCode;
    readonly message: string;
    readonly path: readonly string[];
    readonly retryable: boolean;
    /** Additional facts, depending on the code. */
    readonly details?: RefusalDetails;
  };
}

export type Answer<Result = unknown> = { readonly result: Result } | Refusal;

/** Whether a value from another server has the shape of an answer. */
export function isAnswer(value: unknown): value is Answer {
  if (typeof value !== 'object' || value === null) return false;
  if ('result' in value) return true;
  return 'error' in value && typeof value.error === 'object' && value.error !== null && 'code' in value.error;
}

export function refusal(
  code: CommandErrorCode,
  message: string,
  {
    path = [],
    retryable = false,
    details,
  }: {
    readonly path?: readonly string[];
    readonly retryable?: boolean;
    readonly details?: RefusalDetails;
  } = {},
): Refusal {
  const isDetailed = details !== undefined && Object.keys(details).length > 0;
  return { error: { code, message, path, retryable, ...(isDetailed && { details }) } };
}

export function errorOf({ error }: Refusal): CommandError {
  return new CommandError(error.code, error.message, error.path, error.retryable, error.details);
}

/** The answer for an error of the core; null for an internal error. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof CommandError) {
    const { code, details, message, path, retryable } = error;
    return refusal(code, message, { path, retryable, details });
  }
  return error instanceof SchedulerError && error.code !== 'INTERNAL' && error.code !== 'LEASE_FAILURE'
    ? refusal(error.code, error.message, { path: error.path, details: error.details })
    : null;
}

/** The cause is logged. */
export const internalRefusal = refusal(
  'INTERNAL',
  'The scheduler could not carry out this command. It changed nothing; see the server log for the cause.',
);

/** The answer to a command for a lease that was excluded when the site was loaded. */
export function quarantined(leaseNumber: number): Refusal {
  return refusal(
    'LEASE_QUARANTINED',
    `Lease ${leaseNumber} is left out, because what is stored of it is not sound. An operator can see why with "leasegraph check", and give the lease up with "leasegraph discard ${leaseNumber}".`,
  );
}

export const notUnderstood = refusal(
  'INVALID_REQUEST',
  'The writer does not know this kind of command, or its input has another shape. Run the same version on all servers.',
);

export function unavailable(reason: string): Refusal {
  return refusal('UNAVAILABLE', `${reason} Try again; with an idempotency key nothing is done twice.`, {
    retryable: true,
  });
}
