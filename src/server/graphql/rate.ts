/** How fast one principal may spend cost. */
export interface RateLimit {
  /** Cost that a principal that has rested may spend at once. */
  readonly burst: number;
  /** Cost that is restored per second. */
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

/** Buckets that are kept; those that have been restored are dropped first. */
const maxBuckets = 10_000;

/** A token bucket for each principal. An operation that costs more than the burst takes the whole bucket. */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly limit: RateLimit,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Takes the cost of an operation. Returns the milliseconds until it can be afforded; 0 if it was taken. */
  take(principal: string, cost: number): number {
    const bucket = this.bucket(principal);
    const needed = Math.min(Math.max(cost, 1), this.limit.burst);
    if (bucket.available < needed) {
      return Math.ceil(((needed - bucket.available) / this.limit.perSecond) * 1_000);
    }
    bucket.available -= needed;
    return 0;
  }

  throttle(principal: string): Throttle {
    const { burst, perSecond } = this.limit;
    return {
      maximum: burst,
      available: Math.floor(this.bucket(principal).available),
      restoreRate: perSecond,
    };
  }

  private bucket(principal: string): Bucket {
    const now = this.clock();
    const found = this.buckets.get(principal);
    if (found) {
      const restored = ((now - found.at) / 1_000) * this.limit.perSecond;
      found.available = Math.min(this.limit.burst, found.available + restored);
      found.at = now;
      return found;
    }
    if (this.buckets.size >= maxBuckets) this.dropRestored(now);
    const bucket = { available: this.limit.burst, at: now };
    this.buckets.set(principal, bucket);
    return bucket;
  }

  private dropRestored(now: number): void {
    const { burst, perSecond } = this.limit;
    for (const [principal, { available, at }] of this.buckets) {
      if (available + ((now - at) / 1_000) * perSecond >= burst) this.buckets.delete(principal);
    }
  }
}
