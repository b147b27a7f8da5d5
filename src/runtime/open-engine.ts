import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type ConfiguredSite, loadPolicies, makeDataFolder, type ServerConfig } from '../config/index.ts';
import { createAdapter, hostSite } from '../enactment/index.ts';
import {
  type Clock,
  createEngine,
  createEngineMetrics,
  defaultLimits,
  type Engine,
  type EngineOptions,
} from '../engine/index.ts';
import { createDeliverer, SecretBox } from '../notices/index.ts';
import { type OpenStore, openStore } from '../store/index.ts';
import { applySite, warnOfDifference } from './apply-site.ts';
import { siteInUse, storedSite } from './stored-site.ts';

export interface OpenEngineOptions extends Pick<EngineOptions, 'onCommitted' | 'onNotices' | 'tracing'> {
  readonly log: Logger;
  readonly registry: Registry;
  readonly clock: Clock;
  /** The engine has stopped by itself. */
  readonly onFatal?: ((error: Error) => void) | undefined;
}

export interface OpenEngine {
  readonly engine: Engine;
  readonly store: OpenStore;
  readonly site: ConfiguredSite;
  /** Stops the engine, and closes the adapters and the database. */
  close(): Promise<void>;
}

/**
 * Opens the database, the adapters and the engine upon them. Throws ConfigurationError, AdapterError, StoreError,
 * SecretKeyError or SchedulerError, each with a message for people; nothing is left open or locked then.
 */
export async function openEngine(
  config: ServerConfig,
  { log, registry, clock, onFatal, onCommitted, onNotices, tracing = null }: OpenEngineOptions,
): Promise<OpenEngine> {
  const closers = new Closers(log);
  try {
    if (config.databaseUrl === null) makeDataFolder(config.dataDir);
    const store = await openStore({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      log: log.child({ component: 'store' }),
    });
    closers.add(() => store.close());
    const secrets = new SecretBox(config.secretsKey);
    await secrets.encryptStored(store.prisma);
    const { difference, site } = await siteInUse(store.prisma, config.site);
    const policies = await loadPolicies(config.scheduler);
    const metrics = createEngineMetrics(registry);
    const hosts = hostSite(site.name, site.spec.nodes);
    const adapter = await createAdapter(config.adapters, {
      site: hosts,
      log: log.child({ component: 'enactment' }),
      observe: (call) => metrics.hostCall(call),
    });
    closers.add(() => adapter.close());
    let role = (): string => 'starting';
    const deliverer = createDeliverer({
      prisma: store.prisma,
      settings: config.webhooks,
      secrets,
      site: site.name,
      isWriter: () => role() === 'writer',
      log: log.child({ component: 'webhooks' }),
      registry,
    });
    const engine = await createEngine({
      store,
      adapter,
      site,
      scheduler: config.scheduler,
      policies,
      clock,
      log,
      limits: { ...hostLimits(config.hosts), recurrences: config.recurrences },
      metrics,
      tracing,
      onNodes: (nodes) => hosts.setNodes(nodes),
      onCachedImages: (images) => {
        const { imageTransfer, preparation } = config.scheduler;
        if (preparation === 'imagetransfer' && imageTransfer.reuse === 'image-caches') hosts.setCachedImages(images);
      },
      notices: config.notices,
      retention: {
        events: config.events.retention,
        notices: config.notices.retention,
        actions: config.actions.retention,
        idempotencyKeys: config.idempotencyKeys.retention,
      },
      ...(onCommitted && { onCommitted }),
      onNotices: (notices, last) => {
        deliverer.wake();
        onNotices?.(notices, last);
      },
      ...(onFatal && { onFatal }),
    });
    closers.add(() => engine.stop());
    role = () => engine.status().role;
    deliverer.start();
    closers.add(() => deliverer.stop());
    if (difference && config.applySite === 'no') warnOfDifference(difference, log);
    if (difference && config.applySite !== 'no') await applySite(engine, difference, config.applySite, log);
    const current = (difference && (await storedSite(store.prisma))) ?? site;
    return { engine, store, site: current, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** What has been opened; last opened, first closed. */
export class Closers {
  private readonly closers: (() => Promise<unknown>)[] = [];
  private closed: Promise<void> | null = null;

  constructor(private readonly log: Logger) {}

  add(close: () => Promise<unknown>): void {
    this.closers.push(close);
  }

  /** Safe to call twice. */
  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  private async closeAll(): Promise<void> {
    for (const close of this.closers.toReversed()) {
      try {
        await close();
      } catch (error) {
        this.log.error({ err: error }, 'closing continues after an error');
      }
    }
  }
}

function hostLimits({
  concurrentCalls,
  inspectInterval,
  startFailure,
  startFailurePause,
  maxFailures,
  removeStrays,
  timeouts,
}: ServerConfig['hosts']) {
  const actionTimeouts = Object.fromEntries(
    Object.entries(timeouts).map(([operation, timeout]) => [operation.toUpperCase(), timeout]),
  );
  const dispatch = { ...defaultLimits.dispatch, concurrentCallsPerNode: concurrentCalls, actionTimeouts };
  const moveOnStartFailure = startFailure === 'move';
  return {
    inspectInterval,
    maxHostFailures: maxFailures,
    moveOnStartFailure,
    startFailurePause,
    removeStrays,
    dispatch,
  };
}
