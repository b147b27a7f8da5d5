import type { CommandErrorCode } from '../../../engine/ports.ts';

interface CodeFacts {
  readonly description: string;
  /** Whether the same request may succeed later. */
  readonly retryable?: true;
}

/** Codes of the engine that clients never see as user errors. */
type HiddenCode = 'INTERNAL' | 'LEASE_FAILURE' | 'INVALID_SITE' | 'INVALID_CONFIG' | 'EVENTS_EXPIRED';

const commandCodes = {
  INVALID_REQUEST: { description: 'The input is invalid; `path` names the part at fault.' },
  UNSUPPORTED_LEASE_TYPE: { description: 'This version does not schedule leases of this type.' },
  LEASE_NOT_FOUND: { description: 'There is no such lease, or the principal may not see it.' },
  LEASE_ENDED: { description: 'The lease has reached a final state.' },
  LEASE_QUARANTINED: {
    description:
      'What is stored of the lease is not sound, so the scheduler leaves it out; the message says what an operator can do.',
  },
  LEASE_NOT_QUARANTINED: { description: 'The lease is sound, so it can only be cancelled.' },
  LEASE_STARTED: { description: 'The machines of the lease have started, so its start cannot change.' },
  TOO_SHORT: {
    description: 'The lease has run longer than the new duration, or would have to end in the past.',
  },
  NOT_SCHEDULABLE: { description: 'The machines are not available with the new terms.' },
  DEADLINE_CANNOT_BE_MET: { description: 'The lease cannot end by its deadline.' },
  EXTENSION_BLOCKED: {
    description: 'The nodes of the lease are taken after its end; the message names the longest possible duration.',
  },
  QUOTA_EXCEEDED: {
    description: 'The quotas of the project do not allow it; the message says what is left.',
  },
  WOULD_DISPLACE: {
    description: 'Leases that were promised a place would lose it; the message names them.',
  },
  MAINTENANCE_NOT_FOUND: { description: 'There is no such maintenance, or it has ended.' },
  RECURRENCE_NOT_FOUND: { description: 'There is no such recurrence, or the principal may not see it.' },
  RECURRENCE_ENDED: {
    description: 'No occurrence is to come: all have started, or the recurrence was cancelled.',
  },
  TOO_MANY_RECURRENCES: { description: 'The project has as many recurrences as it may have.' },
  START_IN_PAST: {
    description: "The start is before the present instant of the scheduler's clock (`serverTime`).",
  },
  ACTION_NOT_OPEN: { description: 'There is no such action, or it has been decided already.' },
  NODE_NOT_FOUND: { description: 'There is no such node.' },
  NODE_IN_USE: {
    description: 'Leases run or are planned on the node, or have something saved there: drain it and wait.',
  },
  NAME_TAKEN: { description: 'The name is in use.' },
  IDEMPOTENCY_CONFLICT: { description: 'The idempotency key was used with another input.' },
  UNAVAILABLE: {
    description:
      'The database cannot be reached, or too many commands wait. The outcome is unknown; with an idempotency key, a repeated request creates nothing twice.',
    retryable: true,
  },
  SHUTTING_DOWN: {
    description: 'The server is stopping. The outcome is unknown, as for UNAVAILABLE.',
    retryable: true,
  },
} as const satisfies Readonly<Record<Exclude<CommandErrorCode, HiddenCode>, CodeFacts>>;

/** Every stable code of a user error. */
export const userErrorCodes = {
  ...commandCodes,
  SIMULATION_ONLY: { description: 'The server accepts `knownDuration` only in simulations.' },
  INVALID_ID: { description: 'The value is not a global id of the required type.' },
  FORBIDDEN: { description: 'The role of the principal, or its projects, do not allow this.' },
  PROJECT_NOT_FOUND: { description: 'There is no such project, or the principal is not a member.' },
  PROJECT_REQUIRED: {
    description: 'The principal is a member of several projects, so the request must name one.',
  },
  WEBHOOK_NOT_FOUND: { description: 'There is no such webhook, or the principal may not see it.' },
  URL_NOT_ALLOWED: {
    description: 'The URL is not one that webhooks may call: it is no https URL, or its address is not public.',
  },
  TOKEN_NOT_FOUND: { description: 'There is no such token.' },
  TOKEN_REVOKED: { description: 'The token has been revoked, which cannot be undone: create another one.' },
} as const satisfies Readonly<Record<string, CodeFacts>>;

export type UserErrorCode = keyof typeof userErrorCodes;

export function isUserErrorCode(code: string): code is UserErrorCode {
  return Object.hasOwn(userErrorCodes, code);
}

export function isRetryable(code: UserErrorCode): boolean {
  return 'retryable' in userErrorCodes[code];
}
