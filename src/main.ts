/** The composition root: reads the configuration, wires the rooms, and decides which threads they run in. */
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { adminToken, type ConfiguredSite, forgetToken, type ServerConfig } from './config/index.ts';
import { createIdentity, openIdConnect } from './identity/index.ts';
import { startEngine } from './runtime/engine-service.ts';
import { measureEventLoop } from './runtime/event-loop.ts';
import { Closers } from './runtime/open-engine.ts';
import { createApp, findConsole, listen } from './server/index.ts';
import { isOutage, type OpenStore } from './store/index.ts';

/** Milliseconds: requests have this long to end when the server stops. */
const closingTime = 1_000;

export interface RunningServer {
  readonly url: string;
  /** The token, and where it is kept (null: given by the environment). */
  readonly token: { readonly value: string; readonly made: boolean; readonly file: string | null };
  readonly kind: OpenStore['kind'];
  readonly site: ConfiguredSite;
  /** Lets requests finish, cuts subscriptions, stops the engine and closes the database. Safe to call twice. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly log: Logger;
  /** The scheduler has stopped by itself (`leaseFailureHandling` says so), or its thread has died. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Starts a server. Throws ConfigurationError, ListenError, AdapterError, StoreError or SchedulerError, each with a message for people;
 * nothing is left open or locked then.
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
  };
  try {
    const listening = await listen(config.host, config.port);
    port.add(() => listening.close(closingTime));
    const kept = config.adminToken === null ? adminToken(config.dataDir) : null;
    // A token that was never shown must not be taken for a known one by the next start.
    if (kept?.made) undo.push(() => forgetToken(config.dataDir));
    const token = kept?.token ?? config.adminToken ?? '';
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    measureEventLoop(registry, 'main');
    const engine = await startEngine(config, { log, registry, onFatal });
    engineCloser.add(() => engine.close());
    const identity = createIdentity({
      prisma: engine.store.prisma,
      adminToken: token,
      visibility: config.identity.visibility,
      external:
        config.identity.openIdConnect &&
        openIdConnect(config.identity.openIdConnect, (err) =>
          log.error({ err }, 'the keys of the OpenID Connect issuer cannot be read'),
        ),
      audit: {
        retention: config.audit.retention,
        onFailure: (err, records) => log.error({ err, records }, 'audit records could not be written'),
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
          clockSpeed: config.clock.speed,
          acceptsKnownDurations: config.simulation.acceptKnownDurations,
          configuration: config.scheduler,
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
      otherMetrics: () => engine.metrics(),
    });
    listening.serve(app);
    return {
      url: listening.url,
      token: { value: token, made: kept?.made ?? false, file: kept?.file ?? null },
      kind: engine.kind,
      site: engine.site,
      stop,
    };
  } catch (error) {
    await stop();
    for (const each of undo) each();
    throw error;
  }
}
