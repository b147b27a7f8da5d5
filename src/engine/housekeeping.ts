/** What goes on beside the turns: old events are deleted, clocks are compared. Nothing here may stop the engine. */
import type { Logger } from 'pino';
import type { Millis } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import type { Store } from './ports.ts';
import { yieldToOthers } from './wake.ts';

export interface HousekeepingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly signal: AbortSignal;
}

/** Deletes events that are older than the retention (scheduler time), a small batch at a time, while `isWriter`. Never rejects. */
export const keepEventsFor = async (
  retention: Millis,
  isWriter: () => boolean,
  { store, clock, limits, log, metrics, signal }: HousekeepingOptions,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      for (
        let deleted = limits.retentionBatch;
        deleted === limits.retentionBatch && isWriter() && !signal.aborted;
      ) {
        deleted = await store.deleteEventsBefore(clock.now() - retention, limits.retentionBatch);
        if (deleted > 0) {
          metrics.eventsDeleted(deleted);
          log.debug({ events: deleted }, 'old events deleted');
        }
        await yieldToOthers();
      }
    } catch (error) {
      log.warn({ err: error }, 'old events could not be deleted');
    }
    await clock.sleep(limits.retentionInterval, signal);
  }
};

/** Compares the database's clock with the machine's. Never rejects. */
export const watchSkew = async ({
  store,
  clock,
  limits,
  log,
  metrics,
  signal,
}: HousekeepingOptions): Promise<void> => {
  while (!signal.aborted) {
    try {
      const before = clock.wall();
      const database = await store.clock();
      const after = clock.wall();
      // The database's clock was read somewhere between the two; only what goes beyond them is certain to be skew.
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
