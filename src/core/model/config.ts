import type { Millis } from './records.ts';
import { DAY } from './time.ts';

/** The scheduler configuration. Names and meanings follow Haizea's options (docs/configuration.md). */
export interface SchedulerConfig {
  /** Policies, by the name under which they are registered. */
  readonly admission: string;
  readonly hostSelection: string;
  readonly preemption: string;
  readonly backfilling: 'off' | 'aggressive' | 'intermediate' | 'conservative';
  /** Maximum number of future reservations for `intermediate`. */
  readonly backfillingReservations: number;
  readonly suspension: 'none' | 'serial-only' | 'all';
  /** MB/s. */
  readonly suspendRate: number;
  /** MB/s. */
  readonly resumeRate: number;
  readonly suspendResumeExclusion: 'local' | 'global';
  readonly overrideSuspendTime: Millis | null;
  readonly overrideResumeTime: Millis | null;
  readonly schedulingThresholdFactor: number;
  readonly forceSchedulingThreshold: Millis | null;
  readonly migration: 'no' | 'yes' | 'yes-notransfer';
  readonly shutdownTime: Millis;
  readonly enactmentOverhead: Millis;
  readonly preparation: 'unmanaged' | 'imagetransfer';
  readonly imageTransfer: ImageTransferConfig;
  readonly leaseFailureHandling: 'cancel' | 'exit' | 'exit-raise';
  /** What happens to best-effort leases whose machines are lost with a failed node. */
  readonly nodeFailure: 'requeue' | 'fail';
  /** Maximum number of preemptions of a lease; null means no limit. */
  readonly preemptionLimit: number | null;
  /** Minimum running time since the last start before a lease may be preempted. */
  readonly preemptionExemptTime: Millis;
  /**
   * Age since submission from which a lease is not preempted; null means age does not matter. Built-in policies only.
   */
  readonly preemptionPeace: Millis | null;
  /** When a victim that cannot be suspended stops: at once or when its place is needed. */
  readonly stopVictims: 'at-once' | 'when-needed';
}

export interface ImageTransferConfig {
  /** Bandwidth of the single channel of the image repository, Mbit/s. */
  readonly bandwidth: number;
  readonly mechanism: 'unicast' | 'multicast';
  readonly avoidRedundantTransfers: boolean;
  readonly forceTransferTime: Millis | null;
  readonly reuse: 'none' | 'image-caches';
  /** MB per node; -1 is unlimited. */
  readonly cacheSizeMb: number;
}

export const defaultSchedulerConfig: SchedulerConfig = {
  admission: 'accept-all',
  hostSelection: 'greedy',
  preemption: 'no-preemption',
  backfilling: 'aggressive',
  backfillingReservations: 1,
  suspension: 'none',
  suspendRate: 32,
  resumeRate: 32,
  suspendResumeExclusion: 'local',
  overrideSuspendTime: null,
  overrideResumeTime: null,
  schedulingThresholdFactor: 1,
  forceSchedulingThreshold: null,
  migration: 'no',
  shutdownTime: 0,
  enactmentOverhead: 0,
  preparation: 'unmanaged',
  imageTransfer: {
    bandwidth: 100,
    mechanism: 'multicast',
    avoidRedundantTransfers: true,
    forceTransferTime: null,
    reuse: 'none',
    cacheSizeMb: -1,
  },
  leaseFailureHandling: 'cancel',
  nodeFailure: 'requeue',
  preemptionLimit: null,
  preemptionExemptTime: 0,
  preemptionPeace: 7 * DAY,
  stopVictims: 'at-once',
};
