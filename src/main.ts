/** The composition root: reads the configuration, wires the rooms, and decides which threads they run in. */
import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { adminToken, type ConfiguredSite, type Environment, forgetToken, type ServerConfig } from './config/index.ts';
import { SiteClock } from './engine/index.ts';
import { BrowserSignIn, createIdentity, openIdConnect } from './identity/index.ts';
import { SecretBox, Webhooks } from './notices/index.ts';
import {
  announceReady,
  isApiWorker,
  leavePrimary,
  shareMetrics,
  startApiWorkers,
  workerName,
} from './runtime/api-workers.ts';
import { startEngine } from './runtime/engine-service.ts';
import { measureEventLoop } from './runtime/event-loop.ts';
import { Closers, openEngine } from './runtime/open-engine.ts';
import { startTracing } from './runtime/tracing.ts';
import { createApp, findConsole, type Listening, listen } from './server/index.ts';
import { isOutage, type OpenStore } from './store/index.ts';

/** Milliseconds: requests have this long to end when the server stops. */
const closingTime = 1_000;

export interface RunningServer {
  readonly url: string;
  /** The token, and where it is kept (null: given by the environment). */
  readonly token: { readonly value: string; readonly made: boolean; readonly file: string | null };
  readonly kind: OpenStore['kind'];
  readonly site: ConfiguredSite;
  /** Whether another process has announced the server. */
  readonly quiet: boolean;
  /** Lets requests finish, cuts subscriptions, stops the engine and closes the database. Safe to call twice. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly log: Logger;
  /** The scheduler has stopped by itself (`leaseFailureHandling` says so), or its thread has died. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Starts a server. Throws ConfigurationError, ListenError, AdapterError, StoreError or SchedulerError, each with a
 * message for people; nothing is left open or locked then.
 */
export async function startServer(config: ServerConfig, options: StartOptions): Promise<RunningServer> {
  const { log, onFatal } = options;
  const port = new Closers(log);
  const engineCloser = new Closers(log);
  const undo: (() => void)[] = [];
  const stop = async (): Promise<void> => {
    // The port was taken first, and is closed first as well.
    await port.close();
    await engineCloser.close();
    if (isApiWorker()) leavePrimary();
  };
  try {
    const takePort = async (): Promise<Listening> => {
      const listening = await listen(config.host, config.port);
      port.add(() => listening.close(closingTime));
      return listening;
    };
    // First, so that a port in use is found before anything else is touched. A worker shares it, and takes it when it
    // can answer.
    const early = isApiWorker() ? null : await takePort();
    const kept = config.adminToken === null ? adminToken(config.dataDir) : null;
    // A token that was never shown must not be taken for a known one by the next start.
    if (kept?.made) undo.push(() => forgetToken(config.dataDir));
    const token = kept?.token ?? config.adminToken ?? '';
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    showProcessId(registry);
    measureEventLoop(registry, workerName() ?? 'main');
    shareMetrics(() => registry.getMetricsAsJSON());
    const tracing = await startTracing(workerName() ?? 'main', log);
    if (tracing) engineCloser.add(() => tracing.close());
    const engine = await startEngine(config, { log, registry, onFatal });
    engineCloser.add(() => engine.close());
    const secrets = new SecretBox(config.secretsKey);
    const { openIdConnect: issuer } = config.identity;
    const onIssuerFailure = (err: unknown) => log.error({ err }, 'the OpenID Connect issuer cannot be reached');
    const identity = createIdentity({
      prisma: engine.store.prisma,
      adminToken: token,
      visibility: config.identity.visibility,
      external: issuer && openIdConnect(issuer, onIssuerFailure),
      browserSignIn: issuer?.console
        ? new BrowserSignIn({ issuer: issuer.issuer, ...issuer.console }, onIssuerFailure)
        : null,
      audit: {
        retention: config.audit.retention,
        onFailure: (err, records) =>
          log[isOutage(err) ? 'warn' : 'error']({ err, records }, 'audit records could not be written'),
      },
    });
    engineCloser.add(() => identity.audit.flush());
    const app = createApp({
      services: {
        prisma: engine.store.prisma,
        leases: engine.leases,
        site: {
          name: engine.site.name,
          resourceTypes: engine.site.spec.resourceTypes,
          timeZone: config.timeZone,
          clockSpeed: config.clock.speed,
          acceptsKnownDurations: config.simulation.acceptKnownDurations,
          endNotice: config.notices.endNotice,
          configuration: config.scheduler,
        },
        identity,
        webhooks: new Webhooks(engine.store.prisma, config.webhooks, secrets),
      },
      isOutage,
      version: () => engine.store.version(),
      limits: config.limits,
      cors: config.http.cors,
      trustedProxies: config.http.trustedProxies,
      persistedDocuments: config.http.persistedDocuments,
      consoleDirectory: findConsole(),
      log: log.child({ component: 'server' }),
      tracing,
      registry,
      otherMetrics: () => engine.metrics(),
    });
    const listening = early ?? (await takePort());
    listening.serve(app);
    announceReady(listening.url);
    return {
      url: listening.url,
      token: { value: token, made: kept?.made ?? false, file: kept?.file ?? null },
      kind: engine.kind,
      site: engine.site,
      quiet: isApiWorker(),
      stop,
    };
  } catch (error) {
    await stop();
    for (const each of undo) each();
    throw error;
  }
}

/**
 * Starts a server in several processes: this one schedules, and `apiWorkers` others answer on the port. Throws as
 * `startServer` does. `environment` is the one that the configuration was read from.
 */
export async function startCluster(
  config: ServerConfig,
  { log, onFatal, environment }: StartOptions & { readonly environment: Environment },
): Promise<RunningServer> {
  const closers = new Closers(log);
  try {
    const kept = config.adminToken === null ? adminToken(config.dataDir) : null;
    const token = kept?.token ?? config.adminToken ?? '';
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    measureEventLoop(registry, 'engine');
    const clock = new SiteClock(config.clock.speed);
    const tracing = await startTracing('engine', log);
    if (tracing) closers.add(() => tracing.close());
    const { close, site, store } = await openEngine(config, { log, registry, clock, onFatal, tracing });
    closers.add(close);
    const workers = await startApiWorkers({
      count: config.apiWorkers,
      args: ['serve'],
      environment: {
        ...Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined)),
        DATABASE_URL: store.url,
        LEASEGRAPH_ADMIN_TOKEN: token,
        LEASEGRAPH_ROLE: 'api',
        LEASEGRAPH_API_WORKERS: '0',
      },
      log,
      metrics: () => registry.getMetricsAsJSON(),
    });
    closers.add(() => workers.stop());
    return {
      url: workers.url,
      token: { value: token, made: kept?.made ?? false, file: kept?.file ?? null },
      kind: store.kind,
      site,
      quiet: false,
      stop: () => closers.close(),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

function showProcessId(registry: Registry): void {
  new Gauge({
    name: 'leasegraph_process_id',
    help: 'The process that answered this scrape.',
    aggregator: 'first',
    registers: [registry],
  }).set(process.pid);
}
