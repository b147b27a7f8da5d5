import { initContextCache } from '@pothos/core';
import type { LeaseService, Principal } from '../engine/ports.ts';
import type { PrismaClient } from '../store/prisma/client.ts';
import { Loaders } from './loaders.ts';

/** What the API needs of the rest of the process. */
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
  /** Whether requests may say how long their machines will really run. */
  readonly acceptsKnownDurations: boolean;
}

/** What a resolver sees. */
export interface ApiContext {
  readonly services: ApiServices;
  readonly principal: Principal;
  /** Replaced after each command and before each event of a subscription, so that nothing that was read earlier is seen again. */
  loaders: Loaders;
}

export const forgetWhatWasRead = (context: ApiContext): void => {
  context.loaders = new Loaders(context.services.prisma);
  Object.assign(context, initContextCache());
};

export const apiContext = (services: ApiServices, principal: Principal): ApiContext => ({
  services,
  principal,
  loaders: new Loaders(services.prisma),
});
