/** Rate limits by cost, per principal and per address. */
export interface RateLimit {
  /** Bucket size. */
  readonly burst: number;
  /** Refill rate per second. */
  readonly perSecond: number;
}

export interface Throttle {
  readonly maximum: number;
  readonly available: number;
  readonly restoreRate: number;
}

interface Bucket {
  available: number;
  at: number;
}

/** Maximum number of buckets; full ones are dropped first. */
const maxBuckets = 10_000;

/** Token buckets per principal or address. An operation that costs more than the bucket size takes the whole bucket. */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly limit: RateLimit,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Takes the cost of an operation. Returns the milliseconds until it can be afforded; 0 if it was taken. */
  take(spender: string, cost: number): number {
    const wait = this.wait(spender, cost);
    if (wait === 0) this.bucket(spender).available -= this.needed(cost);
    return wait;
  }

  /** The milliseconds until an operation can be afforded; 0 if it can be now. */
  wait(spender: string, cost: number): number {
    const missing = this.needed(cost) - this.bucket(spender).available;
    return missing > 0 ? Math.ceil((missing / this.limit.perSecond) * 1_000) : 0;
  }

  private needed(cost: number): number {
    return Math.min(Math.max(cost, 1), this.limit.burst);
  }

  throttle(spender: string): Throttle {
    const { burst, perSecond } = this.limit;
    return {
      maximum: burst,
      available: Math.floor(this.bucket(spender).available),
      restoreRate: perSecond,
    };
  }

  private bucket(spender: string): Bucket {
    const now = this.clock();
    const found = this.buckets.get(spender);
    if (found) {
      const restored = ((now - found.at) / 1_000) * this.limit.perSecond;
      found.available = Math.min(this.limit.burst, found.available + restored);
      found.at = now;
      return found;
    }
    if (this.buckets.size >= maxBuckets) this.dropRestored(now);
    const bucket = { available: this.limit.burst, at: now };
    this.buckets.set(spender, bucket);
    return bucket;
  }

  private dropRestored(now: number): void {
    const { burst, perSecond } = this.limit;
    for (const [spender, { available, at }] of this.buckets) {
      if (available + ((now - at) / 1_000) * perSecond >= burst) this.buckets.delete(spender);
    }
  }
}
