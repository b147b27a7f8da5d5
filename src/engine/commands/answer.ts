/** What becomes of a command: a result or a refusal. */
import { type RefusalDetails, SchedulerError, type SchedulerErrorCode } from '../../core/index.ts';

export type CommandErrorCode =
  | SchedulerErrorCode
  | 'IDEMPOTENCY_CONFLICT'
  | 'EVENTS_EXPIRED'
  /** What is stored of the lease is not sound, so the scheduler leaves it out. */
  | 'LEASE_QUARANTINED'
  /** The lease is sound: it can be cancelled, and need not be discarded. */
  | 'LEASE_NOT_QUARANTINED'
  /** There is no such action, or it is finished. */
  | 'ACTION_NOT_OPEN'
  /** There is no such node, or it was removed. */
  | 'NODE_NOT_FOUND'
  | 'NAME_TAKEN'
  /** The start is before the present instant. */
  | 'START_IN_PAST'
  /** The project has as many recurrences as it may have. */
  | 'TOO_MANY_RECURRENCES'
  /**
   * The database is out of reach or another writer has taken over. The outcome is unknown; the same call may be
   * repeated.
   */
  | 'UNAVAILABLE'
  | 'SHUTTING_DOWN';

/** A command that was refused. It changed nothing, as far as is known (UNAVAILABLE, SHUTTING_DOWN). */
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
    /** What more there is to say, by the code. */
    readonly details?: RefusalDetails;
  };
}

export type Answer<Result = unknown> = { readonly result: Result } | Refusal;

/** Whether what another server answered has the shape of an answer. */
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

/** The answer for an error of the core; null for an error that is not meant for callers. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof CommandError) {
    const { code, details, message, path, retryable } = error;
    return refusal(code, message, { path, retryable, details });
  }
  return error instanceof SchedulerError && error.code !== 'INTERNAL' && error.code !== 'LEASE_FAILURE'
    ? refusal(error.code, error.message, { path: error.path, details: error.details })
    : null;
}

/** The cause goes to the log. */
export const internalRefusal = refusal(
  'INTERNAL',
  'The scheduler could not carry out this command. It changed nothing; see the server log for the cause.',
);

/** The answer to a command about a lease that was left out when the site was loaded. */
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
