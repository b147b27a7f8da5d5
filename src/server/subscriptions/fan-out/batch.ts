import { eventFrame } from '../event-frame.ts';

/** A serialized result of one event. */
export interface Frame {
  /** Null for the error that ends a subscription. */
  readonly sequence: number | null;
  /** JSON. */
  readonly payload: string;
}

/** Results for many subscribers, serialized once; event streams share one buffer. */
export class Batch {
  private buffer: Buffer | null = null;

  constructor(
    readonly frames: readonly Frame[],
    /** A subscriber that received the batch has received everything up to this sequence number. */
    readonly upTo: number,
  ) {}

  /** The part that a subscriber at `cursor` is missing. */
  after(cursor: number): readonly Frame[] {
    const [first] = this.frames;
    if (first === undefined || first.sequence === null || first.sequence > cursor) return this.frames;
    return this.frames.filter(({ sequence }) => sequence === null || sequence > cursor);
  }

  /** The same as server-sent events. */
  eventsAfter(cursor: number): Buffer {
    const frames = this.after(cursor);
    if (frames !== this.frames) return encode(frames);
    this.buffer ??= encode(frames);
    return this.buffer;
  }
}

function encode(frames: readonly Frame[]): Buffer {
  return Buffer.from(frames.map(({ sequence, payload }) => eventFrame(payload, sequence ?? undefined)).join(''));
}
