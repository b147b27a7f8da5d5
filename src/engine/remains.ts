import type { ActionTarget, LeaseState } from '../core/index.ts';

/** What is known of a lease that cannot be read as a whole. */
export interface LeaseRemains {
  readonly leaseId: number;
  readonly state: LeaseState;
  /** Its machines that are on a node, or whose memory is saved there. */
  readonly machines: readonly Pick<ActionTarget, 'machine' | 'node' | 'capacity'>[];
}
