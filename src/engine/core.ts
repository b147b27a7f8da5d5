/** What the engine needs of a scheduler core: the part of the core's facade that it uses. */
import {
  type Changes,
  type Instant,
  type LeaseRecord,
  type LeaseRequest,
  type Policies,
  Scheduler,
  type SchedulerConfig,
  type SiteSpec,
  type Snapshot,
  type StateReason,
} from '../core/index.ts';

export interface Core {
  request(now: Instant, request: LeaseRequest): LeaseRecord;
  cancel(now: Instant, leaseId: number): void;
  actionFailed(now: Instant, leaseId: number, reason: StateReason): void;
  vmEnded(now: Instant, leaseId: number): void;
  /** Null when it has ended or never was. */
  lease(id: number): LeaseRecord | null;
  advance(now: Instant): void;
  pass(now: Instant): Iterator<void, void, Instant | undefined>;
  readonly needsPass: boolean;
  nextInstant(): Instant | null;
  takeChanges(): Changes;
  /** Roughly how many rows it takes to store what changed since changes were last taken. */
  readonly changedRows: number;
  readonly liveLeases: number;
  readonly queueLength: number;
}

/** Builds the core from what was stored, exactly as it was. */
export type RestoreCore = (site: SiteSpec, config: SchedulerConfig, snapshot: Snapshot) => Core;

/** The scheduler, with policies beside the built-in ones. */
export const schedulerWith =
  (policies?: Partial<Policies>): RestoreCore =>
  (site, config, snapshot) =>
    Scheduler.restore(site, config, snapshot, { policies, reevaluation: 'in-pass' });
