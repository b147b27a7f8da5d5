/** Processes that answer on one port beside the process that schedules. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Metrics } from './messages.ts';

export interface ApiWorkersOptions {
  readonly count: number;
  /** The arguments of the program, and the environment of each worker. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  /** Metrics of this process, which workers show with their own. */
  readonly metrics: () => Promise<Metrics>;
}

export interface ApiWorkers {
  /** The address that they answer on. */
  readonly url: string;
  /** Lets each finish its requests and cut its subscriptions. */
  stop(): Promise<void>;
}

/** A worker that ends sooner than this after its start is started again only after a while (ms). */
const minLifetime = 5_000;

/** What a worker and the process that started it say to each other. */
type FromWorker =
  | { readonly type: 'leasegraph-ready'; readonly url: string }
  | { readonly type: 'leasegraph-metrics'; readonly id: number };
interface ToWorker {
  readonly type: 'leasegraph-metrics';
  readonly id: number;
  readonly metrics: Metrics;
}

function typeOf(message: unknown): string | null {
  return typeof message === 'object' && message !== null && 'type' in message ? String(message.type) : null;
}

/**
 * Starts the workers, and resolves when one of them answers. A worker that dies is replaced. Rejects when the first one
 * ends first.
 */
export async function startApiWorkers({
  count,
  args,
  environment,
  log,
  metrics,
}: ApiWorkersOptions): Promise<ApiWorkers> {
  // Workers accept connections themselves: one that was handed to a worker that dies would never be answered.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ args: [...args] });
  let stopping = false;

  const startWorker = (): Worker => {
    const worker = cluster.fork({ ...environment });
    const started = performance.now();
    worker.on('message', (message: FromWorker) => {
      if (typeOf(message) !== 'leasegraph-metrics') return;
      const { id } = message as Extract<FromWorker, { id: number }>;
      void metrics().then((own) =>
        worker.send({ type: 'leasegraph-metrics', id, metrics: own } satisfies ToWorker),
      );
    });
    worker.on('exit', (code, signal) => {
      if (stopping || !replacing) return;
      log.error(
        { worker: worker.process.pid, code, signal },
        'an API worker has ended; another one is started',
      );
      const lived = performance.now() - started;
      setTimeout(() => !stopping && startWorker(), lived < minLifetime ? 1_000 : 0).unref();
    });
    return worker;
  };

  let replacing = false;
  const first = startWorker();
  const url = await new Promise<string>((resolve, reject) => {
    first.on('message', (message: FromWorker) => {
      if (message.type === 'leasegraph-ready') resolve(message.url);
    });
    first.once('exit', (code) =>
      reject(new Error(`an API worker could not be started (exit status ${code})`)),
    );
  });
  replacing = true;
  for (let index = 1; index < count; index += 1) startWorker();
  return {
    url,
    stop: async () => {
      stopping = true;
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(
        workers.map(async (worker) => {
          const ended = once(worker, 'exit');
          worker.process.kill('SIGTERM');
          await ended;
        }),
      );
    },
  };
}

/** Whether this process is one of them. */
export const isApiWorker = (): boolean => cluster.isWorker;

/** Tells the process that started this one as a worker that it answers. */
export function announceReady(url: string): void {
  if (cluster.isWorker) process.send?.({ type: 'leasegraph-ready', url } satisfies FromWorker);
}

/** Lets a worker end: until then its channel to the process that started it keeps it. */
export function leavePrimary(): void {
  if (process.connected) process.disconnect?.();
}

/** How long a worker waits for the metrics of the process that started it (ms). */
const metricsTimeout = 1_000;
let lastId = 0;

/** Metrics of the process that started this one; null when this is no worker, or there is no answer in time. */
export async function metricsOfPrimary(): Promise<Metrics | null> {
  if (!cluster.isWorker) return null;
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    const settle = (metrics: Metrics | null): void => {
      clearTimeout(timer);
      process.off('message', listen);
      resolve(metrics);
    };
    const listen = (message: ToWorker): void => {
      if (typeOf(message) === 'leasegraph-metrics' && message.id === id) settle(message.metrics);
    };
    const timer = setTimeout(() => settle(null), metricsTimeout);
    process.on('message', listen);
    process.send?.({ type: 'leasegraph-metrics', id } satisfies FromWorker);
  });
}
