/**
 * Runs callbacks at most once per interval, all at the same time, so that selections executed together share database
 * reads.
 */
export class Beat {
  private readonly waiting = new Set<() => void>();
  private timer: NodeJS.Timeout | null = null;
  private last = 0;

  constructor(private readonly interval: number) {}

  /** Calls back at the next beat, immediately if the last one is longer ago than the interval. */
  next(callback: () => void): void {
    this.waiting.add(callback);
    this.timer ??= setTimeout(() => this.run(), Math.max(0, this.last + this.interval - performance.now()));
  }

  private run(): void {
    this.timer = null;
    this.last = performance.now();
    const due = [...this.waiting];
    this.waiting.clear();
    for (const callback of due) callback();
  }
}
