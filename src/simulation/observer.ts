import type { Instant, LeaseEventRecord, LeaseRecord, Scheduler } from '../core/index.ts';

/** Observes a run: probes and progress displays are observers. */
export interface SimulationObserver {
  onStart?(at: Instant): void;
  /** After each step of the clock. */
  onStep?(at: Instant, scheduler: Scheduler): void;
  /** After a lease was requested; it may be REJECTED already. */
  onRequest?(at: Instant, lease: LeaseRecord): void;
  onEvent?(event: LeaseEventRecord): void;
  /** The lease reached a final state. */
  onLeaseEnded?(at: Instant, lease: LeaseRecord): void;
  onEnd?(at: Instant): void;
}
