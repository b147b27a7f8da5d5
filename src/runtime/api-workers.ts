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
  /** Metrics of this process, which workers show with their own and each other's. */
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
/** Which of the workers a process is: 1 and up. */
const slotVariable = 'LEASEGRAPH_API_WORKER';

/** What a worker and the process that started it say to each other. `asked`: the number of a question. */
type FromWorker =
  | { readonly type: 'leasegraph-ready'; readonly url: string }
  /** Asks for the metrics of all others. */
  | { readonly type: 'leasegraph-ask'; readonly asked: number }
  | { readonly type: 'leasegraph-own'; readonly asked: number; readonly metrics: Metrics };
type ToWorker =
  | { readonly type: 'leasegraph-share'; readonly asked: number }
  | { readonly type: 'leasegraph-others'; readonly asked: number; readonly metrics: readonly Metrics[] };

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

  const questions = new Questions();
  const live = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  /** Metrics of this process and of all workers but one, as far as they answer in time. */
  const othersOf = async (asking: Worker): Promise<readonly Metrics[]> => {
    const others = live()
      .filter((worker) => worker !== asking && worker.isConnected())
      .map((worker) =>
        questions.ask<Metrics>((asked) => worker.send({ type: 'leasegraph-share', asked } satisfies ToWorker)),
      );
    const all = await Promise.all([metrics(), ...others]);
    return all.filter((each) => each !== null);
  };

  const startWorker = (slot: number): Worker => {
    const worker = cluster.fork({ ...environment, [slotVariable]: String(slot) });
    const started = performance.now();
    worker.on('message', (message: FromWorker) => {
      if (typeOf(message) === 'leasegraph-own') questions.answer(message as Asked);
      if (typeOf(message) !== 'leasegraph-ask') return;
      const { asked } = message as Asked;
      void othersOf(worker).then(
        (others) =>
          worker.isConnected() && worker.send({ type: 'leasegraph-others', asked, metrics: others } satisfies ToWorker),
      );
    });
    worker.on('exit', (code, signal) => {
      if (stopping || !replacing) return;
      log.error({ worker: worker.process.pid, code, signal }, 'an API worker has ended; another one is started');
      const lived = performance.now() - started;
      setTimeout(() => !stopping && startWorker(slot), lived < minLifetime ? 1_000 : 0).unref();
    });
    return worker;
  };

  let replacing = false;
  const first = startWorker(1);
  const url = await new Promise<string>((resolve, reject) => {
    first.on('message', (message: FromWorker) => {
      if (message.type === 'leasegraph-ready') resolve(message.url);
    });
    first.once('exit', (code) => reject(new Error(`an API worker could not be started (exit status ${code})`)));
  });
  replacing = true;
  for (let slot = 2; slot <= count; slot += 1) startWorker(slot);
  return {
    url,
    stop: async () => {
      stopping = true;
      await Promise.all(
        live().map(async (worker) => {
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

/** The name of this worker in metrics; null for other processes. One that replaces another has the same name. */
export function workerName(): string | null {
  return cluster.isWorker ? `api-${process.env[slotVariable]}` : null;
}

/** How long the metrics of other processes are waited for (ms): theirs, and those of all together. */
const shareTimeout = 500;
const othersTimeout = 1_000;

interface Asked {
  readonly asked: number;
  readonly metrics: unknown;
}

/** Questions to other processes that have not been answered. */
class Questions {
  private readonly open = new Map<number, (metrics: never) => void>();
  private last = 0;

  /** Null when there is no answer in time. */
  ask<T>(send: (asked: number) => void, timeout = shareTimeout): Promise<T | null> {
    this.last += 1;
    const asked = this.last;
    return new Promise((resolve) => {
      const settle = (metrics: T | null): void => {
        clearTimeout(timer);
        this.open.delete(asked);
        resolve(metrics);
      };
      const timer = setTimeout(() => settle(null), timeout);
      this.open.set(asked, settle);
      send(asked);
    });
  }

  answer({ asked, metrics }: Asked): void {
    this.open.get(asked)?.(metrics as never);
  }
}

const questions = new Questions();

/** Has this worker tell its metrics to others. Other processes are left alone. */
export function shareMetrics(own: () => Promise<Metrics>): void {
  if (!cluster.isWorker) return;
  process.on('message', (message: ToWorker) => {
    if (typeOf(message) === 'leasegraph-others') questions.answer(message as Asked);
    if (typeOf(message) !== 'leasegraph-share') return;
    void own().then((metrics) =>
      process.send?.({ type: 'leasegraph-own', asked: message.asked, metrics } satisfies FromWorker),
    );
  });
}

/** Metrics of the process that started this one, and of its other workers; none when this is no worker. */
export async function metricsOfOthers(): Promise<readonly Metrics[]> {
  if (!cluster.isWorker) return [];
  const others = await questions.ask<readonly Metrics[]>(
    (asked) => process.send?.({ type: 'leasegraph-ask', asked } satisfies FromWorker),
    othersTimeout,
  );
  return others ?? [];
}
