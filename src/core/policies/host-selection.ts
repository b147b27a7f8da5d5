import type { LeaseView } from '../model/lease-view.ts';
import type { Instant } from '../model/records.ts';
import type { HostView } from './views.ts';

/** Host selection policy: which nodes are tried first. */
export interface HostSelectionPolicy {
  /** Higher is tried earlier; equal scores by ascending node number. */
  score(host: HostView, lease: LeaseView, at: Instant): number;
  /** Set if all scores are equal, which avoids sorting. */
  readonly indifferent?: boolean;
}

export const noPreference: HostSelectionPolicy = { score: () => 1, indifferent: true };

/**
 * Prefers nodes with few leases whose state stays unchanged for the duration of the lease. Doubles, evaluated left to
 * right: ties matter.
 */
export const greedy: HostSelectionPolicy = {
  score(host, lease) {
    const leases = (4 - host.leaseCount(4)) / 4;
    const unchanged = host.unchangedFor;
    const calm = unchanged >= lease.duration ? 1 : unchanged / lease.duration;
    return 0.5 * leases + 0.25 * 1.0 + 0.25 * calm;
  },
};
