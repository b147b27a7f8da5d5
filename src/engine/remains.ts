import type { ActionTarget, LeaseState } from '../core/index.ts';

/** The readable part of an inconsistent lease. */
export interface LeaseRemains {
  readonly leaseId: number;
  readonly state: LeaseState;
  /** Its project number. */
  readonly project: number | null;
  /** Its machines on nodes, including suspended ones. */
  readonly machines: readonly Pick<ActionTarget, 'machine' | 'node' | 'capacity'>[];
}
