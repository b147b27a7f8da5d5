/**
 * Reads of the database wait here for their turn: a few are under way at a time, so that the event loop and the
 * connections to the database are free for commands, health checks and deliveries within milliseconds. Commands do not
 * wait here.
 */
import { pace } from '../api/index.ts';
import { yieldToEventLoop } from '../engine/async.ts';

interface Waiting {
  readonly start: () => void;
}

/** Each lane has its turn after the others, however many wait in it. */
export class ReadTurns {
  private readonly lanes = new Map<string, Waiting[]>();
  private running = 0;

  constructor(private readonly concurrentReads: number) {}

  /** Reads that wait. */
  get waiting(): number {
    let sum = 0;
    for (const { length } of this.lanes.values()) sum += length;
    return sum;
  }

  /** Runs a read in its turn. Rejects without running it when the signal aborts first. */
  async run<T>(lane: string, read: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.begin(lane, signal);
    await pace();
    try {
      return await read();
    } finally {
      void yieldToEventLoop().then(() => this.end());
    }
  }

  private begin(lane: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.running < this.concurrentReads) {
      this.running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
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

  /** The first of the lane whose turn it is, which goes behind all others. */
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
