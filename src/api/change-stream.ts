import type { CredentialsChange } from '../identity/index.ts';
import { type ApiContext, readAgain } from './context.ts';
import { credentialsEnded, RightsChanged } from './feed-stream.ts';
import type { Readers } from './read/readers.ts';

/** Polling interval in milliseconds. All streams poll at the same moments, so that they share statements. */
export const lookEvery = 500;

export interface Look<T> {
  /** Changes since the last poll. */
  readonly values: readonly T[];
  /** Whether nothing more can change. */
  readonly isLast?: boolean;
}

/** An element of a subscription: a value, or the error that ends it. */
export type Change<T> = { readonly value: T } | { readonly failure: unknown };

/**
 * The stream of a subscription to an object. It polls committed state at most twice per second and delivers
 * differences, so it also shows plans that change without an event.
 */
export class ChangeStream<T> implements AsyncGenerator<Change<T>, undefined, undefined> {
  private waiting: T[] = [];
  private isLast = false;
  private over = false;
  private hasLooked = false;
  private credentials: CredentialsChange | null = null;
  private wake: () => void = () => {};
  private readonly unwatch: () => void;

  constructor(
    private readonly context: ApiContext,
    private readonly look: (read: Readers) => Promise<Look<T>>,
  ) {
    this.unwatch = context.services.identity.watch.add(context.principal, (change) => {
      this.credentials = change;
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
      if (failure instanceof RightsChanged) throw failure;
      return { done: false, value: { failure } };
    }
  }

  private async refill(): Promise<void> {
    if (this.hasLooked) await this.pause();
    if (this.over) return;
    if (this.credentials === 'ended') throw credentialsEnded();
    if (this.credentials === 'changed') throw new RightsChanged();
    this.hasLooked = true;
    readAgain(this.context);
    const { values, isLast = false } = await this.look(this.context.read);
    this.waiting = [...values];
    this.isLast = isLast;
  }

  /** Waits until the next common poll. */
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
