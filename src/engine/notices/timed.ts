import type { Instant } from '../../core/index.ts';
import type { NewNotice } from './notice.ts';

/** An upcoming event of which a notice is given in advance. */
export interface Upcoming {
  /** The instant that the notice announces. A change of it causes another notice. */
  readonly time: Instant;
  /** When the notice is due. */
  readonly due: Instant;
  readonly notice: NewNotice;
}

/**
 * Timed notices. Each is given exactly once, also across crashes: one instant, stored with each commit that gives a
 * timed notice, tells which have been given. All that were due by then were given in that commit or earlier, since a
 * notice that becomes due by a change is given in the commit of that change.
 */
export class TimedNotices {
  private readonly upcoming = new Map<string, Upcoming>();
  /** Due by `given` but not given yet: its cause is in the current turn. */
  private readonly overdue = new Set<string>();
  /** When the next notice is due; undefined when not computed. */
  private soonest: Instant | null | undefined = null;

  constructor(
    /** All notices due by this instant have been given. */
    public given: Instant,
  ) {}

  /** Sets the upcoming event of a key; null removes it. `isStored`: it is unchanged since the last commit. */
  set(key: string, next: Upcoming | null, isStored = false): void {
    const before = this.upcoming.get(key);
    if (before && before.due === this.soonest) this.soonest = undefined;
    if (next === null) {
      this.upcoming.delete(key);
      this.overdue.delete(key);
      return;
    }
    this.upcoming.set(key, next);
    const isAnother = !isStored && before?.time !== next.time;
    if (next.due <= this.given && isAnother) this.overdue.add(key);
    else if (next.due > this.given) {
      this.overdue.delete(key);
      if (this.soonest !== undefined && (this.soonest === null || next.due < this.soonest)) this.soonest = next.due;
    }
  }

  /** When the next notice is due; null when there is none. */
  next(): Instant | null {
    if (this.soonest === undefined) {
      this.soonest = null;
      for (const { due } of this.upcoming.values()) {
        if (due > this.given && (this.soonest === null || due < this.soonest)) this.soonest = due;
      }
    }
    return this.soonest;
  }

  /** Takes the due notices in time order. They count as given. */
  take(now: Instant): readonly NewNotice[] {
    const next = this.next();
    if (this.overdue.size === 0 && (next === null || next > now)) return [];
    const given = [...this.upcoming].filter(
      // Events that passed while no server ran need no notice any more.
      ([key, { due, time }]) => time > now && (this.overdue.has(key) || (due > this.given && due <= now)),
    );
    this.overdue.clear();
    this.given = Math.max(this.given, now);
    this.soonest = undefined;
    return given
      .sort(([a, one], [b, other]) => one.due - other.due || (a < b ? -1 : 1))
      .map(([, { notice }]) => notice);
  }
}
