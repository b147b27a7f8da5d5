import type { Lease, TransferReservation, VmReservation } from '../model/lease.ts';
import type { Instant } from '../model/records.ts';

/** From when on a lease may run on which nodes (null: all), considering what must be prepared there. */
export interface EarliestTime {
  readonly time: Instant;
  readonly nodes: readonly number[] | null;
}

/** How a machine gets its image on the node that it was mapped to. */
export type ImageSource =
  | { readonly kind: 'transfer'; readonly machine: number; readonly node: number }
  | { readonly kind: 'reuse'; readonly machine: number; readonly node: number }
  | {
      readonly kind: 'piggyback';
      readonly machine: number;
      readonly node: number;
      readonly on: TransferReservation;
    };

export interface PreparationPlan {
  readonly sources: readonly ImageSource[];
  /** When the transfer for the sources of kind `transfer` runs; null when there is none. */
  readonly transfer: { readonly start: Instant; readonly end: Instant } | null;
}

/** Plans what must happen before the machines of a lease can first start. */
export interface Preparation {
  /** Distinct times, ascending, each with the nodes that may be used from then on. */
  earliestTimes(lease: Lease, now: Instant): readonly EarliestTime[];
  /**
   * The nodes to which its image can be brought while they may be used; null: all. For leases that start as soon as
   * they can.
   */
  reachable(lease: Lease, now: Instant): readonly number[] | null;
  /** The same for a lease with a fixed start. */
  reachableBy(lease: Lease, start: Instant): readonly number[] | null;
  /** For a VM found at one of the earliest times or later. */
  planSoonest(lease: Lease, vm: VmReservation, now: Instant): PreparationPlan;
  /** For a VM with a fixed start; null when the images cannot be there in time. */
  planByStart(lease: Lease, vm: VmReservation, now: Instant): PreparationPlan | null;
  /**
   * Makes sure of the transfers of others that the plan counts on, before they are given up by leases that make room
   * for it. Again does no harm.
   */
  join(lease: Lease, plan: PreparationPlan): void;
  /** After `join`. Returns whether the lease is ready, with nothing left to prepare. */
  commit(lease: Lease, vm: VmReservation, plan: PreparationPlan): boolean;
}

export const nothingToPrepare: PreparationPlan = { sources: [], transfer: null };
