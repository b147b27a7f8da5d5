import type { LeaseService, Principal } from '../engine/ports.ts';
import type { PrismaClient } from '../store/prisma/client.ts';
import { type Readers, readers } from './read/readers.ts';

/** What the API needs from the rest of the process. */
export interface ApiServices {
  readonly prisma: PrismaClient;
  readonly leases: LeaseService;
  readonly site: SiteFacts;
}

export interface SiteFacts {
  readonly name: string;
  readonly resourceTypes: readonly string[];
  /** Scheduler milliseconds per real millisecond. */
  readonly clockSpeed: number;
  /** Whether a request may say how long its machines will really run. */
  readonly acceptsKnownDurations: boolean;
}

/** The context of a resolver. */
export interface ApiContext {
  readonly services: ApiServices;
  readonly principal: Principal;
  /** The only way from a resolver to data. */
  read: Readers;
}

export function apiContext(services: ApiServices, principal: Principal): ApiContext {
  return { services, principal, read: readers(services.prisma, principal) };
}

/** After a command, and before each event of a subscription: what has been read before is read again. */
export function readAgain(context: ApiContext): void {
  context.read = readers(context.services.prisma, context.principal);
}
