import type { LeaseEventRecord, Millis } from '../core/index.ts';
import type { Clock } from './clock.ts';

/** Callers that wait for the committed decision on a lease: the event with which it leaves PENDING. */
export class Decisions {
  private readonly waiting = new Map<number, Set<(decided: boolean) => void>>();

  constructor(private readonly clock: Pick<Clock, 'sleep'>) {}

  /** Processes committed events. */
  committed(events: readonly LeaseEventRecord[]): void {
    if (this.waiting.size === 0) return;
    for (const { from, leaseId } of events) if (from === 'PENDING') this.settle(leaseId, true);
  }

  /** Events were skipped, possibly awaited ones. */
  skipped(): void {
    for (const leaseId of [...this.waiting.keys()]) this.settle(leaseId, false);
  }

  /** Resolves with true when the lease is decided, and with false on timeout, abort or skipped events. */
  async wait(leaseId: number, limit: Millis, signal: AbortSignal): Promise<boolean> {
    let decided = false;
    const timer = new AbortController();
    const done = (outcome: boolean): void => {
      decided = outcome;
      timer.abort();
    };
    const stop = (): void => timer.abort();
    signal.addEventListener('abort', stop, { once: true });
    const waiting = this.waiting.get(leaseId) ?? new Set();
    this.waiting.set(leaseId, waiting.add(done));
    try {
      if (!signal.aborted) await this.clock.sleep(limit, timer.signal);
      return decided;
    } finally {
      signal.removeEventListener('abort', stop);
      waiting.delete(done);
      if (waiting.size === 0 && this.waiting.get(leaseId) === waiting) this.waiting.delete(leaseId);
    }
  }

  private settle(leaseId: number, decided: boolean): void {
    const waiting = this.waiting.get(leaseId);
    this.waiting.delete(leaseId);
    for (const done of waiting ?? []) done(decided);
  }
}
