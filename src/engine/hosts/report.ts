import type { ActionRecord, ActionTarget, NodeStateCause } from '../../core/index.ts';
import type { ActionOutcome } from '../ports.ts';

/** What hosts did or tell, on its way to a turn. */
export interface ActionReport {
  /** Null for what hosts tell without having been told to do anything. */
  readonly outcome: ActionOutcome | null;
  /** The action that is finished. */
  readonly action: ActionRecord | null;
  /** The leases that fail with it. None when it was only given up, since their machines are being destroyed. */
  readonly failures: readonly HostFailure[];
  /** Leases of which all machines have stopped by themselves. */
  readonly ended: readonly number[];
  /** Machines that could not be shut down: they are destroyed. */
  readonly remove: readonly ActionTarget[];
  /** A host has stopped answering, or may be used again. */
  readonly nodeState: ReportedState | null;
}

export interface ReportedState {
  readonly node: number;
  readonly state: 'DOWN' | 'UP';
  /** What it is about. UP: only a node whose state was set for this is set UP. */
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
  /** Where it happened. */
  readonly node: number;
}
