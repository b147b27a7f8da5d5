import type { Instant } from '../model/records.ts';

/** The distinct instants at which VMs will have given back what they hold, ascending, each with how many do so. */
export class ReleaseTimes {
  private readonly times: Instant[] = [];
  private readonly counts = new Map<Instant, number>();

  add(time: Instant): void {
    const count = this.counts.get(time) ?? 0;
    this.counts.set(time, count + 1);
    if (count === 0) this.times.splice(this.indexAfter(time), 0, time);
  }

  remove(time: Instant): void {
    const count = this.counts.get(time);
    if (count === undefined) return;
    if (count > 1) {
      this.counts.set(time, count - 1);
      return;
    }
    this.counts.delete(time);
    this.times.splice(this.indexAfter(time) - 1, 1);
  }

  /** The first instant after `time`; null when there is none. */
  next(time: Instant): Instant | null {
    return this.times[this.indexAfter(time)] ?? null;
  }

  private indexAfter(time: Instant): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
