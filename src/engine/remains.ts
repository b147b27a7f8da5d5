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

/** A stored row that was skipped because its shape is wrong. */
export interface UnreadableRow {
  /** The lease that is incomplete without the row; null when there is none. */
  readonly leaseId: number | null;
  /** Which row, and what is wrong with it. */
  readonly message: string;
}
