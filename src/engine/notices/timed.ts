import type { Instant } from '../../core/index.ts';
import type { NewNotice } from './notice.ts';

/** Something that a notice is given of ahead of its time. */
export interface Upcoming {
  /** The instant that the notice is about. When it changes, there is another notice. */
  readonly time: Instant;
  /** When the notice is to be given. */
  readonly due: Instant;
  readonly notice: NewNotice;
}

/**
 * Notices that time brings. Each is given once, whatever crashes when: what was given is known from one instant, which
 * is stored with each commit that gives such a notice. All that were due by then have been given in that commit or
 * before it, since a notice that becomes due by a change is given in the commit of the change.
 */
export class TimedNotices {
  private readonly upcoming = new Map<string, Upcoming>();
  /** Due by `given`, but not given: the change that brought it is in the turn that is under way. */
  private readonly overdue = new Set<string>();
  /** When the next is due; undefined when that is not known. */
  private soonest: Instant | null | undefined = null;

  constructor(
    /** All that was due by this instant has been given. */
    public given: Instant,
  ) {}

  /** What is upcoming under a key; null: nothing. `isStored`: it was so at the last commit. */
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
      if (this.soonest !== undefined && (this.soonest === null || next.due < this.soonest))
        this.soonest = next.due;
    }
  }

  /** When the next notice is due; null: none. */
  next(): Instant | null {
    if (this.soonest === undefined) {
      this.soonest = null;
      for (const { due } of this.upcoming.values()) {
        if (due > this.given && (this.soonest === null || due < this.soonest)) this.soonest = due;
      }
    }
    return this.soonest;
  }

  /** What is due, in order of time. It counts as given. */
  take(now: Instant): readonly NewNotice[] {
    const next = this.next();
    if (this.overdue.size === 0 && (next === null || next > now)) return [];
    const given = [...this.upcoming].filter(
      // What has come without a notice, while no server ran, needs none any more.
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
