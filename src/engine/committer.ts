/** Writes a batch exactly once or not at all, retrying transient errors. */
import type { Logger } from 'pino';
import type { Millis } from '../core/index.ts';
import { backoff, sharedController, withTimeout } from './async.ts';
import type { Clock } from './clock.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import { type CommitBatch, type Store, StoreError, type WriterTerm } from './ports.ts';

export interface CommitterOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly limits: Pick<EngineLimits, 'patience' | 'timePerRow' | 'stopTimeout'>;
  /** Aborts when the engine stops: there are no more retries, and work in progress has little time left. */
  readonly signal: AbortSignal;
}

/** What one turn writes, without the commit id that the committer adds. */
export type BatchContent = Omit<CommitBatch, 'id' | 'previous'>;

/**
 * Holds the writer lock. A lost lock is taken again: if no other process has written since, plans based on the last
 * commit are still valid.
 */
export class Committer {
  /** Aborts when the stop timeout of the engine has elapsed. */
  private readonly outOfTime = sharedController();
  /** Start of the current commit. */
  private begun: number | null = null;

  constructor(
    private readonly options: CommitterOptions,
    private writer: WriterTerm,
    private previous: string | null,
  ) {
    const { clock, limits, signal } = options;
    const stopping = (): void => void clock.sleep(limits.stopTimeout / 2).then(() => this.outOfTime.abort());
    if (signal.aborted) stopping();
    else signal.addEventListener('abort', stopping, { once: true });
  }

  get epoch(): number {
    return this.writer.epoch;
  }

  /** Duration of the current commit so far (ms); 0 when there is none. */
  get age(): number {
    return this.begun === null ? 0 : this.options.clock.monotonic() - this.begun;
  }

  get lost(): AbortSignal {
    return this.writer.lost;
  }

  /** Resolves when the batch of about `rows` rows is written. Throws StoreError: TRANSIENT after too long. */
  async commit(content: BatchContent, rows: number): Promise<void> {
    const { clock, limits, metrics, store } = this.options;
    const batch: CommitBatch = { ...content, id: crypto.randomUUID(), previous: this.previous };
    const begun = clock.monotonic();
    const write = async (): Promise<void> => {
      if (this.writer.lost.aborted && (await this.renew(batch.id)) === batch.id) return;
      await store.commit(batch, this.writer);
    };
    this.begun = begun;
    try {
      await this.persist('the commit', write, limits.patience + rows * limits.timePerRow);
    } finally {
      this.begun = null;
    }
    this.previous = batch.id;
    metrics.commit((clock.monotonic() - begun) / 1_000);
  }

  /** Resolves if no other process has written since the last commit. Throws StoreError. */
  async confirm(): Promise<void> {
    await this.persist('looking for another writer', async () => {
      if (this.writer.lost.aborted) await this.renew(null);
      else await this.options.store.confirm(this.previous, this.writer);
    });
  }

  /** Takes a lost lock again. Throws StoreError: FENCED when another process holds it or has written. */
  async recover(): Promise<void> {
    await this.persist('taking the lock again', () => this.renew(null));
  }

  /**
   * Retries the work on transient errors until the retry time is over. A single attempt may take up to `attemptLimit`,
   * which may be longer. Throws StoreError.
   */
  async persist<T>(what: string, work: () => Promise<T>, attemptLimit: Millis = 0): Promise<T> {
    const { clock, limits, log, metrics, signal } = this.options;
    const giveUpAt = clock.monotonic() + limits.patience;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.inTime(work, Math.max(attemptLimit, giveUpAt - clock.monotonic()), what);
      } catch (error) {
        const failure =
          error instanceof StoreError
            ? error
            : new StoreError('PERMANENT', `${what} failed: ${String(error)}`, { cause: error });
        metrics.commitFailed(failure.kind);
        const over = clock.monotonic() >= giveUpAt || signal.aborted;
        log.warn({ err: failure, kind: failure.kind, attempt, over }, `${what} failed`);
        if (failure.kind !== 'TRANSIENT' || over) throw failure;
        await clock.sleep(Math.min(backoff(attempt, 20, 1_000), giveUpAt - clock.monotonic()), signal);
      }
    }
  }

  async release(): Promise<void> {
    await this.writer.release();
  }

  /** Whether the writer can continue: the newest commit is its own last one, or `mine`. */
  private async renew(mine: string | null): Promise<string | null> {
    const { store, log } = this.options;
    const writer = await store.acquireWriter();
    if (!writer) throw new StoreError('FENCED', 'another process has become the writer');
    this.writer = writer;
    if (writer.lastCommit !== this.previous && (mine === null || writer.lastCommit !== mine)) {
      throw new StoreError('FENCED', 'another process has written since the last commit');
    }
    log.warn({ epoch: writer.epoch }, "the writer's lock was lost and has been taken again");
    return writer.lastCommit;
  }

  /** A call that never returns, as on a half-open connection, counts as a transient error. */
  private inTime<T>(work: () => Promise<T>, limit: Millis, what: string): Promise<T> {
    return withTimeout(work, {
      clock: this.options.clock,
      duration: Math.max(1, limit),
      signal: this.outOfTime.signal,
      reason: () => new StoreError('TRANSIENT', `${what} was not answered in time`),
    });
  }
}
