/**
 * Limits concurrent database reads, so that commands, health checks and deliveries find the event loop and a connection
 * free within milliseconds. Commands are not limited here.
 */
import { Gauge, Histogram, type Registry } from 'prom-client';
import { pace } from '../api/index.ts';
import { yieldToEventLoop } from '../engine/async.ts';

/** `query`: an operation; `replay`: events for subscribers that are behind. */
export type ReadKind = 'query' | 'replay';

export interface ReadRequest {
  readonly kind: ReadKind;
  /** Reads are served round-robin by owner and by kind. */
  readonly owner: string;
  /** Cancels a waiting read. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly kind: ReadKind;
  readonly start: () => void;
}

/** Lanes are served round-robin, independent of their length. */
export class ReadTurns {
  private readonly lanes = new Map<string, Waiting[]>();
  private running = 0;

  /** `onWaited` receives the waiting time of each read (seconds), including 0. */
  constructor(
    private readonly concurrentReads: number,
    private readonly onWaited: (kind: ReadKind, seconds: number) => void = () => {},
  ) {}

  /** Number of waiting reads of a kind. */
  waiting(kind: ReadKind): number {
    let count = 0;
    for (const queue of this.lanes.values()) for (const each of queue) if (each.kind === kind) count += 1;
    return count;
  }

  /** Runs a read when its turn comes. Rejects without running it if the signal aborts first. */
  async run<T>(request: ReadRequest, read: () => T | Promise<T>): Promise<T> {
    const asked = performance.now();
    await this.begin(request);
    try {
      await pace();
      this.onWaited(request.kind, (performance.now() - asked) / 1_000);
      return await read();
    } finally {
      void yieldToEventLoop().then(() => this.end());
    }
  }

  private begin({ kind, owner, signal }: ReadRequest): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.running < this.concurrentReads) {
      this.running += 1;
      return Promise.resolve();
    }
    const lane = `${kind} ${owner}`;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        kind,
        start: () => {
          signal?.removeEventListener('abort', abandon);
          resolve();
        },
      };
      const abandon = (): void => {
        this.remove(lane, waiting);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abandon, { once: true });
      const others = this.lanes.get(lane);
      if (others) others.push(waiting);
      else this.lanes.set(lane, [waiting]);
    });
  }

  private end(): void {
    const next = this.takeNext();
    if (next) next.start();
    else this.running -= 1;
  }

  /** Takes the first read of the next lane and moves the lane to the end. */
  private takeNext(): Waiting | undefined {
    for (const [lane, queue] of this.lanes) {
      const next = queue.shift();
      this.lanes.delete(lane);
      if (queue.length > 0) this.lanes.set(lane, queue);
      return next;
    }
    return undefined;
  }

  private remove(lane: string, waiting: Waiting): void {
    const rest = (this.lanes.get(lane) ?? []).filter((each) => each !== waiting);
    if (rest.length > 0) this.lanes.set(lane, rest);
    else this.lanes.delete(lane);
  }
}

/** Read turns with metrics. */
export function measuredReadTurns(concurrentReads: number, registry: Registry): ReadTurns {
  const wait = new Histogram({
    name: 'leasegraph_read_wait_seconds',
    help: 'Time that reads waited for their turn, by kind: queries, and replays for subscribers that are behind.',
    labelNames: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const turns = new ReadTurns(concurrentReads, (kind, seconds) => wait.observe({ kind }, seconds));
  new Gauge({
    name: 'leasegraph_reads_waiting',
    help: 'Reads that wait for their turn, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const kind of ['query', 'replay'] as const) this.set({ kind }, turns.waiting(kind));
    },
  });
  return turns;
}
