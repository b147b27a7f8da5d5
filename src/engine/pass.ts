import type { Instant, Millis } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { Core } from './core.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import { guarded } from './turn.ts';
import { backoff, yieldToOthers } from './wake.ts';

/** Carries passes out in slices, over as many turns as they take. */
export class PassRunner {
  private running: Iterator<void, void, Instant | undefined> | null = null;
  /** Time spent in the core on the running pass. */
  private spent: Millis = 0;
  /** Whether anything was written since the pass began that runs, or ran last. */
  private fruitful = false;
  /** Slices in one turn: as many as can be written without others having to wait for it. */
  private share = 1;
  /** Slices in the present turn. */
  private taken = 0;
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

  /** How long it took to write the last turn decides how much the next one may hold. */
  written(took: Millis, something: boolean): void {
    const { slicesPerTurn, turnToWrite } = this.limits;
    if (something) this.fruitful = true;
    if (took > turnToWrite) this.share = Math.max(1, this.share >> 1);
    // A turn that held less says nothing about how much can be written.
    else if (took < turnToWrite / 2 && this.taken >= this.share)
      this.share = Math.min(slicesPerTurn, this.share * 2);
    this.taken = 0;
  }

  /** Whether a whole pass has changed nothing, and nothing else changed meanwhile. */
  get inVain(): boolean {
    return this.running === null && !this.fruitful;
  }

  /** When a postponed pass may begin; null when none is. */
  retryAt(core: Core): Instant | null {
    return core.needsPass && !this.running ? this.notBefore : null;
  }

  /** Goes on with the pass until it ends, the turn's share is used up, or `interrupted` says so. Lets others run between slices. Throws CoreFailure. */
  async slices(core: Core, now: Instant, interrupted: () => boolean): Promise<void> {
    const { slice } = this.limits;
    this.taken = 0;
    while (this.taken < this.share && this.wanted(core)) {
      if (this.taken > 0) {
        await yieldToOthers();
        if (interrupted()) return;
      }
      this.slice(core, now, slice);
      this.taken += 1;
    }
  }

  /** A turn failed, perhaps for what the pass wanted: the next one waits, longer each time, until one succeeds. */
  failed(what: string): void {
    this.abandon();
    this.failures += 1;
    this.trouble = this.failures > 1 ? `Leases cannot be planned: ${what}` : null;
    this.postpone(backoff(this.failures, this.limits.passInterval, this.limits.longestPassDelay));
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

  private slice(core: Core, now: Instant, budget: Millis): void {
    const begun = this.clock.monotonic();
    this.notBefore = null;
    if (this.running === null) {
      this.fruitful = false;
      this.share = 1;
    }
    this.running ??= guarded('a pass', () => core.pass(now));
    const pass = this.running;
    let ended = false;
    while (!ended) {
      ended = guarded('a pass', () => pass.next(now).done === true);
      if (this.clock.monotonic() - begun >= budget) break;
    }
    this.spent += this.clock.monotonic() - begun;
    if (!ended) return;
    this.metrics.pass(this.spent / 1_000);
    this.abandon();
    this.failures = 0;
    this.trouble = null;
  }
}
