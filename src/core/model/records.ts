/**
 * The plain data of the core's input and output. Everything is JSON: no class instances, no significant `undefined`, no
 * functions. Instants are integer milliseconds since the epoch, durations integer milliseconds.
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
 * Resource amounts by type, such as `{ CPU: 100, Memory: 1024 }`. An array lists the instances of a type (four cores:
 * `{ CPU: [100, 100, 100, 100] }`); a share must not straddle instances. A missing type means 0.
 */
export type Amounts = Readonly<Record<string, number | readonly number[]>>;

/** A physical node. Numbers increase from 1 in the order of the site. */
export interface NodeSpec {
  readonly number: number;
  readonly hostname: string;
  readonly capacity: Amounts;
  /** Name or IP address of its host, if different from the hostname. */
  readonly address?: string | undefined;
  /** Free-form labels: rack, site, model. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** UP; DRAINING: running machines continue, but no new ones start; DOWN: the node failed and its machines are lost. */
export const nodeStates = ['UP', 'DRAINING', 'DOWN'] as const;
export type NodeState = (typeof nodeStates)[number];

/** The principal that set the state of a node, the time, and the reason. */
export interface NodeStateCause {
  /**
   * OPERATOR: set by a principal. HOST: its host stopped answering or answers again. HOST_DISABLED: its host takes
   * no new machines, according to the host manager, or takes them again. START_FAILED: a start failed there, or the
   * following pause ended.
   */
  readonly code: 'OPERATOR' | 'HOST' | 'HOST_DISABLED' | 'START_FAILED';
  readonly at: Instant;
  /** OPERATOR: the name of the principal. */
  readonly by: string | null;
  /** Text for people. */
  readonly message: string | null;
  /** START_FAILED: the lease that was to start. */
  readonly lease: number | null;
  /** HOST: the state before the host stopped answering, if not UP. */
  readonly before: { readonly state: NodeState; readonly cause: NodeStateCause | null } | null;
}

export interface NodeStateRecord {
  readonly number: number;
  readonly state: NodeState;
  /** Absent if none was given. */
  readonly cause?: NodeStateCause | undefined;
}

/** An added or changed node, complete with its state. */
export interface NodeRecord extends NodeSpec, NodeStateRecord {}

/** Changes of a node; absent fields are unchanged. A null address means the hostname. */
export interface NodeUpdate {
  readonly capacity?: Amounts | undefined;
  readonly address?: string | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Maintenance of nodes over [start, end). If ended early, `end` is that instant; if ended before it began, `start` =
 * `end`.
 */
export interface MaintenanceRecord {
  readonly name: string;
  /** Ascending. */
  readonly nodes: readonly number[];
  readonly start: Instant;
  readonly end: Instant;
}

/** What to do when a command would displace leases with a promised place. */
export const collisions = ['REFUSE', 'DISPLACE'] as const;
export type Collisions = (typeof collisions)[number];

/** Effects of a command on other leases. */
export interface CommandOutcome {
  /** Leases that were moved, suspended or requeued for it: ids, ascending. */
  readonly displaced: readonly number[];
}

/** New terms of a lease; absent fields are unchanged. */
export interface LeaseUpdate {
  /** ADVANCE_RESERVATION: the start. DEADLINE: the earliest start. */
  readonly start?: Instant;
  /** The whole requested duration. */
  readonly duration?: Millis;
  /** DEADLINE only. */
  readonly deadline?: Instant;
  /** Whether a blocked extension is shortened to what is possible instead of refused. */
  readonly asFarAsPossible?: boolean;
  /** Lead time of the notice before its end; 0 means none. */
  readonly endNotice?: Millis;
  /** Null removes the name. */
  readonly name?: string | null;
  /** Whether other leases may preempt it from now on. Existing decisions stay. */
  readonly preemptible?: boolean;
}

export interface SiteSpec {
  /** In declaration order; includes `CPU` and `Memory`. */
  readonly resourceTypes: readonly string[];
  readonly nodes: readonly NodeSpec[];
}

export interface DiskImage {
  readonly name: string;
  readonly sizeMb: number;
}

/** A stable code, a message for people, and details for programs. */
export interface StateReason {
  readonly code: string;
  readonly message: string;
  readonly data?: ReasonData;
}

/** The facts of a reason. Durations in milliseconds. */
export interface ReasonData {
  /** The lease for which it was preempted or planned anew. */
  readonly preemptor?: number;
  /** Running time that was lost. */
  readonly lostDuration?: Millis;
  /** Remaining running time. */
  readonly remainingDuration?: Millis;
  /** Unused planned running time. */
  readonly unusedDuration?: Millis;
  /** Previous and new planned start. */
  readonly previousStart?: Instant;
  readonly start?: Instant;
}

/** A lease request. */
export interface LeaseRequest {
  /** Simulation: the lease number in the trace; otherwise the next number is used. */
  readonly id?: number;
  readonly type: LeaseType;
  readonly name?: string | null;
  /** One entry per machine, machine 1 first. */
  readonly machines: readonly Amounts[];
  readonly duration: Millis;
  /** ADVANCE_RESERVATION: the start. DEADLINE: the earliest start; absent means as soon as possible. */
  readonly start?: Instant | null;
  /** DEADLINE only: when its machines must have run for the whole duration and be shut down. */
  readonly deadline?: Instant | null;
  readonly preemptible: boolean;
  readonly image?: DiskImage | null;
  /** Simulation: actual running time; absent if equal to the whole duration. */
  readonly knownDuration?: Millis | null;
  /** The submitted duration, if overheads were added to `duration`. */
  readonly originalDuration?: Millis;
  /** The principal that owns the lease. */
  readonly owner?: string | null;
  /** Project number of the lease. */
  readonly project?: number | null;
  /** Lead time of the notice before its end; null means the site's default, 0 none. The scheduler only stores it. */
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

/** A complete lease, as stored and restored. */
export interface LeaseRecord {
  /** Increases from 1 within the site. */
  readonly id: number;
  readonly name: string | null;
  readonly type: LeaseType;
  readonly state: LeaseState;
  readonly reason: StateReason | null;
  readonly submittedAt: Instant;
  /** ADVANCE_RESERVATION: its start. DEADLINE: its earliest start, if any. */
  readonly requestedStart: Instant | null;
  /** DEADLINE: its deadline. Null for other types. */
  readonly deadline: Instant | null;
  /** As submitted. */
  readonly originalDuration: Millis;
  /** With overheads. */
  readonly duration: Millis;
  readonly knownDuration: Millis | null;
  /** Running time of all ended VM reservations. */
  readonly accumulated: Millis;
  /** Number of lost runs: stopped with all their work and started again from the beginning. */
  readonly restarts: number;
  /** Running time lost with them. */
  readonly lostDuration: Millis;
  readonly preemptible: boolean;
  readonly machines: readonly Amounts[];
  readonly image: DiskImage | null;
  readonly owner: string | null;
  /** Its project number. */
  readonly project: number | null;
  /** Lead time of the notice before its end; null or absent means the site's default, 0 none. */
  readonly endNotice?: Millis | null;
  /** Its place in a recurrence; null if it has none. */
  readonly occurrenceOf: OccurrencePlace | null;
  /** When its machines last started (not resumed); null if never. */
  readonly actualStart: Instant | null;
  /** Next planned start of its machines; null if none. */
  readonly plannedStart: Instant | null;
  /** When it reached a final state. */
  readonly endedAt: Instant | null;
  /** Place in the queue: ascending (submittedAt, queueRank). Null when it is not queued. */
  readonly queueRank: number | null;
  /** Whether it holds a future reservation from backfilling. */
  readonly isFuture: boolean;
  /** ADVANCE_RESERVATION, DEADLINE: whether it lost its promised place and waits for another. */
  readonly isWithoutPlace: boolean;
  /** Number of preemptions. */
  readonly preemptions: number;
  /** Machine -> node of its last or current VM reservation (null before the first). */
  readonly mapping: Readonly<Record<string, number>> | null;
  /** Machine -> node that stores its saved memory. */
  readonly memoryAt: Readonly<Record<string, number>>;
  /** Machine -> node that stores its disk image. */
  readonly diskAt: Readonly<Record<string, number>>;
}

/** A complete reservation. */
export interface ReservationRecord {
  /** Increases from 1 within the site. */
  readonly id: number;
  readonly leaseId: number;
  readonly kind: ReservationKind;
  readonly state: ReservationState;
  /** Planned times; once it has ended, the actual ones. Half-open. */
  readonly start: Instant;
  readonly end: Instant;
  /** Node -> what it holds there. */
  readonly amounts: Readonly<Record<string, Amounts>>;
  /** VM, SUSPENSION, RESUMPTION, SHUTDOWN: machine -> node. */
  readonly machines: Readonly<Record<string, number>> | null;
  /** Migrations: machine -> [from, to]. */
  readonly moves: Readonly<Record<string, readonly [number, number]>> | null;
  /** IMAGE_TRANSFER: node -> [lease, machine] pairs still waiting for it. */
  readonly waiting: Readonly<Record<string, readonly (readonly [number, number])[]>> | null;
  /** IMAGE_TRANSFER: node -> its [lease, machine] pairs; once started, those at its start. */
  readonly targets: Readonly<Record<string, readonly (readonly [number, number])[]>> | null;
  readonly image: DiskImage | null;
  /** The VM reservation whose chain contains this one; null for VM and IMAGE_TRANSFER. */
  readonly vmId: number | null;
  /** SUSPENSION: the preempting lease; null if planned without preemption. */
  readonly preemptor: number | null;
  /** Position in the chain: negative before the VM, 0 for the VM, positive after it. */
  readonly chainIndex: number;
  /** Order among reservations that start (end) at the same instant. */
  readonly startRank: number;
  readonly endRank: number;
}

/** A state transition of a lease. */
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

/** An action of hosts for a lease. Idempotent. */
export interface ActionRecord {
  /** Increases from 1 within the site. */
  readonly id: number;
  readonly kind: ActionKind;
  readonly leaseId: number;
  readonly reservationId: number | null;
  readonly at: Instant;
  /** Planned end; null if there is none. */
  readonly deadline: Instant | null;
  readonly targets: readonly ActionTarget[];
}

export interface ActionTarget {
  readonly leaseId: number;
  readonly machine: number;
  /** The node of the machine (PREPARE: the destination of the image; MIGRATE: the source). */
  readonly node: number;
  /** MIGRATE only: the destination. */
  readonly toNode: number | null;
  readonly capacity: Amounts;
  readonly image: DiskImage | null;
}

/** A machine that the plan has no place for any more, and that hosts have not removed. */
export interface RemainingMachine {
  readonly leaseId: number;
  readonly machine: number;
  readonly node: number;
  readonly capacity: Amounts;
  /** It is there at least until then. */
  readonly until: Instant;
  /** Until when it is expected to be there: at `until` or later. */
  readonly expectedUntil: Instant;
  /** Leases whose machines cannot start while it is there. */
  readonly inTheWayOf: readonly number[];
}

/** A cached image on a node. */
export interface CachedImageRecord {
  readonly node: number;
  readonly image: DiskImage;
  readonly timeout: Instant | null;
  readonly users: readonly (readonly [number, number])[];
}

/** State of the core for the whole site. */
export interface SiteRecord {
  readonly lastLeaseId: number;
  readonly lastReservationId: number;
  readonly lastEventSequence: number;
  readonly lastActionId: number;
  readonly lastRecurrenceId: number;
  /** The last assigned rank (queue, start and end ranks). */
  readonly lastRank: number;
  /** In caching order. */
  readonly cachedImages: readonly CachedImageRecord[];
}
