import type { Millis } from '../../core/index.ts';

/** Bounds of recurrences. */
export interface RecurrenceLimits {
  /** How long before its start an occurrence becomes a lease; scheduler time. */
  readonly horizon: Millis;
  /** Maximum number of active recurrences per project, or per principal without a project. */
  readonly maxPerProject: number;
}
