/**
 * The plain data that goes into and comes out of the scheduler core. Everything here is JSON: no class instances, no
 * `undefined` that matters, no functions. An instant is integer milliseconds since the epoch, a duration integer
 * milliseconds.
 */

import type { Instant, Millis } from './instants.ts';

export type { Instant, Millis };

export type LeaseType = 'BEST_EFFORT' | 'ADVANCE_RESERVATION' | 'IMMEDIATE' | 'DEADLINE';

export type ReservationKind =
  | 'VM'
  | 'SHUTDOWN'
  | 'SUSPENSION'
  | 'RESUMPTION'
  | 'MEMORY_MIGRATION'
  | 'DISK_MIGRATION'
  | 'IMAGE_TRANSFER';

export type ReservationState = 'SCHEDULED' | 'ACTIVE' | 'DONE' | 'CANCELLED';

export type LeaseState =
  | 'NEW'
  | 'PENDING'
  | 'REJECTED'
  | 'SCHEDULED'
  | 'QUEUED'
  | 'CANCELLED'
  | 'PREPARING'
  | 'READY'
  | 'ACTIVE'
  | 'SUSPENDING'
  | 'SUSPENDED_PENDING'
  | 'SUSPENDED_QUEUED'
  | 'SUSPENDED_SCHEDULED'
  | 'MIGRATING'
  | 'RESUMING'
  | 'RESUMED_READY'
  | 'DONE'
  | 'FAILED'
  | 'REJECTED_BY_USER';

/**
 * A bag of resources by type, such as `{ CPU: 100, Memory: 1024 }`. An array stands for several instances of one type
 * (four cores: `{ CPU: [100, 100, 100, 100] }`), over which one share may not straddle. A type that is not mentioned is
 * 0.
 */
export type Amounts = Readonly<Record<string, number | readonly number[]>>;

