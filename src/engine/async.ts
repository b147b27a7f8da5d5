/** Asynchronous primitives of the engine: wake-ups, aborts, timeouts, backoff and bounded concurrency. */
import { setMaxListeners } from 'node:events';

/** Wakes one waiter. A notification without a waiter is kept for the next wait. */
export class Wake {
  private pending = false;
  private waiter: (() => void) | null = null;

  notify(): void {
    this.pending = true;
    this.waiter?.();
  }

  /**
   * Resolves at the next notification, at once if there has been one since the last wait, or when the signal aborts.
   */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        this.waiter = null;
        this.pending = false;
        signal.removeEventListener('abort', finish);
        resolve();
      };
      if (this.pending || signal.aborted) return finish();
      this.waiter = finish;
      signal.addEventListener('abort', finish, { once: true });
    });
  }
}

/** Limits the number of concurrent tasks. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves in call order with a function that releases the permit. Releasing twice is harmless. */
  async acquire(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resume) => this.waiting.push(resume));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    };
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await task();
    } finally {
      release();
    }
  }
}

/** Yields to timers, sockets and promises. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A controller whose signal accepts any number of listeners without a leak warning. */
export function sharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** A controller that aborts when any of the signals aborts, until it is disposed. */
export function linkedController(...signals: readonly AbortSignal[]): AbortController & Disposable {
  const controller = sharedController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  return Object.assign(controller, {
    [Symbol.dispose]: () => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  });
}

/** The promise's result; rejects with `reason()` when the signal aborts first. */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal, reason: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(reason());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export interface TimeLimit {
  readonly clock: { sleep(duration: number, signal?: AbortSignal): Promise<void> };
  /** Milliseconds of real time. */
  readonly duration: number;
  /** Aborts the work early. */
  readonly signal?: AbortSignal;
  /** Creates the rejection for a timeout or an abort. */
  readonly reason: () => Error;
}

/** Returns the result of the work. On timeout or abort, aborts the signal of the work and stops waiting for it. */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, duration, signal, reason }: TimeLimit,
): Promise<T> {
  using limit = linkedController(...(signal ? [signal] : []));
  const timer = new AbortController();
  void clock.sleep(duration, timer.signal).then(() => {
    if (!timer.signal.aborted) limit.abort();
  });
  try {
    return await raceAbort(work(limit.signal), limit.signal, reason);
  } finally {
    timer.abort();
  }
}

/** Exponential backoff with jitter, from `min` to `max` milliseconds; `attempt` starts at 1. */
export function backoff(attempt: number, min: number, max: number): number {
  return Math.min(max, min * 2 ** Math.min(attempt - 1, 30)) * (0.5 + Math.random() / 2);
}
