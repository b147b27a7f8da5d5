import type { Instant, Millis } from '../../src/core/index.ts';
import type { Clock } from '../../src/engine/clock.ts';

interface Waiter {
  readonly due: number;
  /** Waits for an instant, so it looks again when the wall clock is set. */
  readonly forInstant: boolean;
  readonly wake: () => void;
}

/**
 * A clock that stands still until it is told to go on, for tests. With speed 1 real time and scheduler time are one; with
 * another, scheduler time counts from when the clock was made.
 */
export class ManualClock implements Clock {
  private readonly waiters = new Set<Waiter>();
  /** Real milliseconds since the clock was made; never set back. */
  private elapsed = 0;
  private last: Instant;

  private readonly origin: Instant;

  constructor(
    private time: Instant,
    readonly speed = 1,
  ) {
    this.last = time;
    this.origin = time;
  }

  now(): Instant {
    this.last = Math.max(this.last, this.origin + Math.floor((this.time - this.origin) * this.speed));
    return this.last;
  }

  resume(state: { readonly floor: Instant }): void {
    this.last = Math.max(this.last, state.floor);
  }

  async until(instant: Instant, signal: AbortSignal): Promise<void> {
    while (this.now() < instant && !signal.aborted) await this.wait((instant - this.now()) / this.speed, true, signal);
  }

  sleep(duration: Millis, signal?: AbortSignal): Promise<void> {
    return this.wait(duration, false, signal);
  }

  private wait(duration: Millis, forInstant: boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || duration <= 0) return resolve();
      const waiter: Waiter = {
        due: this.elapsed + duration,
        forInstant,
        wake: () => {
          this.waiters.delete(waiter);
          signal?.removeEventListener('abort', waiter.wake);
          resolve();
        },
      };
      this.waiters.add(waiter);
      signal?.addEventListener('abort', waiter.wake, { once: true });
    });
  }

  wall(): Instant {
    return this.time;
  }

  monotonic(): number {
    return this.elapsed;
  }

  /** Lets time pass; wakes who waits for an instant that has come. */
  advance(duration: Millis): void {
    this.elapsed += duration;
    this.time += duration;
    for (const waiter of [...this.waiters]) if (waiter.due <= this.elapsed) waiter.wake();
  }

  /** Sets the wall clock, forward or back, as an administrator would; waits go on by the monotonic clock. */
  set(instant: Instant): void {
    this.time = instant;
    for (const waiter of [...this.waiters]) if (waiter.forInstant) waiter.wake();
  }

  /** How many waits are going on. */
  get waiting(): number {
    return this.waiters.size;
  }
}
