import type { Instant, Millis } from '../core/index.ts';
import { backoff, yieldToEventLoop } from './async.ts';
import type { Clock } from './clock.ts';
import type { Core } from './core.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import type { EngineStatus } from './ports.ts';
import { guarded } from './turn.ts';

/** Below this number of rows, the write time hardly depends on the rows. */
const minRows = 20;

/** Runs passes in slices over as many turns as necessary. */
export class PassRunner {
  /** The last completed pass; null before the first. */
  last: EngineStatus['lastPass'] = null;

  private running: Iterator<void, void, Instant | undefined> | null = null;
  /** Core time of the running pass so far. */
  private spent: Millis = 0;
  /** Whether anything was written since the start of the current or last pass. */
  private fruitful = false;
  /** Recent write time per row; initially an estimate. */
  private rowCost: Millis = 0.1;
  private failures = 0;
  /** Why passes fail, as text. */
  trouble: string | null = null;
  /** No pass begins before this instant. */
  private notBefore: Instant | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly limits: EngineLimits,
    private readonly metrics: EngineMetrics,
  ) {}

  /** Whether a pass has work now. */
  wanted(core: Core): boolean {
    if (this.running) return true;
    return core.needsPass && (this.notBefore === null || this.notBefore <= this.clock.now());
  }

  /** A turn was written. Its write time determines how much a pass adds to the next turns. */
  written(rows: number, took: Millis): void {
    this.fruitful = true;
    // Moving average, since a disk may be slow for a moment.
    this.rowCost = (this.rowCost + took / Math.max(rows, minRows)) / 2;
  }

  /** Whether a whole pass changed nothing and nothing else changed meanwhile. */
  get inVain(): boolean {
    return this.running === null && !this.fruitful;
  }

  /** When a postponed pass may begin; null when none is postponed. */
  retryAt(core: Core): Instant | null {
    return core.needsPass && !this.running ? this.notBefore : null;
  }

  /**
   * Continues the pass until it ends, the turn holds as much as can be written quickly, or `interrupted` returns true;
   * for one slice when callers wait for the turn. Yields between slices. Throws CoreFailure.
   */
  async slices(core: Core, now: Instant, callersWait: boolean, interrupted: () => boolean): Promise<void> {
    const { maxSlicesPerTurn, turnToWrite } = this.limits;
    const maxRows = core.changedRows + Math.max(minRows, turnToWrite / this.rowCost);
    for (let taken = 0; this.wanted(core); ) {
      this.slice(core, now, maxRows);
      taken += 1;
      if (callersWait || taken >= maxSlicesPerTurn || core.changedRows >= maxRows) return;
      await yieldToEventLoop();
      if (interrupted()) return;
    }
  }

  /** A turn failed, possibly because of the pass: the next pass is delayed with backoff until a turn succeeds. */
  failed(what: string): void {
    this.abandon();
    this.failures += 1;
    this.trouble = this.failures > 1 ? `Leases cannot be planned: ${what}` : null;
    this.postpone(backoff(this.failures, this.limits.passInterval, this.limits.maxPassDelay));
  }

  /** Postpones the next pass by a number of milliseconds. */
  postpone(delay: Millis): void {
    this.notBefore = this.clock.now() + Math.ceil(delay * this.clock.speed);
  }

  /** The core was discarded, and with it the pass. */
  abandon(): void {
    this.running = null;
    this.spent = 0;
  }

  private slice(core: Core, now: Instant, maxRows: number): void {
    const begun = this.clock.monotonic();
    this.notBefore = null;
    if (this.running === null) this.fruitful = false;
    this.running ??= guarded('a pass', () => core.pass(now));
    const pass = this.running;
    let ended = false;
    while (!ended) {
      ended = guarded('a pass', () => pass.next(now).done === true);
      if (this.clock.monotonic() - begun >= this.limits.slice || core.changedRows >= maxRows) break;
    }
    this.spent += this.clock.monotonic() - begun;
    if (!ended) return;
    this.metrics.pass(this.spent / 1_000);
    this.last = { at: now, duration: Math.round(this.spent) };
    this.abandon();
    this.failures = 0;
    this.trouble = null;
  }
}
