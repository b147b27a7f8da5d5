import type { LeaseService, TraceParent } from '../engine/ports.ts';
import type { Identity, IdentityService, RecordWithin } from '../identity/index.ts';
import type { Webhooks } from '../notices/index.ts';
import type { PrismaClient } from '../store/prisma/client.ts';
import { type Readers, readers } from './read/readers.ts';

/** Dependencies of the API. */
export interface ApiServices {
  readonly prisma: PrismaClient;
  readonly leases: LeaseService;
  readonly site: SiteFacts;
  readonly identity: IdentityService;
  readonly webhooks: Webhooks;
}

export interface SiteFacts {
  readonly name: string;
  readonly resourceTypes: readonly string[];
  /** IANA time zone, for display only; UTC by default. */
  readonly timeZone?: string;
  /** Scheduler milliseconds per real millisecond. */
  readonly clockSpeed: number;
  /** Whether a request may state the actual running time of its machines. */
  readonly acceptsKnownDurations: boolean;
  /** Default time before the end of a lease at which a notice is given; null means never. */
  readonly endNotice?: number | null;
  /** The active scheduler configuration, as JSON. */
  readonly configuration?: unknown;
}

/** A lease that a mutation has created. */
export interface Committed {
  /** The mutation's key in the result. */
  readonly field: string | number;
  readonly leaseNumber: number;
  /** Whether the request had an idempotency key. */
  readonly hasKey: boolean;
}

/** Writes the audit record of an accepted mutation in the transaction of its changes. */
export interface MutationAudit {
  readonly within: RecordWithin;
}

/** The context of a resolver. */
export interface ApiContext {
  services: ApiServices;
  readonly principal: Identity;
  /** Identifies the request in the log and in audit records. */
  readonly requestId: string;
  /** Of the current mutation. */
  audit: MutationAudit | null;
  /** Aborts when the result of a query is no longer needed. */
  readonly signal?: AbortSignal;
  /** Objects created by mutations of this operation. */
  readonly committed: Committed[];
  /** The only data access of resolvers. */
  read: Readers;
}

export function apiContext(services: ApiServices, principal: Identity, requestId: string): ApiContext {
  return { services, principal, requestId, committed: [], audit: null, read: readersOf(services, principal) };
}

/** All but `submit`. */
export function delegating(leases: LeaseService): Omit<LeaseService, 'submit'> {
  return {
    events: (options) => leases.events(options),
    lastEvent: () => leases.lastEvent(),
    eventsAfter: (request) => leases.eventsAfter(request),
    now: () => leases.now(),
    status: () => leases.status(),
    notices: leases.notices,
  };
}

/**
 * A context for the same operation that calls back when more than what is stored is asked for: the time, the scheduler,
 * or which of the principals with the same rights it is.
 */
export function withUseTracking(context: ApiContext, onUse: () => void): ApiContext {
  const rights: ReadonlySet<PropertyKey> = new Set(['role', 'projects'] satisfies (keyof Identity)[]);
  const tracked = <T extends object>(object: T, untracked: ReadonlySet<PropertyKey>): T =>
    new Proxy(object, {
      get(target, property) {
        if (!untracked.has(property)) onUse();
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const { principal, services } = context;
  return {
    ...context,
    principal: tracked(principal, rights),
    services: { ...services, leases: tracked(services.leases, new Set()) },
  };
}

/** Commands of this operation belong to a trace. */
export function inTrace(context: ApiContext, trace: TraceParent): void {
  const { leases } = context.services;
  const traced: LeaseService = {
    ...delegating(leases),
    submit: (kind, input, options) => leases.submit(kind, input, { ...options, trace }),
  };
  context.services = { ...context.services, leases: traced };
}

/** Clears cached reads after a command and before each event of a subscription. */
export function readAgain(context: ApiContext): void {
  context.read = readersOf(context.services, context.principal);
}

function readersOf({ prisma, identity }: ApiServices, principal: Identity): Readers {
  return readers(prisma, principal, identity.visibility);
}
