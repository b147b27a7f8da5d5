/** What the server knows of the hosts of nodes, for operators. */
import type { Amounts, Instant } from '../../core/index.ts';

/**
 * `absent`: the host holds nothing of the machine. `prepared`: its image is there, but it has not run. `suspended`: its
 * memory is saved. `stopped`: it ran and stopped by itself, and its remains are still there.
 */
export type MachineStatus = 'absent' | 'prepared' | 'running' | 'suspended' | 'stopped';

export interface HostFacts {
  /** The number of the node. */
  readonly node: number;
  /** When its host last answered a call of this writer; null before. */
  readonly answeredAt: Instant | null;
  /** Consecutive failures, as counted toward `hosts.maxFailures`; 0 while it answers. */
  readonly failures: number;
  /** When it stopped answering; null while it answers. */
  readonly unreachableSince: Instant | null;
  /** What the last failure said. */
  readonly error: string | null;
  /** Machines that could not be removed, and are tried again. */
  readonly unremoved: readonly UnremovedMachine[];
  readonly strays: readonly StrayMachine[];
}

export interface UnremovedMachine {
  readonly leaseId: number;
  readonly machine: number;
  /** What it holds until it is known to be gone; empty if only files of it are left. */
  readonly capacity: Amounts;
  /** The number of the action that removes it. */
  readonly actionId: number;
}

/** A machine on a host that belongs to no lease. */
export interface StrayMachine {
  /** The lease's number in the machine's name; there may be no such lease. */
  readonly leaseId: number;
  readonly machine: number;
  readonly status: MachineStatus;
  /** When it was first found. */
  readonly since: Instant;
  /** Whether the server removes it. */
  readonly isRemoved: boolean;
}
