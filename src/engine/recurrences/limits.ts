import type { Millis } from '../../core/index.ts';

/** Bounds of recurrences. */
export interface RecurrenceLimits {
  /** How long before it starts an occurrence becomes a lease; scheduler time. */
  readonly horizon: Millis;
  /** Recurrences of a project with occurrences to come; of principals without a project, each has as many. */
  readonly maxPerProject: number;
}
