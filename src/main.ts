/** The composition root: reads the configuration, wires the rooms. */
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import {
  adminToken,
  ConfigurationError,
  type ConfiguredSite,
  demonstrationSite,
  forgetToken,
  loadPolicies,
  makeDataFolder,
  type ServerConfig,
} from './config/index.ts';
import type { SiteSpec } from './core/index.ts';
import { createAdapter, hostSite } from './enactment/index.ts';
import {
  canonicalJson,
  createEngine,
  createEngineMetrics,
  defaultLimits,
  type Engine,
  SiteClock,
} from './engine/index.ts';
import { createIdentity } from './identity/index.ts';
import { createApp, findConsole, type Listening, listen } from './server/index.ts';
import { isOutage, type OpenStore, openStore } from './store/index.ts';
import type { ComputeNode, PrismaClient } from './store/prisma/client.ts';

/** Milliseconds: requests and subscriptions have this long to end when the server stops. */
const closingTime = 1_000;

export interface RunningServer {
  readonly url: string;
  /** The token, and where it is kept (null: given by the environment). */
  readonly token: { readonly value: string; readonly made: boolean; readonly file: string | null };
  readonly kind: OpenStore['kind'];
  readonly site: ConfiguredSite;
  /** Lets requests finish, ends subscriptions, stops the engine and closes the database. Safe to call twice. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly log: Logger;
  /** The scheduler has stopped by itself (`leaseFailureHandling` says so). */
  readonly onFatal?: (error: Error) => void;
}

/**
 * Starts a server. Throws ConfigurationError, ListenError, StoreError or SchedulerError, each with a message for people; nothing is
 * left open or locked then.
 */
export async function startServer(
  config: ServerConfig,
  { log, onFatal }: StartOptions,
): Promise<RunningServer> {
  const closers: (() => Promise<void>)[] = [];
  const undo: (() => void)[] = [];
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= closeAll(closers, log);
    return stopped;
  };
  try {
    const listening: Listening = await listen(config.host, config.port);
    closers.push(() => listening.close(closingTime));
    const kept = config.adminToken === null ? adminToken(config.dataDir) : null;
    // A token that was never shown must not be taken for a known one by the next start.
    if (kept?.made) undo.push(() => forgetToken(config.dataDir));
    const token = kept?.token ?? config.adminToken ?? '';
    if (config.databaseUrl === null) makeDataFolder(config.dataDir);
    const store = await openStore({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      log: log.child({ component: 'store' }),
    });
    closers.push(() => store.close());
    const identity = createIdentity({
      prisma: store.prisma,
      adminToken: token,
      audit: {
        retention: null,
        onFailure: (err, records) => log.error({ err, records }, 'audit records could not be written'),
      },
    });
    closers.push(() => identity.audit.flush());
    const site = await siteOf(store.prisma, config.site);
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const policies = await loadPolicies(config.scheduler);
    const adapter = await createAdapter(config.adapters, {
      site: hostSite(site.name, site.spec.nodes),
      log: log.child({ component: 'enactment' }),
    });
    closers.push(() => adapter.close());
    const engine: Engine = await createEngine({
      store,
      adapter,
      site,
      scheduler: config.scheduler,
      policies,
      clock: new SiteClock(config.clock.speed),
      log,
      limits: hostLimits(config.hosts),
      metrics: createEngineMetrics(registry),
      retention: {
        events: config.events.retention,
        actions: config.actions.retention,
        idempotencyKeys: config.idempotencyKeys.retention,
      },
      ...(onFatal && { onFatal }),
    });
    closers.push(() => engine.stop());
    const app = createApp({
      services: {
        prisma: store.prisma,
        leases: engine,
        site: {
          name: site.name,
          resourceTypes: site.spec.resourceTypes,
          clockSpeed: config.clock.speed,
          acceptsKnownDurations: config.simulation.acceptKnownDurations,
        },
        identity,
      },
      isOutage,
      limits: config.limits,
      cors: config.http.cors,
      persistedDocuments: config.http.persistedDocuments,
      consoleDirectory: findConsole(),
      log: log.child({ component: 'server' }),
      registry,
    });
    listening.serve(app);
    // The port was taken first, and is to be closed first as well.
    closers.push(...closers.splice(0, 1));
    return {
      url: listening.url,
      token: { value: token, made: kept?.made ?? false, file: kept?.file ?? null },
      kind: store.kind,
      site,
      stop,
    };
  } catch (error) {
    await stop();
    for (const each of undo) each();
    throw error;
  }
}

/** Last opened, first closed. */
async function closeAll(closers: readonly (() => Promise<void>)[], log: Logger): Promise<void> {
  for (const close of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'closing goes on after an error');
    }
  }
}

/** The stored site, which the configured one must be equal to, if there is one. Throws ConfigurationError. */
async function siteOf(prisma: PrismaClient, configured: ConfiguredSite | null): Promise<ConfiguredSite> {
  const [row, nodes] = await Promise.all([
    prisma.site.findUnique({ where: { id: 1 }, select: { name: true, resourceTypes: true } }),
    prisma.computeNode.findMany({ orderBy: { number: 'asc' } }),
  ]);
  if (row === null) return configured ?? demonstrationSite;
  const spec = { resourceTypes: row.resourceTypes, nodes: nodes.map(nodeSpec) } as unknown as SiteSpec;
  const stored = { name: row.name, spec };
  const difference = configured && differenceBetween(stored, configured);
  if (difference) {
    throw new ConfigurationError(
      'INVALID_VALUE',
      `site: the database holds another site than the configuration: ${difference}. A site is fixed when it is first written: take the site out of the configuration to go on with the stored one, or use another database or data directory.`,
    );
  }
  return stored;
}

/** As it is configured: what is empty is not given. */
const nodeSpec = ({ address, labels, ...node }: ComputeNode) => ({
  ...node,
  ...(address !== null && { address }),
  ...(Object.keys(labels as object).length > 0 && { labels }),
});

function differenceBetween(stored: ConfiguredSite, configured: ConfiguredSite): string | null {
  if (stored.name !== configured.name) return `it is called "${stored.name}", not "${configured.name}"`;
  const [types, otherTypes] = [
    stored.spec.resourceTypes.join(', '),
    configured.spec.resourceTypes.join(', '),
  ];
  if (types !== otherTypes) return `its resource types are ${types}, not ${otherTypes}`;
  if (stored.spec.nodes.length !== configured.spec.nodes.length) {
    return `it has ${stored.spec.nodes.length} nodes, not ${configured.spec.nodes.length}`;
  }
  const other = stored.spec.nodes.findIndex(
    (node, index) => canonicalJson(node) !== canonicalJson(configured.spec.nodes[index]),
  );
  return other < 0
    ? null
    : `node ${other + 1} is ${canonicalJson(stored.spec.nodes[other])}, not ${canonicalJson(configured.spec.nodes[other])}`;
}

function hostLimits({
  concurrentCalls,
  inspectInterval,
  maxFailures,
  removeStrays,
  timeouts,
}: ServerConfig['hosts']) {
  const actionTimeouts = Object.fromEntries(
    Object.entries(timeouts).map(([operation, timeout]) => [operation.toUpperCase(), timeout]),
  );
  const dispatch = { ...defaultLimits.dispatch, concurrentCallsPerNode: concurrentCalls, actionTimeouts };
  return { inspectInterval, maxHostFailures: maxFailures, removeStrays, dispatch };
}
