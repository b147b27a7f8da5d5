/**
 * Scheduler time. It never decreases. Waits are split into steps of at most one second on the monotonic clock, and the
 * wall clock is read again after each step: a single long timer would overflow after 24.8 days and would not notice a
 * wall clock that was set.
 */
import type { Instant, Millis } from '../core/index.ts';

export interface Clock {
  /** Scheduler milliseconds per real millisecond. */
  readonly speed: number;
  /** The current instant of the scheduler: an integer that never decreases. */
  now(): Instant;
  /** Sets the lowest instant that may be reported; an accelerated clock counts from `origin`. */
  resume(state: { readonly origin: Instant; readonly floor: Instant }): void;
  /** Resolves when scheduler time reaches the instant, or when the signal aborts. */
  until(instant: Instant, signal: AbortSignal): Promise<void>;
  /** Resolves after a number of real milliseconds, or when the signal aborts. */
  sleep(duration: Millis, signal?: AbortSignal): Promise<void>;
  /** The system clock. */
  wall(): Instant;
  /** Real milliseconds since an arbitrary fixed instant, possibly fractional. Never decreases. */
  monotonic(): number;
}

/** The time sources of a clock. */
export interface TimeSource {
  wall(): Instant;
  monotonic(): number;
  sleep(duration: Millis, signal?: AbortSignal): Promise<void>;
}

/** The maximum duration of a timer in milliseconds. A wall clock that jumps forward is noticed within this time. */
const maxStep = 1_000;

export const machineTime: TimeSource = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (duration, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, Math.min(Math.max(0, duration), 2 ** 31 - 1));
      signal?.addEventListener('abort', finish, { once: true });
    }),
};

/**
 * With speed 1, the wall clock. With speed N, a clock that runs N times as fast since `origin`, so that a restarted
 * process continues at the same scheduler time. A wall clock that is set forward is followed at once. After a wall
 * clock was set back, scheduler time runs at half speed until the wall clock has caught up: nothing runs twice, and
 * nothing stops.
 */
export class SiteClock implements Clock {
  private origin: Instant;
  /** Scheduler time at the origin. */
  private base: number;
  private last: number;
  private lastMonotonic: number;

  constructor(
    readonly speed = 1,
    private readonly source: TimeSource = machineTime,
  ) {
    if (!Number.isFinite(speed) || speed <= 0)
      throw new RangeError(`clock speed ${speed}: a positive number is needed`);
    this.origin = source.wall();
    this.base = this.origin;
    this.last = this.origin;
    this.lastMonotonic = source.monotonic();
  }

  now(): Instant {
    const monotonic = this.source.monotonic();
    const elapsed = Math.max(0, monotonic - this.lastMonotonic) * this.speed;
    const target = this.target();
    this.last = target >= this.last ? target : this.last + elapsed / 2;
    this.lastMonotonic = monotonic;
    return Math.floor(this.last);
  }

  resume(state: { readonly origin: Instant; readonly floor: Instant }): void {
    const floor = Math.max(this.last, state.floor);
    if (this.speed !== 1) {
      this.origin = state.origin;
      this.base = state.origin;
      // The last event may be in the future if the speed was higher before: the clock then continues from there.
      this.base += Math.max(0, floor - this.target());
    }
    this.last = floor;
    this.now();
  }

  async until(instant: Instant, signal: AbortSignal): Promise<void> {
    for (let now = this.now(); now < instant && !signal.aborted; now = this.now()) {
      await this.sleep(Math.min((instant - now) / this.speed, maxStep), signal);
    }
  }

  sleep(duration: Millis, signal?: AbortSignal): Promise<void> {
    return this.source.sleep(Math.ceil(duration), signal);
  }

  wall(): Instant {
    return this.source.wall();
  }

  monotonic(): number {
    return this.source.monotonic();
  }

  private target(): number {
    const wall = this.source.wall();
    return this.speed === 1 ? wall : this.base + (wall - this.origin) * this.speed;
  }
}
