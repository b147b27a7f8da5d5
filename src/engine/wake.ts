import { setMaxListeners } from 'node:events';

/** Wakes one waiter; a wake-up that comes while nobody waits is kept for the next wait. */
export class Wake {
  private pending = false;
  private waiter: (() => void) | null = null;

  notify(): void {
    this.pending = true;
    this.waiter?.();
  }

  /** Resolves at the next notification, at once if there has been one since the last wait, or when the signal aborts. */
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

/** Lets timers, sockets and promises have their turn. */
export const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A controller whose signal many may listen to without a warning that they leak. */
export const widelyHeard = (): AbortController => {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
};

/** A controller that aborts with any of the signals, until it is disposed of. */
export const linkedController = (...signals: readonly AbortSignal[]): AbortController & Disposable => {
  const controller = widelyHeard();
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
};

/** The promise's result; rejects with `reason()` when the signal aborts first. */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal, reason: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(reason());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/** Growing waits with jitter between `first` and `most` milliseconds; `attempt` counts from 1. */
export const backoff = (attempt: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(attempt - 1, 30)) * (0.5 + Math.random() / 2);
