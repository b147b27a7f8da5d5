import { onTestFinished } from 'vitest';
import { defaultSchedulerConfig, Scheduler } from '../../src/core/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import type { Adapter } from '../../src/engine/ports.ts';
import { createIdentity } from '../../src/identity/index.ts';
import { type AppOptions, createApp } from '../../src/server/app.ts';
import { isOutage, type OpenStore } from '../../src/store/index.ts';
import type { DatabaseKind } from '../support/databases.ts';
import { token, webhooksOn } from './fixture.ts';

/** The API on an engine with two simulated nodes, without a port. The engine stops when the test ends. */
export async function apiOnEngine(databases: DatabaseKind, options: Partial<AppOptions> = {}) {
  return apiOnStore(await (await databases.create()).open(), new SimulatedAdapter(), options);
}

export async function apiOnStore(store: OpenStore, adapter: Adapter, options: Partial<AppOptions> = {}) {
  const capacity = { CPU: 100, Memory: 1024 };
  const spec = {
    resourceTypes: ['CPU', 'Memory'],
    nodes: [1, 2].map((number) => ({ number, hostname: `node-${number}`, capacity })),
  };
  const engine = await createEngine({
    store,
    adapter,
    site: { name: 'lab', spec },
    scheduler: defaultSchedulerConfig,
    restore: (site, config, snapshot) => Scheduler.restore(site, config, snapshot),
  });
  onTestFinished(() => engine.stop());
  const site = { name: 'lab', resourceTypes: spec.resourceTypes, clockSpeed: 1, acceptsKnownDurations: true };
  const { prisma } = store;
  const identity = createIdentity({ prisma, adminToken: token });
  const app = createApp({
    isOutage,
    version: () => store.version(),
    services: { prisma, leases: engine, site, identity, webhooks: webhooksOn(prisma) },
    ...options,
  });
  return { app, engine, identity };
}
