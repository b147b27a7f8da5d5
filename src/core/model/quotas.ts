/** Quotas of a project, as plain data. */
import type { Instant, Millis } from './instants.ts';

/** The limits of a project for leases that request a resource type. Null means no limit. */
export interface Quota {
  /** The resource type. */
  readonly type: string;
  /** Maximum amount held by the project's leases at any instant, including suspension, resumption and shutdown. */
  readonly amount: number | null;
  /** Maximum amount-hours of the project's machines within one period; running and planned time counts. */
  readonly amountHours: number | null;
  /** Period length of `amountHours`. Periods begin at multiples of it since the epoch. */
  readonly period: Millis | null;
  /** Maximum requested duration of a lease. */
  readonly maxDuration: Millis | null;
  /** Maximum number of live leases. */
  readonly maxLeases: number | null;
}

/** Usage by stopped machines within a current period. */
export interface QuotaUsage {
  readonly type: string;
  readonly periodStart: Instant;
  /** Amount times milliseconds. */
  readonly used: number;
}

/** The quotas of one project with the usage that is no longer in the slot table. */
export interface ProjectQuotas {
  readonly project: number;
  readonly quotas: readonly Quota[];
  /** In order of the quotas, then of time. */
  readonly usage: readonly QuotaUsage[];
}

/** Usage of a quota. */
export interface QuotaState {
  readonly quota: Quota;
  /** Held at the current instant. */
  readonly held: number;
  /** Amount-hours in the current period, including planned time; null without `amountHours`. */
  readonly usedHours: number | null;
  readonly periodStart: Instant | null;
  /** Live leases that request the type. */
  readonly leases: number;
}
