import type {
  Amounts,
  DiskImage,
  Instant,
  LeaseType,
  Millis,
  Quota,
  SchedulerConfig,
  SiteSpec,
} from '../core/index.ts';
import type { ProbeName } from './accounting/probes.ts';

/** A lease of a trace. Times count from the start of the simulation. */
export interface TraceLease {
  /** Counts from 1 in load order: the trace, then the injection. */
  readonly id: number;
  readonly type: LeaseType;
  readonly arrival: Millis;
  readonly machines: readonly Amounts[];
  readonly duration: Millis;
  /** The actual running time; null: the whole duration. */
  readonly knownDuration: Millis | null;
  /** ADVANCE_RESERVATION: when it starts; DEADLINE: the earliest start. */
  readonly start: Millis | null;
  /** DEADLINE only. */
  readonly deadline: Millis | null;
  readonly preemptible: boolean;
  readonly image: DiskImage | null;
  readonly user: string | null;
}

export interface Workload {
  readonly name: string | null;
  readonly description: string | null;
  /** The site that the trace describes; null without one. */
  readonly site: SiteSpec | null;
  /** In order of arrival. */
  readonly leases: readonly TraceLease[];
  /** Free-form attributes of the run. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** A cancellation by a user. */
export interface Cancellation {
  readonly at: Millis;
  readonly leaseId: number;
}

export type StopWhen = 'all-leases-done' | 'besteffort-submitted' | 'besteffort-done';

/** Extensions of the durations of leases before they are requested (R33). */
export interface Overheads {
  readonly applyTo: 'none' | 'besteffort' | 'all';
  /** Percent. */
  readonly runtimeSlowdown: number;
  readonly bootShutdown: Millis;
}

export interface UserQuota extends Quota {
  /** As in the trace; `*`: each user that has no quota of its own for the type. */
  readonly user: string;
}

export interface SimulationConfig {
  readonly scheduler: SchedulerConfig;
  readonly startTime: Instant;
  /** Null: the trace describes it. */
  readonly site: SiteSpec | null;
  readonly stopWhen: StopWhen;
  readonly overheads: Overheads;
  /** MB for every machine; null changes nothing. */
  readonly overrideMemory: number | null;
  /** What users of the trace may have at most, as if each were a project. */
  readonly quotas?: readonly UserQuota[];
  readonly probes: readonly ProbeName[];
  readonly attributes: Readonly<Record<string, string>>;
}
