/** The engine as the API reaches it: in a thread of its own, or in another process. */
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { ConfigurationError, type ConfiguredSite, type ServerConfig } from '../config/index.ts';
import { createEngine, createEngineMetrics, type LeaseService, SiteClock } from '../engine/index.ts';
import { type OpenStore, openStore } from '../store/index.ts';
import { metricsOfOthers } from './api-workers.ts';
import { EngineClient, EngineThread } from './engine-client.ts';
import type { Metrics } from './messages.ts';
import { noHosts } from './no-hosts.ts';
import { Closers } from './open-engine.ts';
import { siteInUse } from './stored-site.ts';

export interface EngineServiceOptions {
  readonly log: Logger;
  readonly registry: Registry;
  readonly onFatal: (error: Error) => void;
}

export interface EngineService {
  readonly leases: LeaseService;
  /** For reads of the API. */
  readonly store: OpenStore;
  readonly kind: OpenStore['kind'];
  readonly site: ConfiguredSite;
  /** Metrics of other threads and processes that answer. */
  metrics(): Promise<readonly Metrics[]>;
  close(): Promise<void>;
}

/** Throws ConfigurationError, AdapterError, StoreError or SchedulerError, each with a message for people. */
export function startEngine(config: ServerConfig, options: EngineServiceOptions): Promise<EngineService> {
  return config.role === 'api' ? follow(config, options) : startThread(config, options);
}

/** The default: readers never hold the scheduler up. */
async function startThread(
  config: ServerConfig,
  { log, registry, onFatal }: EngineServiceOptions,
): Promise<EngineService> {
  const closers = new Closers(log);
  const { thread, engine } = await EngineThread.start(config, { log, onFatal });
  closers.add(() => thread.stop());
  try {
    const store = await openStore({
      databaseUrl: engine.databaseUrl,
      dataDir: config.dataDir,
      log: log.child({ component: 'store' }),
      asItIs: true,
    });
    closers.add(() => store.close());
    const replayed = new Counter({
      name: 'leasegraph_events_replayed_total',
      help: 'Events read again from the database for subscribers.',
      registers: [registry],
    });
    const client = new EngineClient({
      thread,
      engine,
      store,
      clockSpeed: config.clock.speed,
      onFatal,
      onReplayed: (count) => replayed.inc(count),
    });
    closers.add(() => client.stop());
    new Gauge({
      name: 'leasegraph_engine_silence_seconds',
      help: 'Time since the thread of the engine was last heard of; it reports once per second.',
      registers: [registry],
      collect() {
        this.set(client.silence / 1_000);
      },
    });
    return {
      leases: client,
      store,
      kind: engine.kind,
      site: engine.site,
      metrics: async () => {
        const metrics = await client.metrics();
        return metrics === null ? [] : [metrics];
      },
      close: () => closers.close(),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** The engine is in another process: events come through the database, and commands are forwarded through it. */
async function follow(config: ServerConfig, { log, registry }: EngineServiceOptions): Promise<EngineService> {
  const closers = new Closers(log);
  try {
    const store = await openStore({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      log: log.child({ component: 'store' }),
      asItIs: true,
    });
    closers.add(() => store.close());
    if ((await store.prisma.site.count()) === 0) {
      throw new ConfigurationError(
        'INVALID_VALUE',
        'The database holds no site yet: start a server that schedules first (serve without --role api).',
      );
    }
    const { site } = await siteInUse(store.prisma, config.site);
    const engine = await createEngine({
      store,
      adapter: noHosts,
      site,
      scheduler: config.scheduler,
      clock: new SiteClock(config.clock.speed),
      log,
      metrics: createEngineMetrics(registry),
      mayWrite: false,
    });
    closers.add(() => engine.stop());
    return {
      leases: engine,
      store,
      kind: store.kind,
      site,
      metrics: metricsOfOthers,
      close: () => closers.close(),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}
