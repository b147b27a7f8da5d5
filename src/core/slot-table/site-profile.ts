import type { Instant, Millis } from '../model/records.ts';

const CHUNK = 64;

/** Consecutive points of the profile, with bounds over them so that a search can step over the whole chunk. */
interface Chunk {
  readonly times: Instant[];
  /** What is free from that time on, `width` numbers a point. */
  readonly values: number[];
  /** To be added to every value (a reservation that covers the chunk is counted here once). */
  readonly pending: number[];
  readonly min: number[];
  readonly max: number[];
}

/**
 * What is free on the whole site over time, by resource type: a step function in chunks that know their least and
 * largest values. Adding and removing a reservation, and the two searches, cost O(points / CHUNK + CHUNK). It answers
 * for the site what is necessary, not what is sufficient, for a lease to fit, and so spares most questions to the
 * nodes.
 */
export class SiteProfile {
  private readonly chunks: Chunk[];

  constructor(
    private readonly width: number,
    capacity: readonly number[],
  ) {
    this.chunks = [this.chunk([Number.NEGATIVE_INFINITY], [...capacity])];
  }

  /** Adds `sign` times the amounts over [start, end). */
  add(start: Instant, end: Instant, amounts: readonly number[], sign: 1 | -1): void {
    if (start >= end) return;
    this.split(start);
    this.split(end);
    const [first, from] = this.locate(start);
    const [last, to] = this.locate(end);
    for (let at = first; at <= last; at += 1) {
      const chunk = this.chunks[at] as Chunk;
      const low = at === first ? from : 0;
      const high = at === last ? to : chunk.times.length;
      if (low === 0 && high === chunk.times.length) {
        for (let d = 0; d < this.width; d += 1) {
          const delta = sign * (amounts[d] as number);
          chunk.pending[d] = (chunk.pending[d] as number) + delta;
          chunk.min[d] = (chunk.min[d] as number) + delta;
          chunk.max[d] = (chunk.max[d] as number) + delta;
        }
      } else if (low < high) {
        for (let d = 0; d < this.width; d += 1) {
          const delta = sign * (amounts[d] as number);
          if (delta === 0) continue;
          for (let i = low; i < high; i += 1)
            chunk.values[i * this.width + d] = (chunk.values[i * this.width + d] as number) + delta;
        }
        this.bound(chunk);
      }
    }
    this.join(end);
    this.join(start);
  }

  at(time: Instant, type: number): number {
    const [at, position] = this.locate(time);
    return this.value(this.chunks[at] as Chunk, position, type);
  }

  /**
   * The first time >= from, and before `until`, at which less than `need` is free of some type; `until` when there is
   * none.
   */
  firstBelow(from: Instant, until: Instant, need: readonly number[]): Instant {
    return this.search(
      from,
      until,
      (chunk) => this.anyBelow(chunk.min, need),
      (chunk, i) => this.isBelow(chunk, i, need),
    );
  }

  /** The first time >= from, and before `until`, at which `need` is free of every type; `until` when there is none. */
  firstEnough(from: Instant, until: Instant, need: readonly number[]): Instant {
    return this.search(
      from,
      until,
      (chunk) => !this.anyBelow(chunk.max, need),
      (chunk, i) => !this.isBelow(chunk, i, need),
    );
  }

  /**
   * The first time >= from from which `need` is free of every type for `reach`, or up to `until`; `until` (or `from`,
   * if that is later) when there is none before.
   */
  firstLasting(from: Instant, reach: Millis, until: Instant, need: readonly number[]): Instant {
    if (from >= until) return from;
    // The start of the present time without a shortage; null within a shortage.
    let start: Instant | null = from;
    const [first, position] = this.locate(from);
    for (let at = first; at < this.chunks.length; at += 1) {
      const chunk = this.chunks[at] as Chunk;
      const time = Math.max(chunk.times[0] as number, from);
      if (start !== null && time - start >= reach) return start;
      if (time >= until) return start ?? until;
      if (this.isNeverBelow(chunk, need)) {
        start ??= time;
      } else if (this.anyBelow(chunk.max, need)) {
        start = null;
      } else {
        for (let i = at === first ? position : 0; i < chunk.times.length; i += 1) {
          const here = chunk.times[i] as number;
          if (start !== null && here - start >= reach) return start;
          if (here >= until) return start ?? until;
          if (this.isBelow(chunk, i, need)) start = null;
          else start ??= Math.max(here, from);
        }
      }
    }
    return start ?? until;
  }

