import type { ExecutionResult } from 'graphql';
import { pace } from '../../../api/index.ts';
import type { Batch } from './batch.ts';
import type { Selection, Subscriber } from './selection.ts';

/** The destination of a subscription. */
export interface DeliverySink {
  /** Sends the part of a batch after `cursor`. Returns false if the reader is behind; `onReady` follows then. */
  deliver(batch: Batch, cursor: number): boolean;
  /** The reader has caught up with what was sent. */
  onReady: () => void;
  /** The subscription has come to its end. */
  complete(): void;
  /** Ends the transmission without an end of the subscription, so that the client reconnects. */
  cut(): void;
}

/** The fan-out's interface for a subscription. */
export interface SubscriptionOptions {
  /** Called when it is attached. */
  readonly open: () => Selection;
  /** Called once, if it was attached. */
  readonly closed: (selection: Selection) => void;
  readonly delivered: (results: number) => void;
  readonly fellBehind: () => void;
}

type Result = IteratorResult<ExecutionResult, undefined>;
const done: Result = { done: true, value: undefined };

/**
 * A client's subscription. Its results are pushed to the attached sink. Transports hold it as an iterator, which has no
 * elements and ends with the subscription.
 */
export class SharedSubscription implements Subscriber, AsyncGenerator<ExecutionResult, undefined, undefined> {
  private sink: DeliverySink | null = null;
  private selection: Selection | null = null;
  private over = false;
  private wake: () => void = () => {};
  private ended: () => void = () => {};
  private readonly end = new Promise<void>((resolve) => {
    this.ended = resolve;
  });

  constructor(
    public cursor: number,
    private readonly options: SubscriptionOptions,
  ) {}

  /** Starts delivery. */
  attach(sink: DeliverySink): void {
    if (this.over) return;
    this.sink = sink;
    sink.onReady = () => this.wake();
    this.selection = this.options.open();
    this.selection.subscribers.add(this);
    // A read finds out whether there is such an event anywhere; if not, it fails.
    const isAhead = !this.selection.hasReached(this.cursor);
    if (isAhead || !this.selection.join(this)) void this.catchUp(this.selection, isAhead);
  }

  deliver(batch: Batch): boolean {
    if (this.over || this.sink === null) return true;
    const { cursor } = this;
    if (batch.upTo <= cursor) return true;
    this.cursor = batch.upTo;
    if (batch.frames.length === 0) return true;
    this.options.delivered(batch.frames.length);
    if (this.sink.deliver(batch, cursor)) return true;
    this.options.fellBehind();
    void this.ready().then(() => this.selection && this.catchUp(this.selection));
    return false;
  }

  fail(batch: Batch): void {
    if (this.over) return;
    this.sink?.deliver(batch, this.cursor);
    this.sink?.complete();
    this.close();
  }

  /** The client reconnects, with the rights that it has then. */
  cut(): void {
    if (this.over) return;
    this.sink?.cut();
    this.close();
  }

  /** Reads until it has caught up; with `mustRead` once at least. */
  private async catchUp(selection: Selection, mustRead = false): Promise<void> {
    for (let isFirst = mustRead; !this.over && (isFirst || !selection.join(this)); isFirst = false) {
      let page: Batch;
      try {
        page = await selection.page(this.cursor);
        await pace();
      } catch (error) {
        // A stop aborts reads. It cuts the subscription without an error, so that its client reconnects.
        if (!this.over && !selection.isStopping) this.fail(await selection.failure(error));
        return;
      }
      if (this.over) return;
      const { cursor } = this;
      this.cursor = Math.max(cursor, page.upTo);
      if (page.frames.length === 0) continue;
      this.options.delivered(page.frames.length);
      if (!this.sink?.deliver(page, cursor)) await this.ready();
    }
  }

  private ready(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Ends it without notifying the sink. */
  close(): void {
    if (this.over) return;
    this.over = true;
    if (this.selection) {
      this.selection.leave(this);
      this.options.closed(this.selection);
    }
    this.wake();
    this.ended();
  }

  async next(): Promise<Result> {
    await this.end;
    return done;
  }

  return(): Promise<Result> {
    this.close();
    return Promise.resolve(done);
  }

  throw(error: unknown): Promise<Result> {
    this.close();
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
