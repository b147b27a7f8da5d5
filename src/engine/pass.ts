import type { Instant, Millis } from '../core/index.ts';
import { backoff, yieldToEventLoop } from './async.ts';
import type { Clock } from './clock.ts';
import type { Core } from './core.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import type { EngineStatus } from './ports.ts';
import { guarded } from './turn.ts';

/** Below this the rows hardly matter to how long writing them takes: fewer would not be written sooner. */
const minRows = 20;

/** Carries passes out in slices, over as many turns as they take. */
export class PassRunner {
  /** The last pass that was completed; null before the first. */
  last: EngineStatus['lastPass'] = null;

  private running: Iterator<void, void, Instant | undefined> | null = null;
  /** Time spent in the core on the running pass. */
  private spent: Millis = 0;
  /** Whether anything was written since the pass began that runs, or ran last. */
  private fruitful = false;
  /** What it took to write a row lately; a guess at first. */
  private rowCost: Millis = 0.1;
  private failures = 0;
  /** What keeps passes from succeeding, in words. */
  trouble: string | null = null;
  /** No pass begins before this instant. */
  private notBefore: Instant | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly limits: EngineLimits,
    private readonly metrics: EngineMetrics,
  ) {}

  /** Whether there is something to do for a pass now. */
  wanted(core: Core): boolean {
    if (this.running) return true;
    return core.needsPass && (this.notBefore === null || this.notBefore <= this.clock.now());
  }

  /** A turn was written: how long that took decides how much a pass puts into the next ones. */
  written(rows: number, took: Millis): void {
    this.fruitful = true;
    // What one turn says is mixed with what was known: a disk may have been slow for a moment.
    this.rowCost = (this.rowCost + took / Math.max(rows, minRows)) / 2;
  }

  /** Whether a whole pass has changed nothing, and nothing else changed meanwhile. */
  get inVain(): boolean {
    return this.running === null && !this.fruitful;
  }

  /** When a postponed pass may begin; null when none is. */
  retryAt(core: Core): Instant | null {
    return core.needsPass && !this.running ? this.notBefore : null;
  }

  /**
   * Goes on with the pass until it ends, the turn has as much as can be written in a short time, or `interrupted` says
   * so; for a slice when callers wait for the turn. Lets others run between slices. Throws CoreFailure.
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

  /** A turn failed, perhaps for what the pass wanted: the next one waits, longer each time, until one succeeds. */
  failed(what: string): void {
    this.abandon();
    this.failures += 1;
    this.trouble = this.failures > 1 ? `Leases cannot be planned: ${what}` : null;
    this.postpone(backoff(this.failures, this.limits.passInterval, this.limits.maxPassDelay));
  }

  /** No pass begins within the next milliseconds. */
  postpone(delay: Millis): void {
    this.notBefore = this.clock.now() + Math.ceil(delay * this.clock.speed);
  }

  /** The core is gone, and the pass with it. */
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
