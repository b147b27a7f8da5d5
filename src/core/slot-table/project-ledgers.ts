import type { Journal } from '../journal.ts';
import type { Lease, VmReservation } from '../model/lease.ts';
import type { Instant, Millis } from '../model/records.ts';
import { SiteProfile } from './site-profile.ts';

/** The running time of one project within periods, for one resource type. */
export class PeriodLedger {
  /** Index of the period -> amount times milliseconds of machines that are planned or run. */
  private readonly planned = new Map<number, number>();
  /** Of those that no longer run. */
  readonly settled = new Map<number, number>();

  constructor(
    readonly type: number,
    readonly period: Millis,
  ) {}

  /** Planned, running and over. */
  within(index: number): number {
    return (this.planned.get(index) ?? 0) + (this.settled.get(index) ?? 0);
  }

  indexAt(time: Instant): number {
    return Math.floor(time / this.period);
  }

  plan(totals: readonly number[], start: Instant, end: Instant, sign: 1 | -1): void {
    this.add(this.planned, totals, start, end, sign);
  }

  settle(totals: readonly number[], start: Instant, end: Instant, sign: 1 | -1): void {
    this.add(this.settled, totals, start, end, sign);
  }

  /** Drops what was used in periods that are over. */
  forget(now: Instant): void {
    const current = this.indexAt(now);
    for (const index of this.settled.keys()) if (index < current) this.settled.delete(index);
  }

  /** The end of the first period after which something of it counts no longer, if that is after `after`. */
  nextRelief(after: Instant): Instant | null {
    const current = this.indexAt(after);
    let next: number | null = null;
    for (const index of [...this.planned.keys(), ...this.settled.keys()])
      if (index >= current && (next === null || index < next)) next = index;
    return next === null ? null : (next + 1) * this.period;
  }

  private add(sums: Map<number, number>, totals: readonly number[], start: Instant, end: Instant, sign: 1 | -1): void {
    const amount = totals[this.type] as number;
    if (amount === 0) return;
    for (let from = start; from < end; ) {
      const index = this.indexAt(from);
      const to = Math.min(end, (index + 1) * this.period);
      const sum = (sums.get(index) ?? 0) + sign * amount * (to - from);
      if (sum === 0) sums.delete(index);
      else sums.set(index, sum);
      from = to;
    }
  }
}

/** What one project holds and uses. */
export class ProjectLedger {
  /** What is held over time, as a negative amount: a profile of what is free of nothing. */
  private readonly profile: SiteProfile;
  /** Whether what no longer runs has changed since it was last asked for. */
  changed = false;

  constructor(
    private readonly width: number,
    readonly periods: readonly PeriodLedger[],
  ) {
    this.profile = new SiteProfile(width, new Array<number>(width).fill(0));
  }

  hold(start: Instant, end: Instant, totals: readonly number[], sign: 1 | -1): void {
    this.profile.add(start, end, totals, -sign as 1 | -1);
  }

  heldAt(time: Instant, type: number): number {
    return 0 - this.profile.at(time, type);
  }

  /** The first time in [from, until) at which more is held of some type than `limits`; `until` when there is none. */
  firstAbove(from: Instant, until: Instant, limits: readonly number[]): Instant {
    return this.profile.firstBelow(
      from,
      until,
      limits.map((limit) => -limit),
    );
  }

  /** The most of a type that is held at some time in [from, until). */
  maxHeld(from: Instant, until: Instant, type: number): number {
    const unlimited = new Array<number>(this.width).fill(Number.POSITIVE_INFINITY);
    let max = this.heldAt(from, type);
    for (let at = from; at < until; ) {
      at = this.firstAbove(
        at,
        until,
        unlimited.map((limit, each) => (each === type ? max : limit)),
      );
      if (at < until) max = this.heldAt(at, type);
    }
    return max;
  }

  moveTo(now: Instant): void {
    this.profile.forget(now);
  }
}

/** What the leases of projects with quotas hold and use. Projects without quotas have no ledger, and cost nothing. */
export class ProjectLedgers {
  private readonly ledgers = new Map<number, ProjectLedger>();

  constructor(private readonly journal: Journal) {}

  of({ terms: { project } }: Pick<Lease, 'terms'>): ProjectLedger | null {
    return project === null || this.ledgers.size === 0 ? null : (this.ledgers.get(project) ?? null);
  }

  set(project: number, ledger: ProjectLedger | null): void {
    if (ledger) this.ledgers.set(project, ledger);
    else this.ledgers.delete(project);
  }

  /** The lease holds (or no longer holds) the amounts over [start, end). */
  hold(lease: Lease, start: Instant, end: Instant, totals: readonly number[], sign: 1 | -1): void {
    this.of(lease)?.hold(start, end, totals, sign);
  }

  /** Machines are planned to run, or do; or no longer. */
  plan({ lease, start, end }: VmReservation, sign: 1 | -1): void {
    for (const period of this.of(lease)?.periods ?? []) period.plan(lease.totals, start, end, sign);
  }

  /** Machines have run over [start, end). */
  settle(lease: Lease, start: Instant, end: Instant): void {
    const ledger = this.of(lease);
    if (!ledger || ledger.periods.length === 0) return;
    for (const period of ledger.periods) period.settle(lease.totals, start, end, 1);
    const { changed } = ledger;
    ledger.changed = true;
    this.journal.record(() => {
      for (const period of ledger.periods) period.settle(lease.totals, start, end, -1);
      ledger.changed = changed;
    });
  }

  moveTo(now: Instant): void {
    for (const ledger of this.ledgers.values()) ledger.moveTo(now);
  }
}
