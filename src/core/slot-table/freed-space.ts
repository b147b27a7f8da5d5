import type { Instant } from '../model/records.ts';

/** Something was given back on some nodes over [start, end). */
export interface FreedSpan {
  readonly start: Instant;
  readonly end: Instant;
  readonly nodes: readonly number[];
}

/** More than a round of re-evaluation gives back. Beyond it the oldest are forgotten. */
const maxRemembered = 20_000;

/**
 * What was given back, in the order in which it was. A lease that looks for an earlier place remembers how far it has
 * seen (its seal); next time only what was given back since then can be of use to it. What every lease has seen is
 * dropped round by round.
 */
export class FreedSpace {
  private spans: FreedSpan[] = [];
  /** How many were dropped: the seal of the first one that is left. */
  private dropped = 0;
  private roundBegan = 0;

  /** What lies before `now` is of no use any more. Returns how to take it back. */
  add(start: Instant, end: Instant, nodes: Iterable<number>, now: Instant): () => void {
    const from = Math.max(start, now);
    if (from >= end) return () => {};
    const before = this.seal;
    this.spans.push({ start: from, end, nodes: [...nodes] });
    if (this.spans.length > maxRemembered) this.drop(maxRemembered / 2);
    return () => {
      this.spans.length = Math.max(0, before - this.dropped);
    };
  }

  /** To be remembered by a lease that has looked now. */
  get seal(): number {
    return this.dropped + this.spans.length;
  }

  /** Whether everything that was given back after the seal is still known. */
  remembers(seal: number): boolean {
    return seal >= this.dropped;
  }

  /** What was given back after the seal. */
  since(seal: number): readonly FreedSpan[] {
    return this.spans.slice(seal - this.dropped);
  }

  /** Every lease has looked since the last call: what it could see then is dropped. Returns how to take it back. */
  nextRound(): () => void {
    const { spans, dropped, roundBegan } = this;
    this.drop(this.roundBegan - this.dropped);
    this.roundBegan = this.seal;
    return () => {
      this.spans = spans;
      this.dropped = dropped;
      this.roundBegan = roundBegan;
    };
  }

  private drop(count: number): void {
    if (count <= 0) return;
    this.spans = this.spans.slice(count);
    this.dropped += count;
  }
}
