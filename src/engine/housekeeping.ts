/** Background work: deletes expired rows and compares clocks. Errors never stop the engine. */
import type { Logger } from 'pino';
import type { Millis } from '../core/index.ts';
import { yieldToEventLoop } from './async.ts';
import type { Clock } from './clock.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import type { Store } from './ports.ts';

export interface HousekeepingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly signal: AbortSignal;
}

/** Retention times; null keeps rows forever. */
export interface Retention {
  /** Scheduler time. */
  readonly events: Millis | null;
  /** Scheduler time. */
  readonly notices: Millis | null;
  /** For finished actions; scheduler time. */
  readonly actions: Millis | null;
  /** For ended leases, once their events are deleted; scheduler time. */
  readonly leases: Millis | null;
  /** Real time. */
  readonly idempotencyKeys: Millis | null;
  /** For forwarded commands, answered or not; real time. */
  readonly commands: Millis | null;
}

/** Deletes expired rows in small batches while `isWriter`. Never rejects. */
export const keepFor = async (
  retention: Retention,
  isWriter: () => boolean,
  { store, clock, limits, log, metrics, signal }: HousekeepingOptions,
): Promise<void> => {
  const batch = limits.retentionBatch;
  const deleteOld = async (what: keyof Retention, age: Millis): Promise<number> => {
    if (what === 'events') return store.deleteEventsBefore(clock.now() - age, batch);
    if (what === 'notices') return store.deleteNoticesBefore(clock.now() - age, batch);
    // Keys and commands carry database time, so a change of the local clock does not expire them.
    const now = what === 'actions' || what === 'leases' ? clock.now() : await store.clock();
    return store.deleteBefore(what, now - age, batch);
  };
  const kept = Object.entries(retention) as [keyof Retention, Millis | null][];
  while (!signal.aborted) {
    for (const [what, age] of kept) {
      if (age === null) continue;
      try {
        for (let deleted = batch; deleted === batch && isWriter() && !signal.aborted; ) {
          deleted = await deleteOld(what, age);
          if (deleted > 0) {
            metrics.expired(what, deleted);
            log.debug({ deleted }, `old ${what} deleted`);
          }
          await yieldToEventLoop();
        }
      } catch (error) {
        log.warn({ err: error }, `old ${what} could not be deleted`);
      }
    }
    await clock.sleep(limits.retentionInterval, signal);
  }
};

/** Compares the database's clock with the machine's. Never rejects. */
export const watchSkew = async ({ store, clock, limits, log, metrics, signal }: HousekeepingOptions): Promise<void> => {
  while (!signal.aborted) {
    try {
      const before = clock.wall();
      const database = await store.clock();
      const after = clock.wall();
      // The database clock was read between the two local readings; only a difference beyond them is certain skew.
      const skew = database < before ? database - before : Math.max(0, database - after);
      metrics.skew(skew / 1_000);
      if (Math.abs(skew) > limits.skewWarning) {
        log.warn({ skew }, "the database's clock and the machine's differ");
      }
    } catch (error) {
      log.debug({ err: error }, "the database's clock could not be read");
    }
    await clock.sleep(limits.skewInterval, signal);
  }
};