  /** Drops what lies before `time`. */
  forget(time: Instant): void {
    const [at, position] = this.locate(time);
    if (at > 0) this.chunks.splice(0, at);
    const chunk = this.chunks[0] as Chunk;
    if (position > 0) {
      chunk.times.splice(0, position);
      chunk.values.splice(0, position * this.width);
      this.bound(chunk);
    }
    chunk.times[0] = Number.NEGATIVE_INFINITY;
  }

  get points(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.times.length, 0);
  }

  private search(
    from: Instant,
    until: Instant,
    worthwhile: (chunk: Chunk) => boolean,
    found: (chunk: Chunk, position: number) => boolean,
  ): Instant {
    const [first, position] = this.locate(from);
    for (let at = first; at < this.chunks.length; at += 1) {
      const chunk = this.chunks[at] as Chunk;
      if ((chunk.times[0] as number) >= until) return until;
      if (!worthwhile(chunk)) continue;
      for (let i = at === first ? position : 0; i < chunk.times.length; i += 1) {
        const time = chunk.times[i] as number;
        if (time >= until) return until;
        if (found(chunk, i)) return Math.max(time, from);
      }
    }
    return until;
  }

  private anyBelow(values: readonly number[], need: readonly number[]): boolean {
    for (let d = 0; d < this.width; d += 1) if ((values[d] as number) < (need[d] as number)) return true;
    return false;
  }

  private isNeverBelow({ min }: Chunk, need: readonly number[]): boolean {
    return !this.anyBelow(min, need);
  }

  private isBelow(chunk: Chunk, position: number, need: readonly number[]): boolean {
    for (let d = 0; d < this.width; d += 1) if (this.value(chunk, position, d) < (need[d] as number)) return true;
    return false;
  }

  private value(chunk: Chunk, position: number, d: number): number {
    return (chunk.values[position * this.width + d] as number) + (chunk.pending[d] as number);
  }

  /** The chunk and position of the last point at or before a time. */
  private locate(time: Instant): [chunk: number, position: number] {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (((this.chunks[middle] as Chunk).times[0] as number) <= time) low = middle;
      else high = middle - 1;
    }
    const { times } = this.chunks[low] as Chunk;
    let left = 0;
    let right = times.length - 1;
    while (left < right) {
      const middle = (left + right + 1) >> 1;
      if ((times[middle] as number) <= time) left = middle;
      else right = middle - 1;
    }
    return [low, left];
  }

  /** Makes `time` a point. */
  private split(time: Instant): void {
    const [at, position] = this.locate(time);
    const chunk = this.chunks[at] as Chunk;
    if (chunk.times[position] === time) return;
    chunk.times.splice(position + 1, 0, time);
    const from = position * this.width;
    chunk.values.splice(from + this.width, 0, ...chunk.values.slice(from, from + this.width));
    if (chunk.times.length > CHUNK) {
      const half = CHUNK >> 1;
      const rest = this.chunk(chunk.times.splice(half), chunk.values.splice(half * this.width), chunk.pending);
      this.bound(chunk);
      this.chunks.splice(at + 1, 0, rest);
    }
  }

  /** Drops the point at `time` when nothing changes there. */
  private join(time: Instant): void {
    const [at, position] = this.locate(time);
    const chunk = this.chunks[at] as Chunk;
    if (chunk.times[position] !== time || (at === 0 && position === 0)) return;
    const before = position > 0 ? chunk : (this.chunks[at - 1] as Chunk);
    const beforePosition = position > 0 ? position - 1 : before.times.length - 1;
    for (let d = 0; d < this.width; d += 1)
      if (this.value(chunk, position, d) !== this.value(before, beforePosition, d)) return;
    chunk.times.splice(position, 1);
    chunk.values.splice(position * this.width, this.width);
    if (chunk.times.length === 0) this.chunks.splice(at, 1);
    else this.bound(chunk);
  }

  private chunk(times: Instant[], values: number[], pending?: readonly number[]): Chunk {
    const zero = new Array<number>(this.width).fill(0);
    const chunk: Chunk = {
      times,
      values,
      pending: pending ? [...pending] : [...zero],
      min: [...zero],
      max: [...zero],
    };
    this.bound(chunk);
    return chunk;
  }

  private bound(chunk: Chunk): void {
    for (let d = 0; d < this.width; d += 1) {
      let min = Number.POSITIVE_INFINITY;
      let max = Number.NEGATIVE_INFINITY;
      for (let i = d; i < chunk.values.length; i += this.width) {
        const value = chunk.values[i] as number;
        if (value < min) min = value;
        if (value > max) max = value;
      }
      chunk.min[d] = min + (chunk.pending[d] as number);
      chunk.max[d] = max + (chunk.pending[d] as number);
    }
  }
}
