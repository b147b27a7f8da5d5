/** Runs many periodic callbacks with one timer, spread over the interval. */
export class Pings {
  private readonly slots: Set<() => void>[];
  private timer: NodeJS.Timeout | null = null;
  private next = 0;
  private size = 0;

  constructor(private readonly interval: number) {
    this.slots = Array.from({ length: slotCount }, () => new Set());
  }

  /** Calls back after the interval, again and again, until the returned function is called. */
  add(callback: () => void): () => void {
    // The last processed slot.
    const slot = this.slots[(this.next + slotCount - 1) % slotCount] as Set<() => void>;
    slot.add(callback);
    this.size += 1;
    this.timer ??= setInterval(() => this.turn(), this.interval / slotCount).unref();
    return () => {
      if (!slot.delete(callback)) return;
      this.size -= 1;
      if (this.size > 0 || this.timer === null) return;
      clearInterval(this.timer);
      this.timer = null;
    };
  }

  private turn(): void {
    for (const callback of this.slots[this.next] ?? []) callback();
    this.next = (this.next + 1) % slotCount;
  }
}

const slotCount = 60;
