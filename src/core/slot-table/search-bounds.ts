import type { Vector } from '../model/capacity.ts';
import type { Instant, Millis } from '../model/records.ts';

/** What a search looks for: so many places for machines of this need, and this much on the site as a whole. */
export interface Wanted {
  readonly machines: number;
  readonly reach: Millis;
  readonly need: Vector;
  /** By resource type. */
  readonly totals: readonly number[];
}

/** Nothing like it fits from a start in [from, until). */
interface Bound extends Wanted {
  readonly from: Instant;
  until: Instant;
}

const maxBounds = 64;

/**
 * What searches have found out: where nothing fits. Until something is given back there, nothing fits either that needs
 * as much and for as long, so that the searches for many leases, one after another, do not pass the same times again.
 */
export class SearchBounds {
  private bounds: Bound[] = [];
  /** The next one to be replaced when there are too many. */
  private oldest = 0;

  /** The first start from `from` on that is not known to be of no use. */
  firstUnknown(wanted: Wanted, from: Instant): Instant {
    let first = from;
    for (const bound of this.bounds)
      if (bound.until > first && bound.from <= first && isAsMuch(wanted, bound)) first = bound.until;
    return first;
  }

  /** A search has found that it fits from no start in [from, until). */
  note(wanted: Wanted, from: Instant, until: Instant): void {
    if (until <= from) return;
    for (const bound of this.bounds) if (bound.from <= from && bound.until >= until && isAsMuch(wanted, bound)) return;
    const { machines, reach, need, totals } = wanted;
    const noted = { machines, reach, need, totals, from, until };
    this.bounds = this.bounds.filter((bound) => bound.from < from || bound.until > until || !isAsMuch(bound, noted));
    if (this.bounds.length < maxBounds) {
      this.bounds.push(noted);
    } else {
      this.oldest = (this.oldest + 1) % maxBounds;
      this.bounds[this.oldest] = noted;
    }
  }

  /** Something is free from `start` on that was not. */
  givenBack(start: Instant): void {
    if (this.bounds.length === 0) return;
    let gone = false;
    for (const bound of this.bounds) {
      bound.until = Math.min(bound.until, start - bound.reach);
      gone ||= bound.until <= bound.from;
    }
    if (gone) this.bounds = this.bounds.filter(({ from, until }) => until > from);
  }
}

/** Whether the first needs at least what the second does, for at least as long. */
function isAsMuch(a: Wanted, b: Wanted): boolean {
  return a.machines >= b.machines && a.reach >= b.reach && isCovered(b.need, a.need) && isCovered(b.totals, a.totals);
}

function isCovered(less: readonly number[], more: readonly number[]): boolean {
  for (let i = 0; i < less.length; i += 1) if ((less[i] as number) > (more[i] as number)) return false;
  return true;
}
