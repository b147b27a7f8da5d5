/** What a project may have at most, as plain data. */
import type { Instant, Millis } from './instants.ts';

/** The limits of a project for leases that request some of one resource type. Null: no limit. */
export interface Quota {
  /** The resource type. */
  readonly type: string;
  /** What the project's leases may hold together at any instant, suspension, resumption and shutdown included. */
  readonly amount: number | null;
  /** Amount times hours for which the project's machines may run within one period; running and planned time counts. */
  readonly amountHours: number | null;
  /** The length of the periods of `amountHours`. They begin at multiples of it since the epoch. */
  readonly period: Millis | null;
  /** The longest duration that a lease may request. */
  readonly maxDuration: Millis | null;
  /** How many leases may exist that have not ended. */
  readonly maxLeases: number | null;
}

/** What machines that no longer run have used within a period that is not over. */
export interface QuotaUsage {
  readonly type: string;
  readonly periodStart: Instant;
  /** Amount times milliseconds. */
  readonly used: number;
}

/** The quotas of one project, with what counts towards them and is no longer in the slot table. */
export interface ProjectQuotas {
  readonly project: number;
  readonly quotas: readonly Quota[];
  /** In order of the quotas, then of time. */
  readonly usage: readonly QuotaUsage[];
}

/** How much of a quota is in use. */
export interface QuotaState {
  readonly quota: Quota;
  /** Held at the present instant. */
  readonly held: number;
  /** Amount times hours in the present period, with what is planned in it; null without `amountHours`. */
  readonly usedHours: number | null;
  readonly periodStart: Instant | null;
  /** Leases that have not ended and request some of the type. */
  readonly leases: number;
}
