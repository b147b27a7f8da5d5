import type { FeedRecord } from '../../../api/index.ts';
import type { Feed } from '../../../engine/ports.ts';
import type { Selection } from './selection.ts';

/** A committed sequence and its selections. It is read only while there are subscribers. */
export class LiveFeed<R extends FeedRecord> {
  readonly selections = new Map<string, Selection<R>>();
  /** Everything up to here has been passed to the selections. */
  position = 0;
  /** Ends the live stream; null without subscribers. */
  private reading: AbortController | null = null;
  private subscriptions = 0;

  constructor(
    private readonly feed: Feed<R>,
    private readonly signal: AbortSignal,
    /** Called with each record as it comes. */
    private readonly onRecord: (record: R) => void,
  ) {
    signal.addEventListener('abort', () => this.stop(), { once: true });
  }

  get last(): number {
    return this.feed.last;
  }

  get subscribers(): number {
    return this.subscriptions;
  }

  /** Lag of the slowest subscriber. */
  get lag(): number {
    let lag = 0;
    for (const { subscribers } of this.selections.values()) {
      for (const { cursor } of subscribers) lag = Math.max(lag, this.last - cursor);
    }
    return lag;
  }

  /** Records waiting for delivery, over all selections. */
  get pending(): number {
    let sum = 0;
    for (const { waiting } of this.selections.values()) sum += waiting;
    return sum;
  }

  /** Adds a subscriber: returns the selection with this key, creating it if necessary. */
  enter(key: string, make: (position: number) => Selection<R>): Selection<R> {
    this.subscriptions += 1;
    this.start();
    const known = this.selections.get(key);
    if (known) return known;
    const selection = make(this.position);
    this.selections.set(key, selection);
    return selection;
  }

  /** A subscriber has left the selection. */
  leave(key: string, selection: Pick<Selection<R>, 'subscribers'>): void {
    this.subscriptions -= 1;
    if (selection.subscribers.size === 0) this.selections.delete(key);
    if (this.subscriptions === 0) this.stop();
  }

  private start(): void {
    if (this.reading !== null || this.signal.aborted) return;
    const reading = new AbortController();
    this.reading = reading;
    this.position = this.feed.last;
    void this.pump(this.feed.subscribe({ after: this.position, signal: reading.signal })).catch((error: unknown) => {
      if (reading.signal.aborted) return;
      this.stop();
      for (const selection of this.selections.values()) void selection.fail(error);
    });
  }

  private stop(): void {
    this.reading?.abort();
    this.reading = null;
  }

  private async pump(records: AsyncIterable<R>): Promise<void> {
    const { reading } = this;
    for await (const record of records) {
      if (this.reading !== reading) return;
      this.position = record.sequence;
      this.onRecord(record);
      for (const selection of this.selections.values()) selection.push(record);
    }
  }
}
