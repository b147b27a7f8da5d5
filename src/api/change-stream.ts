import { type ApiContext, readAgain } from './context.ts';
import { credentialsEnded } from './feed-stream.ts';
import type { Readers } from './read/readers.ts';

/** Milliseconds between two looks. All streams look at the same moments, so that they share statements. */
export const lookEvery = 500;

export interface Look<T> {
  /** What has changed since the last look. */
  readonly values: readonly T[];
  /** Whether nothing more can change. */
  readonly isLast?: boolean;
}

/** An element of a subscription: a value, or the error that ends it. */
export type Change<T> = { readonly value: T } | { readonly failure: unknown };

/**
 * What a subscription to an object delivers: it looks at what has been committed, at most twice per second, and
 * delivers what differs from the look before. So it also shows plans that change without an event.
 */
export class ChangeStream<T> implements AsyncGenerator<Change<T>, undefined, undefined> {
  private waiting: T[] = [];
  private isLast = false;
  private over = false;
  private hasLooked = false;
  private hasCredentials = true;
  private wake: () => void = () => {};
  private readonly unwatch: () => void;

  constructor(
    private readonly context: ApiContext,
    private readonly look: (read: Readers) => Promise<Look<T>>,
  ) {
    this.unwatch = context.services.identity.watch.add(context.principal, () => {
      this.hasCredentials = false;
      this.wake();
    });
  }

  async next(): Promise<IteratorResult<Change<T>, undefined>> {
    try {
      while (!this.over) {
        const value = this.waiting.shift();
        if (value !== undefined) return { done: false, value: { value } };
        if (this.isLast) break;
        await this.refill();
      }
      return await this.return();
    } catch (failure) {
      await this.return();
      return { done: false, value: { failure } };
    }
  }

  private async refill(): Promise<void> {
    if (this.hasLooked) await this.pause();
    if (this.over) return;
    if (!this.hasCredentials) throw credentialsEnded();
    this.hasLooked = true;
    readAgain(this.context);
    const { values, isLast = false } = await this.look(this.context.read);
    this.waiting = [...values];
    this.isLast = isLast;
  }

  /** Until the next moment at which all streams look. */
  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, lookEvery - (performance.now() % lookEvery));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.over = true;
    this.unwatch();
    this.wake();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
