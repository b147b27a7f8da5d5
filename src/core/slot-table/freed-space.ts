import type { Instant } from '../model/records.ts';

/** Something was given back on a node within [start, end). */
export interface FreedSpan {
  readonly start: Instant;
  readonly end: Instant;
}

/**
 * Where something was given back, in this round of looking and in the one before: who looks in every round has then missed nothing, wherever in
 * the round its turn came. A search that found nothing need only look again there.
 */
export class FreedSpace {
  private round = 1;
  /** By node: ascending, apart from each other. */
  private present = new Map<number, readonly FreedSpan[]>();
  private previous = new Map<number, readonly FreedSpan[]>();

  /** What lies before `now` is of no use any more, and forgotten. Returns how to take it back. */
  add(start: Instant, end: Instant, nodes: Iterable<number>, now: Instant): () => void {
    const from = Math.max(start, now);
    const replaced: [number, readonly FreedSpan[] | undefined][] = [];
    for (const node of from < end ? nodes : []) {
      const before = this.present.get(node);
      replaced.push([node, before]);
      const known = (before ?? []).filter((span) => span.end > now);
      this.present.set(node, withSpan(known, from, end));
    }
    return () => {
      for (const [node, before] of replaced) {
        if (before) this.present.set(node, before);
        else this.present.delete(node);
      }
    };
  }

  /** To be remembered by who has looked now. */
  get seal(): number {
    return this.round;
  }

  /** What was given back since somebody looked who holds the seal, provided that it `remembers` it. */
  *since(seal: number): Generator<readonly [node: number, spans: readonly FreedSpan[]]> {
    if (seal < this.round) yield* this.previous;
    yield* this.present;
  }

  remembers(seal: number): boolean {
    return seal >= this.round - 1;
  }

  /** Everybody has had a turn. */
  nextRound(): void {
    this.round += 1;
    this.previous = this.present;
    this.present = new Map();
  }
}

const withSpan = (spans: readonly FreedSpan[], start: Instant, end: Instant): FreedSpan[] => {
  const touching = spans.filter((span) => span.start <= end && span.end >= start);
  const before = spans.filter((span) => span.end < start);
  const after = spans.filter((span) => span.start > end);
  const first = touching[0]?.start ?? start;
  const last = touching.at(-1)?.end ?? end;
  return [...before, { start: Math.min(first, start), end: Math.max(last, end) }, ...after];
};
