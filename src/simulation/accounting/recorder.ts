import { getOrCreate, type Instant } from '../../core/index.ts';
import type { Seconds } from '../result.ts';

/** The average of a counter: none, over its entries, or over the time of each value. */
export type Averaging = 'none' | 'normal' | 'time-weighted';

/** [time, lease that caused it, value], and the average so far if the counter has one. */
export type CounterEntry =
  | readonly [time: Seconds, lease: number | null, value: number]
  | readonly [time: Seconds, lease: number | null, value: number, average: number];

export interface CounterData {
  readonly average: Averaging;
  readonly entries: readonly CounterEntry[];
}

export type Statistic = number | string | null;

/** The data recorded by the probes of a run. */
export interface AccountingData {
  readonly counters: Readonly<Record<string, CounterData>>;
  /** Lease -> name -> value. */
  readonly perLease: Readonly<Record<string, Readonly<Record<string, Statistic>>>>;
  readonly perRun: Readonly<Record<string, Statistic>>;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A value over time. */
export class Counter {
  private readonly entries: { at: Instant; lease: number | null; value: number }[] = [];

  constructor(readonly averaging: Averaging) {}

  get value(): number {
    return this.entries.at(-1)?.value ?? 0;
  }

  /** A second value at one instant replaces the first; an unchanged value is not recorded. */
  set(at: Instant, value: number, lease: number | null = null): void {
    const last = this.entries.at(-1);
    if (last?.at === at) last.value = value;
    else if (last === undefined || last.value !== value || last.lease !== lease) {
      this.entries.push({ at, lease, value });
    }
  }

  increment(at: Instant, lease: number | null = null): void {
    this.set(at, this.value + 1, lease);
  }

  data(start: Instant): CounterData {
    let sum = 0;
    const entries = this.entries.map(({ at, lease, value }, index): CounterEntry => {
      const time = (at - start) / 1000;
      if (this.averaging === 'none') return [time, lease, value];
      if (this.averaging === 'normal') {
        sum += value;
        return [time, lease, value, sum / (index + 1)];
      }
      const before = this.entries[index - 1];
      if (before !== undefined) sum += before.value * (at - before.at);
      return [time, lease, value, at === start || before === undefined ? value : sum / (at - start)];
    });
    return { average: this.averaging, entries };
  }
}

/** Collects the data of the probes of one run. */
export class Recorder {
  private readonly counters = new Map<string, Counter>();
  private readonly perLease = new Map<number, Record<string, Statistic>>();
  private readonly perRun: Record<string, Statistic> = {};
  private startedAt: Instant = 0;

  counter(name: string, averaging: Averaging = 'none'): Counter {
    return getOrCreate(this.counters, name, () => new Counter(averaging));
  }

  lease(id: number, name: string, value: Statistic): void {
    getOrCreate(this.perLease, id, (): Record<string, Statistic> => ({}))[name] = value;
  }

  run(name: string, value: Statistic): void {
    this.perRun[name] = value;
  }

  start(at: Instant): void {
    this.startedAt = at;
    for (const counter of this.counters.values()) counter.set(at, 0);
  }

  stop(at: Instant): void {
    for (const counter of this.counters.values()) counter.set(at, counter.value);
  }

  /** Seconds since the start of the run. */
  seconds(at: Instant): Seconds {
    return (at - this.startedAt) / 1000;
  }

  data(attributes: Readonly<Record<string, string>>): AccountingData {
    const counters = Object.fromEntries(
      [...this.counters].map(([name, counter]) => [name, counter.data(this.startedAt)]),
    );
    const leases = [...this.perLease].sort(([a], [b]) => a - b);
    return { counters, perLease: Object.fromEntries(leases), perRun: this.perRun, attributes };
  }
}
