import type { Vector } from '../model/capacity.ts';
import type { Lease } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';

/** A lease holds the amounts on one node over [start, end), without interruption. */
export interface Hold {
  /** Null: the node may not be used, so its whole capacity is held. */
  readonly lease: Lease | null;
  readonly start: Instant;
  readonly end: Instant;
  readonly amounts: Vector;
  /** Whether it counts as used in the profile of the whole site. */
  readonly counted: boolean;
}

/** [start, end). */
export interface Interval {
  readonly start: Instant;
  readonly end: Instant;
}

/** From `time` to the next segment's: what is free on the node, and which leases hold the rest. */
export interface Segment {
  time: Instant;
  readonly free: number[];
  readonly holds: Hold[];
}

/**
 * What is free on one node over time. The profile is changed in place by each hold; the number of segments is at most
 * twice the number of holds that end in the future. Queries find their segment by bisection and walk only as far as the
 * answer lies.
 */
export class NodeProfile {
  /** Ascending; the first reaches back to the beginning of time. */
  readonly segments: Segment[];
  /** The times of the segments: bisection reads one array of numbers, not many objects. */
  private readonly times: Instant[] = [Number.NEGATIVE_INFINITY];
  /** Where the last question was answered: the next one is mostly about the same time. */
  private lastIndex = 0;
  /** When the node may not be used: ascending, apart from each other. */
  unavailable: readonly Interval[] = [];
  private closures: readonly Hold[] = [];

  constructor(
    readonly number: number,
    readonly capacity: Vector,
  ) {
    this.segments = [{ time: Number.NEGATIVE_INFINITY, free: [...capacity], holds: [] }];
  }

  /** Closes the node over these intervals: nothing more fits there, whatever is held. */
  close(intervals: readonly Interval[]): void {
    for (const hold of this.closures) this.remove(hold);
    this.unavailable = intervals;
    this.closures = intervals.map(({ start, end }) => ({
      lease: null,
      start,
      end,
      amounts: this.capacity,
      counted: false,
    }));
    for (const hold of this.closures) this.add(hold);
  }

  /** Whether the node may be used throughout [from, to). */
  isOpen(from: Instant, to: Instant): boolean {
    return !this.unavailable.some(({ start, end }) => start < to && end > from);
  }

  /** What leases hold now and later. */
  holds(): Set<Hold> {
    return new Set(this.segments.flatMap(({ holds }) => holds.filter(({ lease }) => lease !== null)));
  }

  add(hold: Hold): void {
    const start = this.split(hold.start);
    const end = this.split(hold.end);
    for (let i = start; i < end; i += 1) {
      const segment = this.segments[i] as Segment;
      subtract(segment.free, hold.amounts);
      segment.holds.push(hold);
    }
  }

  remove(hold: Hold): void {
    // A boundary in the forgotten past is gone; the first segment replaces it.
    const start = this.indexAt(hold.start);
    let end = start;
    while (end < this.segments.length && (this.segments[end] as Segment).time < hold.end) {
      const segment = this.segments[end] as Segment;
      const at = segment.holds.indexOf(hold);
      if (at >= 0) {
        add(segment.free, hold.amounts);
        segment.holds.splice(at, 1);
      }
      end += 1;
    }
    this.join(end);
    this.join(start);
  }

  /** Drops what lies before `time`. */
  forget(time: Instant): void {
    const at = this.indexAt(time);
    if (at === 0) return;
    this.segments.splice(0, at);
    this.times.splice(0, at);
    (this.segments[0] as Segment).time = Number.NEGATIVE_INFINITY;
    this.times[0] = Number.NEGATIVE_INFINITY;
  }

  /** The segment in force at a time. */
  indexAt(time: Instant): number {
    const { lastIndex, times } = this;
    if (lastIndex < times.length && (times[lastIndex] as Instant) <= time) {
      if (lastIndex + 1 === times.length || (times[lastIndex + 1] as Instant) > time) return lastIndex;
    }
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((times[middle] as Instant) <= time) low = middle;
      else high = middle - 1;
    }
    this.lastIndex = low;
    return low;
  }

  freeAt(time: Instant): Vector {
    return (this.segments[this.indexAt(time)] as Segment).free;
  }

  /** When, after `time`, what is free or the set of leases first differs from what it is then; Infinity if never. */
  unchangedUntil(time: Instant): Instant {
    const { segments } = this;
    const at = this.indexAt(time);
    const present = segments[at] as Segment;
    for (let i = at + 1; i < segments.length; i += 1) {
      const segment = segments[i] as Segment;
      if (!sameAmounts(segment.free, present.free) || !sameLeases(segment.holds, present.holds)) return segment.time;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** How many leases hold something at a time, counted up to `max`. */
  leaseCount(time: Instant, max: number): number {
    const { holds } = this.segments[this.indexAt(time)] as Segment;
    if (holds.length < 2) return holds.length;
    let count = 0;
    for (let i = 0; i < holds.length && count < max; i += 1) {
      let seen = false;
      for (let j = 0; j < i && !seen; j += 1) seen = holds[j]?.lease === holds[i]?.lease;
      if (!seen) count += 1;
    }
    return count;
  }

  private split(time: Instant): number {
    const at = this.indexAt(time);
    const segment = this.segments[at] as Segment;
    if (segment.time === time) return at;
    this.segments.splice(at + 1, 0, { time, free: [...segment.free], holds: [...segment.holds] });
    this.times.splice(at + 1, 0, time);
    return at + 1;
  }

  private join(at: number): void {
    const segment = this.segments[at];
    const before = this.segments[at - 1];
    if (!segment || !before || segment.holds.length !== before.holds.length) return;
    for (const hold of segment.holds) if (!before.holds.includes(hold)) return;
    this.segments.splice(at, 1);
    this.times.splice(at, 1);
  }
}

/** What would be free if one lease were gone. */
export function freeWithout({ free, holds }: Segment, lease: Lease): Vector {
  let without: number[] | null = null;
  for (const hold of holds) {
    if (hold.lease !== lease) continue;
    without ??= [...free];
    add(without, hold.amounts);
  }
  return without ?? free;
}

const subtract = (free: number[], amounts: Vector): void => {
  for (let d = 0; d < free.length; d += 1) free[d] = (free[d] as number) - (amounts[d] as number);
};

const add = (free: number[], amounts: Vector): void => {
  for (let d = 0; d < free.length; d += 1) free[d] = (free[d] as number) + (amounts[d] as number);
};

const sameAmounts = (a: Vector, b: Vector): boolean => {
  for (let d = 0; d < a.length; d += 1) if (a[d] !== b[d]) return false;
  return true;
};

const sameLeases = (a: readonly Hold[], b: readonly Hold[]): boolean => areAmong(a, b) && areAmong(b, a);

/** Whether the leases of the first also have the others. */
function areAmong(some: readonly Hold[], others: readonly Hold[]): boolean {
  for (const { lease } of some) {
    let found = false;
    for (let i = 0; i < others.length && !found; i += 1) found = others[i]?.lease === lease;
    if (!found) return false;
  }
  return true;
}
