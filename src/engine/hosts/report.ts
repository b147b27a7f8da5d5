import type { ActionRecord, ActionTarget, NodeStateCause } from '../../core/index.ts';
import type { ActionOutcome } from '../ports.ts';

/** A report from hosts, queued for a turn. */
export interface ActionReport {
  /** Null for a report that no action caused. */
  readonly outcome: ActionOutcome | null;
  /** The finished action. */
  readonly action: ActionRecord | null;
  /** Leases that fail with the action. Empty when the action was abandoned because the machines are being destroyed. */
  readonly failures: readonly HostFailure[];
  /** Leases whose machines have all stopped by themselves. */
  readonly ended: readonly number[];
  /** Machines that could not be shut down and must be destroyed. */
  readonly remove: readonly ActionTarget[];
  /** A host stopped answering, takes no new machines, or may be used again. */
  readonly nodeState: ReportedState | null;
}

export interface ReportedState {
  readonly node: number;
  readonly state: 'DOWN' | 'DRAINING' | 'UP';
  /** UP applies only to a node whose state was set for this reason. */
  readonly code: Exclude<NodeStateCause['code'], 'OPERATOR'>;
  readonly message: string;
}

export const noReport: ActionReport = {
  outcome: null,
  action: null,
  failures: [],
  ended: [],
  remove: [],
  nodeState: null,
};

export interface HostFailure {
  readonly leaseId: number;
  readonly code: 'ACTION_FAILED' | 'MACHINE_LOST';
  readonly message: string;
  /** The node on which it happened. */
  readonly node: number;
}