/** A physical node. Numbers count up from 1 in the order of the site. */
export interface NodeSpec {
  readonly number: number;
  readonly hostname: string;
  readonly capacity: Amounts;
  /** A name or an IP address under which its host is reached, where that is not the hostname. */
  readonly address?: string | undefined;
  /** Free form: rack, site, model. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** UP; DRAINING: running machines continue, and no new ones start; DOWN: it has failed, and its machines are lost. */
export const nodeStates = ['UP', 'DRAINING', 'DOWN'] as const;
export type NodeState = (typeof nodeStates)[number];

/** The principal that set the state of a node, the time, and the reason. */
export interface NodeStateCause {
  /**
   * OPERATOR: a principal did. HOST: its host stopped answering, or answers again. START_FAILED: a machine could not be
   * started there, or the time without new machines that follows is over.
   */
  readonly code: 'OPERATOR' | 'HOST' | 'START_FAILED';
  readonly at: Instant;
  /** OPERATOR: the name of the principal. */
  readonly by: string | null;
  /** For people. */
  readonly message: string | null;
  /** START_FAILED: the lease that was to start. */
  readonly lease: number | null;
  /** HOST: what the state was before the host stopped answering, where that was not UP. */
  readonly before: { readonly state: NodeState; readonly cause: NodeStateCause | null } | null;
}

export interface NodeStateRecord {
  readonly number: number;
  readonly state: NodeState;
  /** Absent if none was given. */
  readonly cause?: NodeStateCause | undefined;
}

/** A node that was added or changed: whole, with its state. */
export interface NodeRecord extends NodeSpec, NodeStateRecord {}

/** Changes of a node; absent fields do not change. If the address is null, the host is reached under the hostname. */
export interface NodeUpdate {
  readonly capacity?: Amounts | undefined;
  readonly address?: string | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Nodes are not used over [start, end). Ended early, it ends when it was ended; before it began, it does not begin:
 * `start` = `end`.
 */
export interface MaintenanceRecord {
  readonly name: string;
  /** Ascending. */
  readonly nodes: readonly number[];
  readonly start: Instant;
  readonly end: Instant;
}

/** What is done when a command would take the place of leases that were promised theirs. */
export const collisions = ['REFUSE', 'DISPLACE'] as const;
export type Collisions = (typeof collisions)[number];

/** What a command that was carried out did to others. */
export interface CommandOutcome {
  /** Leases that were moved, suspended or requeued for it: ids, ascending. */
  readonly displaced: readonly number[];
}

/** New terms of a lease; what is left out stays as it is. */
export interface LeaseUpdate {
  /** ADVANCE_RESERVATION: the start; DEADLINE: the earliest start. */
  readonly start?: Instant;
  /** The whole requested duration. */
  readonly duration?: Millis;
  /** DEADLINE only. */
  readonly deadline?: Instant;
  /** An extension that is blocked goes as far as it can, and is not refused. */
  readonly asFarAsPossible?: boolean;
  /** How long before its end a notice is given; 0: none. */
  readonly endNotice?: Millis;
  /** Null: it has no name any more. */
  readonly name?: string | null;
  /** Whether other leases may take its place from now on. What is decided already stays. */
  readonly preemptible?: boolean;
}

export interface SiteSpec {
  /** In the order in which they are declared; `CPU` and `Memory` are among them. */
  readonly resourceTypes: readonly string[];
  readonly nodes: readonly NodeSpec[];
}

export interface DiskImage {
  readonly name: string;
  readonly sizeMb: number;
}

/** A stable code, a sentence for people, and what it says for programs. */
export interface StateReason {
  readonly code: string;
  readonly message: string;
  readonly data?: ReasonData;
}

/** The facts of a reason. Durations in milliseconds. */
export interface ReasonData {
  /** The lease for which it was preempted. */
  readonly preemptor?: number;
  /** Running time that was lost. */
  readonly lostDuration?: Millis;
  /** Running time that it still needs. */
  readonly remainingDuration?: Millis;
  /** Planned running time that its machines did not use. */
  readonly unusedDuration?: Millis;
  /** When it was planned to start before, and when it is now. */
  readonly previousStart?: Instant;
  readonly start?: Instant;
}

/** What a user asks for. */
export interface LeaseRequest {
  /** Simulation: the lease's number in the trace. Otherwise the next one is taken. */
  readonly id?: number;
  readonly type: LeaseType;
  readonly name?: string | null;
  /** One entry a machine, machine 1 first. */
  readonly machines: readonly Amounts[];
  readonly duration: Millis;
  /** ADVANCE_RESERVATION: when it starts. DEADLINE: the earliest start; none means as soon as possible. */
  readonly start?: Instant | null;
  /** DEADLINE only: by when its machines must have run for the whole duration and be shut down. */
  readonly deadline?: Instant | null;
  readonly preemptible: boolean;
  readonly image?: DiskImage | null;
  /** Simulation: how long the machines will really run; absent when they run for the whole duration. */
  readonly knownDuration?: Millis | null;
  /** The duration as submitted, where overheads have been added to `duration`. */
  readonly originalDuration?: Millis;
  /** The principal that the lease belongs to. */
  readonly owner?: string | null;
  /** The number of the project that the lease belongs to. */
  readonly project?: number | null;
  /** How long before its end a notice is given; null: as the site does; 0: none. The scheduler only keeps it. */
  readonly endNotice?: Millis | null;
  /** The place of the lease in a recurrence. */
  readonly occurrenceOf?: OccurrencePlace | null;
}

/** The place of a lease in a recurrence. */
export interface OccurrencePlace {
  readonly recurrence: number;
  /** Starts at 1. */
  readonly index: number;
}

/** One lease, whole: what a store keeps and what the core is restored from. */
export interface LeaseRecord {
  /** Counts up from 1 within the site. */
  readonly id: number;
  readonly name: string | null;
  readonly type: LeaseType;
  readonly state: LeaseState;
  readonly reason: StateReason | null;
  readonly submittedAt: Instant;
  /** ADVANCE_RESERVATION: its start; DEADLINE: the earliest one, if it has one. */
  readonly requestedStart: Instant | null;
  /** DEADLINE: by when it must be over. Null for other types. */
  readonly deadline: Instant | null;
  /** As submitted. */
  readonly originalDuration: Millis;
  /** With overheads. */
  readonly duration: Millis;
  readonly knownDuration: Millis | null;
  /** Running time so far, over all VM reservations that have ended. */
  readonly accumulated: Millis;
  /** Runs that were lost: stopped, with all their work, and begun again from nothing. */
  readonly restarts: number;
  /** Running time that was lost with them. */
  readonly lostDuration: Millis;
  readonly preemptible: boolean;
  readonly machines: readonly Amounts[];
  readonly image: DiskImage | null;
  readonly owner: string | null;
  /** The number of its project. */
  readonly project: number | null;
  /** How long before its end a notice is given; null or absent: as the site does; 0: none. */
  readonly endNotice?: Millis | null;
  /** Its place in a recurrence; null when it has none. */
  readonly occurrenceOf: OccurrencePlace | null;
  /** When its machines were last started (not resumed); null if never. */
  readonly actualStart: Instant | null;
  /** When its machines are planned to start next; null when nothing is planned. */
  readonly plannedStart: Instant | null;
  /** When it reached a final state. */
  readonly endedAt: Instant | null;
  /** Place in the queue: ascending (submittedAt, queueRank). Null when it is not queued. */
  readonly queueRank: number | null;
  /** Whether it holds a future reservation that backfilling gave it. */
  readonly isFuture: boolean;
  /** ADVANCE_RESERVATION, DEADLINE: it was promised, has lost its place, and waits for another. */
  readonly isWithoutPlace: boolean;
  /** How often it was preempted. */
  readonly preemptions: number;
  /** Machine -> node, as in its last or present VM reservation (null before the first). */
  readonly mapping: Readonly<Record<string, number>> | null;
  /** Machine -> node on which its saved memory lies. */
  readonly memoryAt: Readonly<Record<string, number>>;
  /** Machine -> node on which its disk image lies. */
  readonly diskAt: Readonly<Record<string, number>>;
}

/** One reservation, whole. */
export interface ReservationRecord {
  /** Counts up from 1 within the site. */
  readonly id: number;
  readonly leaseId: number;
  readonly kind: ReservationKind;
  readonly state: ReservationState;
  /** Planned; once it is over, when it really started and ended. Half-open. */
  readonly start: Instant;
  readonly end: Instant;
  /** Node -> what it holds there. */
  readonly amounts: Readonly<Record<string, Amounts>>;
  /** VM, SUSPENSION, RESUMPTION, SHUTDOWN: machine -> node. */
  readonly machines: Readonly<Record<string, number>> | null;
  /** Migrations: machine -> [from, to]. */
  readonly moves: Readonly<Record<string, readonly [number, number]>> | null;
  /** IMAGE_TRANSFER: node -> the [lease, machine] pairs that still wait for it. */
  readonly waiting: Readonly<Record<string, readonly (readonly [number, number])[]>> | null;
  /** IMAGE_TRANSFER: node -> the [lease, machine] pairs that it is for; once it has started, as they were then. */
  readonly targets: Readonly<Record<string, readonly (readonly [number, number])[]>> | null;
  readonly image: DiskImage | null;
  /** The VM reservation whose chain contains this one; null for VM and IMAGE_TRANSFER. */
  readonly vmId: number | null;
  /** SUSPENSION: the lease for which it was preempted; null when it was planned so. */
  readonly preemptor: number | null;
  /** Place in the chain: negative before the VM, positive after it, 0 for the VM itself. */
  readonly chainIndex: number;
  /** Order among reservations that start (end) at one instant. */
  readonly startRank: number;
  readonly endRank: number;
}

/** A lease went from one state to another. */
export interface LeaseEventRecord {
  /** Increases from 1 across the site, without gaps. */
  readonly sequence: number;
  readonly at: Instant;
  readonly leaseId: number;
  readonly from: LeaseState;
  readonly to: LeaseState;
  readonly reason: StateReason | null;
}

export type ActionKind = 'PREPARE' | 'START' | 'SHUTDOWN' | 'SUSPEND' | 'RESUME' | 'MIGRATE' | 'DESTROY';

/** Something that hosts must do for a lease. Safe to carry out twice. */
export interface ActionRecord {
  /** Counts up from 1 within the site. */
  readonly id: number;
  readonly kind: ActionKind;
  readonly leaseId: number;
  readonly reservationId: number | null;
  readonly at: Instant;
  /** When it should be finished; null when nothing says so. */
  readonly deadline: Instant | null;
  readonly targets: readonly ActionTarget[];
}

export interface ActionTarget {
  readonly leaseId: number;
  readonly machine: number;
  /** Where it runs (PREPARE: where the image must be; MIGRATE: where it comes from). */
  readonly node: number;
  /** MIGRATE only: where it goes. */
  readonly toNode: number | null;
  readonly capacity: Amounts;
  readonly image: DiskImage | null;
}

/** A cached image on a node. */
export interface CachedImageRecord {
  readonly node: number;
  readonly image: DiskImage;
  readonly timeout: Instant | null;
  readonly users: readonly (readonly [number, number])[];
}

/** What the core keeps for the site as a whole. */
export interface SiteRecord {
  readonly lastLeaseId: number;
  readonly lastReservationId: number;
  readonly lastEventSequence: number;
  readonly lastActionId: number;
  readonly lastRecurrenceId: number;
  /** The last rank handed out (queue, start and end ranks). */
  readonly lastRank: number;
  /** In the order in which they were cached. */
  readonly cachedImages: readonly CachedImageRecord[];
}
