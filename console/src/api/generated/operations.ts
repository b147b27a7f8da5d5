/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** What accounting is grouped by. */
export type AccountingGroup =
  /** By lease. */
  | 'LEASE'
  /** By the principal that requested the lease. */
  | 'OWNER'
  /** By project. */
  | 'PROJECT';

/** What hosts do. */
export type ActionKind =
  /** Remove a machine in whatever state it is. */
  | 'DESTROY'
  /** Move what a suspended machine has to another node. */
  | 'MIGRATE'
  /** Bring a disk image to a node. */
  | 'PREPARE'
  /** Continue a suspended machine. */
  | 'RESUME'
  /** Shut a machine down and remove it. */
  | 'SHUTDOWN'
  /** Start a machine. */
  | 'START'
  /** Save the memory of a machine, and stop it. */
  | 'SUSPEND';

/** What becomes of an action that is stuck. */
export type ActionRecovery =
  /** It counts as failed; the hosts are no longer called for it. Not for DESTROY: what is not removed keeps its capacity. */
  | 'ASSUME_FAILURE'
  /** It counts as carried out; the hosts are no longer called for it. */
  | 'ASSUME_SUCCESS'
  /** The hosts are called again at once. */
  | 'RETRY';

/** The state of an action. */
export type ActionState =
  /** It could not be carried out. */
  | 'FAILED'
  /** Recorded; hosts work on it, or will be called. */
  | 'PENDING'
  /** Carried out. */
  | 'SUCCEEDED';

/** Selects the audit records that meet every given condition. */
export type AuditFilter = {
  /** Within this interval. */
  readonly at?: IntervalInput | null | undefined;
  /** Of one of these mutations. */
  readonly mutations?: ReadonlyArray<string> | null | undefined;
  /** With one of these outcomes. */
  readonly outcomes?: ReadonlyArray<string> | null | undefined;
  /** Of one of these principals, by name. */
  readonly principals?: ReadonlyArray<string> | null | undefined;
  /** Of one of these objects. */
  readonly subjects?: ReadonlyArray<string | number> | null | undefined;
};

/** The lease to cancel. */
export type CancelLeaseInput = {
  /** Changes nothing: the lease of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** Its global id. */
  readonly id: string | number;
};

/** The recurrence to cancel. */
export type CancelRecurrenceInput = {
  /** Changes nothing: the recurrence of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** The first occurrence to cancel. Default: the first that has not started. */
  readonly from?: number | null | undefined;
  /** Its global id. */
  readonly id: string | number;
};

/** What is done when leases would lose a place that they were promised. */
export type Collisions =
  /** The leases lose it, and are planned anew where that is possible. */
  | 'DISPLACE'
  /** The mutation is refused, and names the leases. */
  | 'REFUSE';

/** A new project. */
export type CreateProjectInput = {
  /** Repeating a request with its key returns the same project; the key with another input is an error. */
  readonly idempotencyKey?: string | null | undefined;
  /** Its unique name. */
  readonly name: string;
  /** What its leases may have at most. */
  readonly quotas?: ReadonlyArray<QuotaInput> | null | undefined;
};

/** The terms of an advance reservation that recurs. */
export type CreateRecurrenceInput = {
  /** What is done when occurrences are not available. */
  readonly collisions?: RecurrenceCollisions | null | undefined;
  /** The disk image from which machines start. */
  readonly diskImage?: DiskImageInput | null | undefined;
  /** Creates nothing: the recurrence of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** The running time of each occurrence. */
  readonly duration: string;
  /** The start of the first occurrence on the wall clock of the time zone, without an offset, such as 2030-01-31T08:00. Its day must be one of the rule. */
  readonly firstStart: string;
  /** Repeating a request with its key returns the same recurrence, and `skipped` and `displaced` are empty; the key with another input is an error. */
  readonly idempotencyKey?: string | null | undefined;
  /** The machines. */
  readonly machines: ReadonlyArray<MachineSetInput>;
  /** A name for people, which its leases get. */
  readonly name?: string | null | undefined;
  /** Whether occurrences may be suspended in favour of leases that take precedence. */
  readonly preemptible?: boolean | null | undefined;
  /** The project of its leases. Default: the only project of the principal. */
  readonly project?: string | number | null | undefined;
  /** An RRULE (RFC 5545) with FREQ=DAILY, WEEKLY, MONTHLY or YEARLY, and INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS or WKST. */
  readonly rule: string;
  /** A name of the IANA time zone database, such as Europe/Berlin. */
  readonly timeZone: string;
};

/** A new token. */
export type CreateTokenInput = {
  /** When it expires, by the wall clock. Without it, never. */
  readonly expiresAt?: string | null | undefined;
  /** Repeating a request with its key returns the same token; the key with another input is an error. The secret is not shown again. */
  readonly idempotencyKey?: string | null | undefined;
  /** The unique name of the principal that it stands for. Letters, digits and . _ - @ only. */
  readonly name: string;
  /** The projects of which its holder is a member. */
  readonly projects?: ReadonlyArray<string | number> | null | undefined;
  /** What its holder may do. */
  readonly role: Role;
};

/** A new webhook. */
export type CreateWebhookInput = {
  /** Repeating a request with its key returns the same webhook; the key with another input is an error. The secret is not shown again. */
  readonly idempotencyKey?: string | null | undefined;
  /** The kinds of notices that it gets. Without it, or empty, all. */
  readonly kinds?: ReadonlyArray<NoticeKind> | null | undefined;
  /** It gets notices of leases of this project. Default: the only project of the principal; for operators, all notices of the site. */
  readonly project?: string | number | null | undefined;
  /** Signs deliveries: 16 to 200 characters. Without it, one is made. */
  readonly secret?: string | null | undefined;
  /** Where deliveries are posted: an https URL. */
  readonly url: string;
};

/** What has become of a delivery. */
export type DeliveryState =
  /** A test that was not delivered. (Notices are repeated instead.) */
  | 'FAILED'
  /** It has not been delivered yet. */
  | 'PENDING'
  /** Its receiver has answered with a status of 2xx. */
  | 'SUCCEEDED';

/** The disk image from which machines start. */
export type DiskImageInput = {
  /** Its name in the image repository. */
  readonly name: string;
  /** Its size in MB. */
  readonly sizeMb: number;
};

/** The lease to end. */
export type EndLeaseInput = {
  /** Changes nothing: the lease of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** Its global id. */
  readonly id: string | number;
};

/** The maintenance to end. */
export type EndMaintenanceInput = {
  /** Changes nothing: `userErrors` say why it would be refused, and the maintenance of the payload is null. */
  readonly dryRun?: boolean | null | undefined;
  /** Its id. */
  readonly id: string | number;
};

/** An interval [start, end). */
export type IntervalInput = {
  /** The first instant after it. */
  readonly end: string;
  /** Its first instant. */
  readonly start: string;
};

/** A property of a node that the site names. */
export type LabelInput = {
  /** Such as rack, site or model. */
  readonly key: string;
  /** Its value. */
  readonly value: string;
};

/** Selects the leases that meet every given condition. */
export type LeaseFilter = {
  /** true: not ended; false: ended. */
  readonly live?: boolean | null | undefined;
  /** With this text in the name, in any case. */
  readonly name?: string | null | undefined;
  /** With a reservation, past or planned, on one of these nodes. */
  readonly nodes?: ReadonlyArray<string | number> | null | undefined;
  /** With one of these numbers. */
  readonly numbers?: ReadonlyArray<number> | null | undefined;
  /** With a reservation, past or planned, that overlaps this interval. */
  readonly overlapping?: IntervalInput | null | undefined;
  /** Requested by one of these principals, by name. */
  readonly owners?: ReadonlyArray<string | number> | null | undefined;
  /** Of one of these projects. */
  readonly projects?: ReadonlyArray<string | number> | null | undefined;
  /** In one of these states. */
  readonly states?: ReadonlyArray<LeaseState> | null | undefined;
  /** Requested within this interval. */
  readonly submitted?: IntervalInput | null | undefined;
  /** Of one of these types. */
  readonly types?: ReadonlyArray<LeaseType> | null | undefined;
};

/** The order of a list of leases. */
export type LeaseOrder = {
  /** The direction. */
  readonly direction: OrderDirection;
  /** What orders them. */
  readonly field: LeaseOrderField;
};

/** What orders leases. Leases with equal values are ordered by number. */
export type LeaseOrderField =
  /** When the lease ended; leases that have not ended are last. */
  | 'ENDED_AT'
  /** The number. */
  | 'NUMBER'
  /** The planned start; without one, the last start; without one, the requested start. */
  | 'START'
  /** When the lease was requested. */
  | 'SUBMITTED_AT';

/** The state of a lease. */
export type LeaseState =
  /** Its machines run, or shut down. */
  | 'ACTIVE'
  /** Final: a user cancelled it. */
  | 'CANCELLED'
  /** Final: it ran. */
  | 'DONE'
  /** Final: something that it needed could not be done. */
  | 'FAILED'
  /** Its suspended machines are being moved to other nodes. */
  | 'MIGRATING'
  /** Created, and not yet considered. */
  | 'NEW'
  /** Accepted; waits for the next scheduling pass. */
  | 'PENDING'
  /** Its disk image is being transferred to the nodes. */
  | 'PREPARING'
  /** What is stored of it is not sound, so the scheduler leaves it out until it is repaired or discarded. */
  | 'QUARANTINED'
  /** Best effort: waits in the queue. */
  | 'QUEUED'
  /** Has reservations, and nothing left to prepare. */
  | 'READY'
  /** Final: it was refused, or could not be scheduled. */
  | 'REJECTED'
  /** Final: its user did not accept the price. */
  | 'REJECTED_BY_USER'
  /** Its machines are resumed and about to run. */
  | 'RESUMED_READY'
  /** Its machines are being resumed. */
  | 'RESUMING'
  /** Has reservations, and something to prepare first. */
  | 'SCHEDULED'
  /** Suspended; waits for the next scheduling pass. */
  | 'SUSPENDED_PENDING'
  /** Suspended; waits in the queue. */
  | 'SUSPENDED_QUEUED'
  /** Suspended; its resumption is reserved. */
  | 'SUSPENDED_SCHEDULED'
  /** Its machines are being suspended. */
  | 'SUSPENDING'
  /** A value that this version of the server does not know. */
  | 'UNKNOWN';

/** When a lease needs its machines. */
export type LeaseType =
  /** At an exact start; if that is not possible, the lease is rejected. */
  | 'ADVANCE_RESERVATION'
  /** As soon as they fit; until then the lease waits in the queue. */
  | 'BEST_EFFORT'
  /** At any time that lets the lease end by its deadline. */
  | 'DEADLINE'
  /** Now; if that is not possible, the lease is rejected. */
  | 'IMMEDIATE'
  /** A value that this version of the server does not know. */
  | 'UNKNOWN';

/** A number of equal machines. */
export type MachineSetInput = {
  /** The capacity of each machine. */
  readonly capacity: ReadonlyArray<ResourceAmountInput>;
  /** The number of machines. */
  readonly count: number;
};

/** What a host says of a machine. */
export type MachineStatus =
  /** Its image is there, and it has not run. */
  | 'PREPARED'
  /** It runs. */
  | 'RUNNING'
  /** It stopped by itself, and what is left of it is there. */
  | 'STOPPED'
  /** Its memory is saved. */
  | 'SUSPENDED';

/** Selects the nodes that meet every given condition. */
export type NodeFilter = {
  /** With this text in the host name, in any case. */
  readonly hostname?: string | null | undefined;
  /** With all of these labels. */
  readonly labels?: ReadonlyArray<LabelInput> | null | undefined;
  /** With one of these numbers. */
  readonly numbers?: ReadonlyArray<number> | null | undefined;
  /** In one of these states. */
  readonly states?: ReadonlyArray<NodeState> | null | undefined;
};

/** Whether a node can be used. */
export type NodeState =
  /** Failed: nothing runs on it. */
  | 'DOWN'
  /** Nothing new starts on it; what runs goes on. */
  | 'DRAINING'
  /** In use. */
  | 'UP';

/** What set the state of a node. */
export type NodeStateCause =
  /** Its host stopped answering, or answers again. */
  | 'HOST'
  /** Its host takes no new machines, according to the host manager, or takes them again. */
  | 'HOST_DISABLED'
  /** A principal did. */
  | 'OPERATOR'
  /** A machine could not be started on it and its lease was moved; nothing new starts on it for some time. Or that time is over. */
  | 'START_FAILED';

/** Selects the notices that meet every given condition. */
export type NoticeFilter = {
  /** Of one of these kinds. */
  readonly kinds?: ReadonlyArray<NoticeKind> | null | undefined;
  /** Of one of these leases. */
  readonly leases?: ReadonlyArray<string | number> | null | undefined;
  /** Of leases of this project. */
  readonly project?: string | number | null | undefined;
};

/** What a notice is about. */
export type NoticeKind =
  /** A lease has lost its nodes, or those it was planned on, and waits for others. */
  | 'LEASE_DISPLACED'
  /** The machines of a lease stop within its end notice. */
  | 'LEASE_ENDS_SOON'
  /** A lease has failed. */
  | 'LEASE_FAILED'
  /** The machines of a lease start later than planned, or an operation such as its suspension is late, because hosts take longer. */
  | 'LEASE_LATE'
  /** A lease got other nodes, or another start, because of its nodes. */
  | 'LEASE_MOVED'
  /** A lease gave way to another one. */
  | 'LEASE_PREEMPTED'
  /** Maintenance begins soon. */
  | 'MAINTENANCE_SOON'
  /** A node has failed. */
  | 'NODE_DOWN'
  /** A node that had failed is back. */
  | 'NODE_UP'
  /** A value that this version of the server does not know. */
  | 'UNKNOWN';

/** The direction of an order. */
export type OrderDirection =
  /** Ascending. */
  | 'ASC'
  /** Descending. */
  | 'DESC';

/** An interval in which nodes are not to be used. */
export type PlanMaintenanceInput = {
  /** What is done when leases would lose a place. */
  readonly collisions?: Collisions | null | undefined;
  /** Plans nothing: the maintenance of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** The first instant after it. */
  readonly end: string;
  /** Repeating a request with its key returns the same maintenance, and `displaced` is empty; the key with another input is an error. */
  readonly idempotencyKey?: string | null | undefined;
  /** The global ids of the nodes. */
  readonly nodes: ReadonlyArray<string | number>;
  /** Why, for people. */
  readonly reason?: string | null | undefined;
  /** Its first instant, not in the past. */
  readonly start: string;
};

/** Limits for the leases of a project that request some of one resource type. What is not given has no limit. */
export type QuotaInput = {
  /** The amount that they may hold together at any instant, also in what is planned. */
  readonly amount?: number | null | undefined;
  /** Amount times hours for which their machines may run within one `period`. */
  readonly amountHours?: number | null | undefined;
  /** The longest duration that a lease may request. */
  readonly maxDuration?: string | null | undefined;
  /** How many leases may exist that have not ended. */
  readonly maxLeases?: number | null | undefined;
  /** With `amountHours`: an hour at least. */
  readonly period?: string | null | undefined;
  /** The resource type. */
  readonly type: string;
};

/** The action, and what becomes of it. */
export type RecoverActionInput = {
  /** The global id of the action. */
  readonly id: string | number;
  /** What becomes of it. */
  readonly recovery: ActionRecovery;
};

/** What is done when occurrences of a new recurrence are not available. */
export type RecurrenceCollisions =
  /** The recurrence is refused, and the first of them is named. */
  | 'ALL_OR_NOTHING'
  /** The others are created. Refused when none is available. */
  | 'SKIP';

/** Whether occurrences are to come. */
export type RecurrenceState =
  /** Occurrences are to come, or the last one runs. */
  | 'ACTIVE'
  /** It was cancelled, and no occurrence is created any more. */
  | 'CANCELLED'
  /** All its occurrences have ended. */
  | 'ENDED';

/** The terms of a lease. */
export type RequestLeaseInput = {
  /** DEADLINE: the instant by which the lease must end. */
  readonly deadline?: string | null | undefined;
  /** The disk image from which the machines start. */
  readonly diskImage?: DiskImageInput | null | undefined;
  /** Creates nothing: the lease of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** The running time of the machines. */
  readonly duration: string;
  /** How long before the end of the lease a notice is given. PT0S: none. Default: the setting of the site. */
  readonly endNotice?: string | null | undefined;
  /** Repeating a request with its key returns the same lease; the key with another input is an error. With a key, a request whose answer was lost can be sent again. */
  readonly idempotencyKey?: string | null | undefined;
  /** Simulation: the actual running time of the machines, if it is shorter than `duration`. Accepted only where Site.acceptsKnownDurations is true. */
  readonly knownDuration?: string | null | undefined;
  /** The machines, machine 1 first. */
  readonly machines: ReadonlyArray<MachineSetInput>;
  /** A name for the lease. */
  readonly name?: string | null | undefined;
  /** Whether the lease may be suspended or requeued in favour of leases that take precedence. Default: true for BEST_EFFORT, otherwise false. */
  readonly preemptible?: boolean | null | undefined;
  /** The project of the lease. Default: the only project of the principal. */
  readonly project?: string | number | null | undefined;
  /** ADVANCE_RESERVATION: when the machines start. DEADLINE: their earliest start; without it, now. */
  readonly start?: string | null | undefined;
  /** When the machines are needed. */
  readonly type: LeaseType;
};

/** The purpose of a reservation. */
export type ReservationKind =
  /** Disk images are moved to other nodes. */
  | 'DISK_MIGRATION'
  /** A disk image is transferred from the image repository. */
  | 'IMAGE_TRANSFER'
  /** Saved memory is moved to other nodes. */
  | 'MEMORY_MIGRATION'
  /** Machines are resumed. */
  | 'RESUMPTION'
  /** Machines shut down. */
  | 'SHUTDOWN'
  /** Machines are suspended: their memory is written to disk. */
  | 'SUSPENSION'
  /** A value that this version of the server does not know. */
  | 'UNKNOWN'
  /** Machines run. */
  | 'VM';

/** The state of a reservation. */
export type ReservationState =
  /** In progress. */
  | 'ACTIVE'
  /** Stopped before its end. */
  | 'CANCELLED'
  /** Ended. */
  | 'DONE'
  /** Planned. */
  | 'SCHEDULED'
  /** A value that this version of the server does not know. */
  | 'UNKNOWN';

/** An amount of one type of resource. Repeat a type to ask for several instances of it. */
export type ResourceAmountInput = {
  /** In the unit of the type. */
  readonly amount: number;
  /** One of the site's resource types. */
  readonly type: string;
};

/** What a principal may do. Each role includes the ones before it. */
export type Role =
  /** Manages projects and tokens, and reads the audit log. */
  | 'ADMIN'
  /** Reads and changes all leases, and manages nodes. */
  | 'OPERATOR'
  /** Requests, changes and cancels leases of its projects. */
  | 'USER'
  /** Reads its projects' leases, and when nodes are busy. */
  | 'VIEWER';

/** The new state of a node. */
export type SetNodeStateInput = {
  /** What is done when leases would lose a place. DOWN always displaces. */
  readonly collisions?: Collisions | null | undefined;
  /** Changes nothing: the node of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** The global id of the node. */
  readonly id: string | number;
  /** Why, for people. */
  readonly reason?: string | null | undefined;
  /** The new state. */
  readonly state: NodeState;
};

/** New terms of a lease. What is not given stays as it is. */
export type UpdateLeaseInput = {
  /** An extension that is blocked goes as far as it can instead of being refused. */
  readonly asFarAsPossible?: boolean | null | undefined;
  /** DEADLINE: the new deadline. */
  readonly deadline?: string | null | undefined;
  /** Changes nothing: the lease of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** The new requested running time. */
  readonly duration?: string | null | undefined;
  /** How long before the end of the lease a notice is given. PT0S: none. */
  readonly endNotice?: string | null | undefined;
  /** Its global id. */
  readonly id: string | number;
  /** Repeating an update with its key returns the lease; the key with another input is an error. */
  readonly idempotencyKey?: string | null | undefined;
  /** The new name; null: none. */
  readonly name?: string | null | undefined;
  /** Whether the lease may from now on be suspended or requeued in favour of leases that take precedence. */
  readonly preemptible?: boolean | null | undefined;
  /** ADVANCE_RESERVATION: the new start. DEADLINE: the new earliest start. */
  readonly start?: string | null | undefined;
};

/** Changes of a project. What is not given stays as it is. */
export type UpdateProjectInput = {
  /** Its global id. */
  readonly id: string | number;
  /** Its new name. */
  readonly name?: string | null | undefined;
  /** All its new quotas; an empty list removes them. What is planned or runs stays. */
  readonly quotas?: ReadonlyArray<QuotaInput> | null | undefined;
};

/** New terms of occurrences that have not started, from one on. What is not given stays as it is. All or none change. */
export type UpdateRecurrenceInput = {
  /** Changes nothing: the recurrence of the payload is null, and `plan` says what would happen. */
  readonly dryRun?: boolean | null | undefined;
  /** The new running time. */
  readonly duration?: string | null | undefined;
  /** The first occurrence to change. Default: the first that has not started. */
  readonly from?: number | null | undefined;
  /** The global id of the recurrence. */
  readonly id: string | number;
  /** The name of leases that are still to be created. */
  readonly name?: string | null | undefined;
  /** The new start of that occurrence on the wall clock, such as 2030-01-31T09:00. Those after it move by as much. */
  readonly start?: string | null | undefined;
};

/** Changes of a webhook. What is not given stays as it is. */
export type UpdateWebhookInput = {
  /** True: it gets deliveries, at once those that waited while it was paused. False: it gets none. */
  readonly active?: boolean | null | undefined;
  /** Its global id. */
  readonly id: string | number;
  /** The kinds of notices that it gets from now on. Empty: all. */
  readonly kinds?: ReadonlyArray<NoticeKind> | null | undefined;
  /** Signs deliveries from now on. */
  readonly secret?: string | null | undefined;
  /** Where deliveries are posted: an https URL. */
  readonly url?: string | null | undefined;
};

/** Why a lease waits. */
export type WaitingCode =
  /** Other leases stand before it in the queue. */
  | 'BEHIND_IN_QUEUE'
  /** Its disk image is being transferred. */
  | 'IMAGE_TRANSFER'
  /** Nodes that it needs are in maintenance. */
  | 'MAINTENANCE'
  /** Nodes that it needs are down or drained. */
  | 'NODES_UNAVAILABLE'
  /** No scheduling pass has considered it yet. */
  | 'NOT_YET_CONSIDERED'
  /** What is stored of it is not sound, so the scheduler leaves it out. `leasegraph check` says why, and `leasegraph discard` gives it up. */
  | 'QUARANTINED'
  /** The quotas of its project do not allow more now. */
  | 'QUOTA'
  /** What it needs is held by other leases. */
  | 'RESOURCES'
  /** It is planned, and its start has not been reached. */
  | 'START_NOT_REACHED'
  /** It is suspended, and continues when its machines fit. */
  | 'SUSPENDED';

/** Whether a webhook gets deliveries. */
export type WebhookState =
  /** It gets deliveries. */
  | 'ACTIVE'
  /** It gets no deliveries, and what happens meanwhile is not delivered later. */
  | 'DISABLED'
  /** Deliveries to it failed for long. They wait, and new ones with them, until it is active again. */
  | 'PAUSED';

export type ConsoleLeaseFragment = { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null };

export type ConsoleViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ConsoleViewerQuery = { readonly serverTime: string, readonly viewer: { readonly name: string, readonly role: Role, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> }, readonly site: { readonly name: string, readonly resourceTypes: ReadonlyArray<string>, readonly timeZone: string, readonly clockSpeed: number } };

export type ConsoleOverviewQueryVariables = Exact<{
  running: LeaseFilter;
  waiting: LeaseFilter;
  now: string;
}>;


export type ConsoleOverviewQuery = { readonly serverTime: string, readonly running: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }> }, readonly waiting: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }> }, readonly queue: { readonly totalCount: number }, readonly nodes: { readonly totalCount: number }, readonly unavailable: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string, readonly state: NodeState }> }, readonly maintenance: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly reason: string | null, readonly start: string, readonly end: string, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }> }, readonly scheduler: { readonly role: string, readonly problems: ReadonlyArray<string> }, readonly notices: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly kind: NoticeKind, readonly message: string, readonly lease: { readonly number: number, readonly name: string | null } | null, readonly node: { readonly number: number, readonly hostname: string } | null }> } | null };

export type ConsoleNoticeFragment = { readonly id: string, readonly at: string, readonly kind: NoticeKind, readonly message: string, readonly lease: { readonly number: number, readonly name: string | null } | null, readonly node: { readonly number: number, readonly hostname: string } | null };

export type ConsoleNoticesQueryVariables = Exact<{
  filter?: NoticeFilter | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConsoleNoticesQuery = { readonly notices: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly kind: NoticeKind, readonly message: string, readonly lease: { readonly number: number, readonly name: string | null } | null, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly pageInfo: { readonly hasPreviousPage: boolean, readonly startCursor: string | null } } | null };

export type ConsoleMaintenanceFragment = { readonly id: string, readonly reason: string | null, readonly start: string, readonly end: string, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> };

export type ConsoleUtilizationQueryVariables = Exact<{
  resource: string;
  from: string;
  to: string;
  step: string;
}>;


export type ConsoleUtilizationQuery = { readonly utilization: ReadonlyArray<{ readonly start: string, readonly end: string, readonly used: number, readonly suspending: number, readonly resuming: number, readonly shuttingDown: number, readonly free: number }> };

export type ConsoleLeasesQueryVariables = Exact<{
  filter?: LeaseFilter | null | undefined;
  orderBy?: LeaseOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConsoleLeasesQuery = { readonly leases: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type ConsoleLeaseDetailQueryVariables = Exact<{
  number: number;
}>;


export type ConsoleLeaseDetailQuery = { readonly lease: { readonly restarts: number, readonly lostDuration: string, readonly occurrence: number | null, readonly endNotice: string | null, readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly recurrence: { readonly id: string, readonly number: number } | null, readonly waiting: { readonly code: WaitingCode, readonly message: string, readonly estimatedStart: string | null, readonly longestNow: string | null, readonly blockedBy: ReadonlyArray<{ readonly number: number, readonly name: string | null }> } | null, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly reservations: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }> }, readonly actions: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ActionKind, readonly state: ActionState, readonly at: string, readonly finishedAt: string | null, readonly attempts: number, readonly error: string | null, readonly output: string | null, readonly nodes: ReadonlyArray<{ readonly hostname: string }> }> }, readonly events: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly sequence: number, readonly at: string, readonly from: LeaseState, readonly to: LeaseState, readonly reason: { readonly code: string, readonly message: string } | null }> }, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null } | null };

export type ConsoleQueueQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleQueueQuery = { readonly queue: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type ConsoleNodeFragment = { readonly id: string, readonly number: number, readonly hostname: string, readonly state: NodeState, readonly stateChange: { readonly at: string, readonly by: string | null, readonly cause: NodeStateCause, readonly reason: string | null } | null, readonly labels: ReadonlyArray<{ readonly key: string, readonly value: string }>, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly available: ReadonlyArray<{ readonly type: string, readonly amount: number }> };

export type ConsoleNodesQueryVariables = Exact<{
  filter?: NodeFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleNodesQuery = { readonly nodes: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly hostname: string, readonly state: NodeState, readonly stateChange: { readonly at: string, readonly by: string | null, readonly cause: NodeStateCause, readonly reason: string | null } | null, readonly labels: ReadonlyArray<{ readonly key: string, readonly value: string }>, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly available: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type ConsoleNodeDetailQueryVariables = Exact<{
  number: number;
  from: string;
}>;


export type ConsoleNodeDetailQuery = { readonly nodes: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly hostname: string, readonly state: NodeState, readonly host: { readonly lastAnswerAt: string | null, readonly failures: number, readonly unreachableSince: string | null, readonly error: string | null, readonly unremovedMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number }>, readonly strayMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number, readonly status: MachineStatus, readonly since: string, readonly isRemoved: boolean }> } | null, readonly actions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ActionKind, readonly state: ActionState, readonly at: string, readonly finishedAt: string | null, readonly error: string | null, readonly lease: { readonly number: number } | null }> }, readonly reservations: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly lease: { readonly number: number, readonly name: string | null } }> }, readonly stateChange: { readonly at: string, readonly by: string | null, readonly cause: NodeStateCause, readonly reason: string | null } | null, readonly labels: ReadonlyArray<{ readonly key: string, readonly value: string }>, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly available: ReadonlyArray<{ readonly type: string, readonly amount: number }> }> } };

export type ConsoleChartNodesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleChartNodesQuery = { readonly nodes: { readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string, readonly state: NodeState }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type ConsoleNodeLeasesQueryVariables = Exact<{
  node: string | number;
}>;


export type ConsoleNodeLeasesQuery = { readonly leases: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }> } };

export type ConsoleMaintenanceListQueryVariables = Exact<{
  from?: string | null | undefined;
  to?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleMaintenanceListQuery = { readonly maintenance: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly reason: string | null, readonly start: string, readonly end: string, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type ConsoleAccountingQueryVariables = Exact<{
  from: string;
  to: string;
  by: AccountingGroup;
  step: string;
}>;


export type ConsoleAccountingQuery = { readonly accounting: ReadonlyArray<{ readonly leases: number, readonly waiting: string, readonly preemptions: number, readonly requested: ReadonlyArray<{ readonly type: string, readonly hours: number }>, readonly used: ReadonlyArray<{ readonly type: string, readonly hours: number }>, readonly lost: ReadonlyArray<{ readonly type: string, readonly hours: number }>, readonly project: { readonly id: string, readonly name: string } | null, readonly owner: { readonly name: string } | null, readonly lease: { readonly number: number, readonly name: string | null } | null }>, readonly overTime: ReadonlyArray<{ readonly start: string, readonly used: ReadonlyArray<{ readonly type: string, readonly hours: number }>, readonly project: { readonly id: string, readonly name: string } | null, readonly owner: { readonly name: string } | null, readonly lease: { readonly number: number, readonly name: string | null } | null }> };

export type ConsoleAccountingGroupFragment = { readonly project: { readonly id: string, readonly name: string } | null, readonly owner: { readonly name: string } | null, readonly lease: { readonly number: number, readonly name: string | null } | null };

export type ConsoleAvailabilityQueryVariables = Exact<{
  machines: ReadonlyArray<MachineSetInput> | MachineSetInput;
  duration: string;
  project?: string | number | null | undefined;
  from: string;
  to: string;
}>;


export type ConsoleAvailabilityQuery = { readonly availability: { readonly earliestStart: string | null, readonly windows: ReadonlyArray<{ readonly start: string, readonly end: string }> } };

export type ConsoleScheduleQueryVariables = Exact<{
  from: string;
  to: string;
}>;


export type ConsoleScheduleQuery = { readonly schedule: { readonly isComplete: boolean, readonly reservations: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly nodes: ReadonlyArray<number>, readonly leaseNumber: number, readonly leaseName: string | null, readonly leaseState: LeaseState, readonly leaseType: LeaseType, readonly leaseProject: string | null }> } | null };

export type ConsoleRequestLeaseMutationVariables = Exact<{
  input: RequestLeaseInput;
}>;


export type ConsoleRequestLeaseMutation = { readonly requestLease: { readonly lease: { readonly number: number, readonly state: LeaseState, readonly stateReason: { readonly message: string } | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleEndingFragment = { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null } }> };

export type ConsoleCancelLeaseMutationVariables = Exact<{
  input: CancelLeaseInput;
}>;


export type ConsoleCancelLeaseMutation = { readonly cancelLease: { readonly plan: { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null } }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleEventsSubscriptionVariables = Exact<{
  after?: number | null | undefined;
}>;


export type ConsoleEventsSubscription = { readonly leaseEvents: { readonly sequence: number, readonly from: LeaseState, readonly to: LeaseState, readonly lease: { readonly number: number } } };

export type ConsoleNewNoticesSubscriptionVariables = Exact<{
  after?: number | null | undefined;
}>;


export type ConsoleNewNoticesSubscription = { readonly notices: { readonly sequence: number } };

export type ConsoleNodeChangedSubscriptionVariables = Exact<{
  id?: string | number | null | undefined;
}>;


export type ConsoleNodeChangedSubscription = { readonly nodeChanged: { readonly number: number } };

export type ConsoleDiscardLeaseMutationVariables = Exact<{
  id: string | number;
}>;


export type ConsoleDiscardLeaseMutation = { readonly discardLease: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleProjectsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleProjectsQuery = { readonly projects: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly createdAt: string, readonly quotas: ReadonlyArray<{ readonly type: string, readonly amount: number | null, readonly amountHours: number | null, readonly period: string | null, readonly maxDuration: string | null, readonly maxLeases: number | null, readonly usage: { readonly amount: number, readonly amountHours: number | null, readonly leases: number, readonly periodStart: string | null } | null }> }> } };

export type ConsoleQuotaFragment = { readonly type: string, readonly amount: number | null, readonly amountHours: number | null, readonly period: string | null, readonly maxDuration: string | null, readonly maxLeases: number | null, readonly usage: { readonly amount: number, readonly amountHours: number | null, readonly leases: number, readonly periodStart: string | null } | null };

export type ConsoleUpdateProjectMutationVariables = Exact<{
  input: UpdateProjectInput;
}>;


export type ConsoleUpdateProjectMutation = { readonly updateProject: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleTokensQueryVariables = Exact<{
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConsoleTokensQuery = { readonly tokens: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly prefix: string, readonly role: Role, readonly createdAt: string, readonly lastUsedAt: string | null, readonly expiresAt: string | null, readonly revokedAt: string | null, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> }>, readonly pageInfo: { readonly hasPreviousPage: boolean, readonly startCursor: string | null } } };

export type ConsoleAuditLogQueryVariables = Exact<{
  filter?: AuditFilter | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConsoleAuditLogQuery = { readonly auditLog: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly at: string, readonly principal: string, readonly role: Role, readonly mutation: string, readonly subject: string | null, readonly outcome: string, readonly requestId: string }>, readonly pageInfo: { readonly hasPreviousPage: boolean, readonly startCursor: string | null } } };

export type ConsoleCreateProjectMutationVariables = Exact<{
  input: CreateProjectInput;
}>;


export type ConsoleCreateProjectMutation = { readonly createProject: { readonly project: { readonly id: string, readonly name: string } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleCreateTokenMutationVariables = Exact<{
  input: CreateTokenInput;
}>;


export type ConsoleCreateTokenMutation = { readonly createToken: { readonly secret: string | null, readonly token: { readonly id: string, readonly name: string } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleRevokeTokenMutationVariables = Exact<{
  id: string | number;
}>;


export type ConsoleRevokeTokenMutation = { readonly revokeToken: { readonly token: { readonly id: string, readonly revokedAt: string | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleUpdateLeaseMutationVariables = Exact<{
  input: UpdateLeaseInput;
}>;


export type ConsoleUpdateLeaseMutation = { readonly updateLease: { readonly lease: { readonly number: number } | null, readonly plan: { readonly accepted: boolean, readonly start: string | null, readonly end: string | null, readonly firstPossibleStart: string | null, readonly maxDuration: string | null, readonly reason: { readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleEndLeaseMutationVariables = Exact<{
  input: EndLeaseInput;
}>;


export type ConsoleEndLeaseMutation = { readonly endLease: { readonly plan: { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null } }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleRecoverActionMutationVariables = Exact<{
  input: RecoverActionInput;
}>;


export type ConsoleRecoverActionMutation = { readonly recoverAction: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsolePlanFragment = { readonly accepted: boolean, readonly start: string | null, readonly end: string | null, readonly firstPossibleStart: string | null, readonly maxDuration: string | null, readonly reason: { readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }> };

export type ConsolePlanRequestMutationVariables = Exact<{
  input: RequestLeaseInput;
}>;


export type ConsolePlanRequestMutation = { readonly requestLease: { readonly plan: { readonly accepted: boolean, readonly start: string | null, readonly end: string | null, readonly firstPossibleStart: string | null, readonly maxDuration: string | null, readonly reason: { readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleDisplacementFragment = { readonly accepted: boolean, readonly firstPossibleStart: string | null, readonly reason: { readonly message: string } | null, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }>, readonly withoutPlace: ReadonlyArray<{ readonly number: number, readonly name: string | null }> };

export type ConsoleSetNodeStateMutationVariables = Exact<{
  input: SetNodeStateInput;
}>;


export type ConsoleSetNodeStateMutation = { readonly setNodeState: { readonly plan: { readonly accepted: boolean, readonly firstPossibleStart: string | null, readonly reason: { readonly message: string } | null, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }>, readonly withoutPlace: ReadonlyArray<{ readonly number: number, readonly name: string | null }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsolePlanMaintenanceMutationVariables = Exact<{
  input: PlanMaintenanceInput;
}>;


export type ConsolePlanMaintenanceMutation = { readonly planMaintenance: { readonly plan: { readonly accepted: boolean, readonly firstPossibleStart: string | null, readonly reason: { readonly message: string } | null, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }>, readonly withoutPlace: ReadonlyArray<{ readonly number: number, readonly name: string | null }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleEndMaintenanceMutationVariables = Exact<{
  input: EndMaintenanceInput;
}>;


export type ConsoleEndMaintenanceMutation = { readonly endMaintenance: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleRecurrenceFragment = { readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null, readonly upcoming: ReadonlyArray<{ readonly start: string }> };

export type ConsoleRecurrencesQueryVariables = Exact<{
  live?: boolean | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConsoleRecurrencesQuery = { readonly recurrences: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null, readonly upcoming: ReadonlyArray<{ readonly start: string }> }>, readonly pageInfo: { readonly hasPreviousPage: boolean, readonly startCursor: string | null } } | null };

export type ConsoleRecurrenceDetailQueryVariables = Exact<{
  id: string | number;
}>;


export type ConsoleRecurrenceDetailQuery = { readonly node:
    | { readonly collisions: RecurrenceCollisions, readonly preemptible: boolean, readonly createdAt: string, readonly cancelledAt: string | null, readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly next: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly end: string, readonly lease: { readonly number: number, readonly state: LeaseState } | null }>, readonly skipped: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly reason: { readonly message: string } }>, readonly leases: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }> }, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null, readonly upcoming: ReadonlyArray<{ readonly start: string }> }
    | Record<PropertyKey, never>
   | null };

export type ConsoleRecurrencePlanFragment = { readonly accepted: boolean, readonly occurrences: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly end: string, readonly firstPossibleStart: string | null, readonly reason: { readonly message: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }> };

export type ConsolePlanRecurrenceMutationVariables = Exact<{
  input: CreateRecurrenceInput;
}>;


export type ConsolePlanRecurrenceMutation = { readonly createRecurrence: { readonly plan: { readonly accepted: boolean, readonly occurrences: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly end: string, readonly firstPossibleStart: string | null, readonly reason: { readonly message: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleCreateRecurrenceMutationVariables = Exact<{
  input: CreateRecurrenceInput;
}>;


export type ConsoleCreateRecurrenceMutation = { readonly createRecurrence: { readonly recurrence: { readonly id: string } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleCancelRecurrenceMutationVariables = Exact<{
  input: CancelRecurrenceInput;
}>;


export type ConsoleCancelRecurrenceMutation = { readonly cancelRecurrence: { readonly plan: { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null } }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleUpdateRecurrenceMutationVariables = Exact<{
  input: UpdateRecurrenceInput;
}>;


export type ConsoleUpdateRecurrenceMutation = { readonly updateRecurrence: { readonly plan: { readonly accepted: boolean, readonly occurrences: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly end: string, readonly firstPossibleStart: string | null, readonly reason: { readonly message: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number, readonly name: string | null }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleWebhooksQueryVariables = Exact<{
  first?: number | null | undefined;
}>;


export type ConsoleWebhooksQuery = { readonly webhooks: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly url: string, readonly kinds: ReadonlyArray<NoticeKind>, readonly owner: string, readonly state: WebhookState, readonly pausedAt: string | null, readonly pauseReason: string | null, readonly project: { readonly id: string, readonly name: string } | null, readonly deliveries: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly state: DeliveryState, readonly status: number | null, readonly error: string | null, readonly attempts: number, readonly createdAt: string, readonly notice: { readonly kind: NoticeKind } | null }> } }> } | null };

export type ConsoleCreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type ConsoleCreateWebhookMutation = { readonly createWebhook: { readonly secret: string | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleUpdateWebhookMutationVariables = Exact<{
  input: UpdateWebhookInput;
}>;


export type ConsoleUpdateWebhookMutation = { readonly updateWebhook: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleTestWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type ConsoleTestWebhookMutation = { readonly testWebhook: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleDeleteWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type ConsoleDeleteWebhookMutation = { readonly deleteWebhook: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const ConsoleLeaseFragmentDoc = new TypedDocumentString(`
    fragment ConsoleLease on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  submittedAt
  requestedStart
  requestedDuration
  deadline
  estimatedStart
  actualStart
  endedAt
  accumulatedDuration
  queuePosition
  preemptible
  estimatedEnd
  owner {
    name
  }
  project {
    id
    name
  }
}
    `, {"fragmentName":"ConsoleLease"}) as unknown as TypedDocumentString<ConsoleLeaseFragment, unknown>;
export const ConsoleNoticeFragmentDoc = new TypedDocumentString(`
    fragment ConsoleNotice on Notice {
  id
  at
  kind
  message
  lease {
    number
    name
  }
  node {
    number
    hostname
  }
}
    `, {"fragmentName":"ConsoleNotice"}) as unknown as TypedDocumentString<ConsoleNoticeFragment, unknown>;
export const ConsoleMaintenanceFragmentDoc = new TypedDocumentString(`
    fragment ConsoleMaintenance on Maintenance {
  id
  reason
  start
  end
  nodes {
    number
    hostname
  }
}
    `, {"fragmentName":"ConsoleMaintenance"}) as unknown as TypedDocumentString<ConsoleMaintenanceFragment, unknown>;
export const ConsoleNodeFragmentDoc = new TypedDocumentString(`
    fragment ConsoleNode on ComputeNode {
  id
  number
  hostname
  state
  stateChange {
    at
    by
    cause
    reason
  }
  labels {
    key
    value
  }
  capacity {
    type
    amount
  }
  available {
    type
    amount
  }
}
    `, {"fragmentName":"ConsoleNode"}) as unknown as TypedDocumentString<ConsoleNodeFragment, unknown>;
export const ConsoleAccountingGroupFragmentDoc = new TypedDocumentString(`
    fragment ConsoleAccountingGroup on Accounting {
  project {
    id
    name
  }
  owner {
    name
  }
  lease {
    number
    name
  }
}
    `, {"fragmentName":"ConsoleAccountingGroup"}) as unknown as TypedDocumentString<ConsoleAccountingGroupFragment, unknown>;
export const ConsoleEndingFragmentDoc = new TypedDocumentString(`
    fragment ConsoleEnding on PlannedEnding {
  accepted
  ends {
    number
    name
  }
  sooner {
    lease {
      number
      name
    }
    plannedStart
    start
  }
  isComplete
}
    `, {"fragmentName":"ConsoleEnding"}) as unknown as TypedDocumentString<ConsoleEndingFragment, unknown>;
export const ConsoleQuotaFragmentDoc = new TypedDocumentString(`
    fragment ConsoleQuota on Quota {
  type
  amount
  amountHours
  period
  maxDuration
  maxLeases
  usage {
    amount
    amountHours
    leases
    periodStart
  }
}
    `, {"fragmentName":"ConsoleQuota"}) as unknown as TypedDocumentString<ConsoleQuotaFragment, unknown>;
export const ConsolePlanFragmentDoc = new TypedDocumentString(`
    fragment ConsolePlan on PlannedLease {
  accepted
  start
  end
  firstPossibleStart
  maxDuration
  reason {
    message
  }
  machines {
    index
    node {
      number
      hostname
    }
  }
  displaces {
    number
    name
  }
}
    `, {"fragmentName":"ConsolePlan"}) as unknown as TypedDocumentString<ConsolePlanFragment, unknown>;
export const ConsoleDisplacementFragmentDoc = new TypedDocumentString(`
    fragment ConsoleDisplacement on PlannedDisplacement {
  accepted
  firstPossibleStart
  reason {
    message
  }
  displaces {
    number
    name
  }
  withoutPlace {
    number
    name
  }
}
    `, {"fragmentName":"ConsoleDisplacement"}) as unknown as TypedDocumentString<ConsoleDisplacementFragment, unknown>;
export const ConsoleRecurrenceFragmentDoc = new TypedDocumentString(`
    fragment ConsoleRecurrence on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  owner {
    name
  }
  project {
    id
    name
  }
  upcoming(first: 1) {
    start
  }
}
    `, {"fragmentName":"ConsoleRecurrence"}) as unknown as TypedDocumentString<ConsoleRecurrenceFragment, unknown>;
export const ConsoleRecurrencePlanFragmentDoc = new TypedDocumentString(`
    fragment ConsoleRecurrencePlan on PlannedRecurrence {
  accepted
  occurrences {
    occurrence
    start
    end
    firstPossibleStart
    reason {
      message
    }
  }
  displaces {
    number
    name
  }
}
    `, {"fragmentName":"ConsoleRecurrencePlan"}) as unknown as TypedDocumentString<ConsoleRecurrencePlanFragment, unknown>;
export const ConsoleViewerDocument = new TypedDocumentString(`
    query ConsoleViewer {
  viewer {
    name
    role
    projects {
      id
      name
    }
  }
  site {
    name
    resourceTypes
    timeZone
    clockSpeed
  }
  serverTime
}
    `) as unknown as TypedDocumentString<ConsoleViewerQuery, ConsoleViewerQueryVariables>;
export const ConsoleOverviewDocument = new TypedDocumentString(`
    query ConsoleOverview($running: LeaseFilter!, $waiting: LeaseFilter!, $now: DateTime!) {
  serverTime
  running: leases(
    filter: $running
    orderBy: {field: START, direction: DESC}
    first: 8
  ) {
    totalCount
    nodes {
      ...ConsoleLease
    }
  }
  waiting: leases(
    filter: $waiting
    orderBy: {field: START, direction: ASC}
    first: 8
  ) {
    totalCount
    nodes {
      ...ConsoleLease
    }
  }
  queue(first: 1) {
    totalCount
  }
  nodes(first: 1) {
    totalCount
  }
  unavailable: nodes(filter: {states: [DRAINING, DOWN]}, first: 3) {
    totalCount
    nodes {
      number
      hostname
      state
    }
  }
  maintenance(from: $now, first: 3) {
    totalCount
    nodes {
      ...ConsoleMaintenance
    }
  }
  scheduler {
    role
    problems
  }
  notices(last: 5) {
    nodes {
      ...ConsoleNotice
    }
  }
}
    fragment ConsoleLease on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  submittedAt
  requestedStart
  requestedDuration
  deadline
  estimatedStart
  actualStart
  endedAt
  accumulatedDuration
  queuePosition
  preemptible
  estimatedEnd
  owner {
    name
  }
  project {
    id
    name
  }
}
fragment ConsoleNotice on Notice {
  id
  at
  kind
  message
  lease {
    number
    name
  }
  node {
    number
    hostname
  }
}
fragment ConsoleMaintenance on Maintenance {
  id
  reason
  start
  end
  nodes {
    number
    hostname
  }
}`) as unknown as TypedDocumentString<ConsoleOverviewQuery, ConsoleOverviewQueryVariables>;
export const ConsoleNoticesDocument = new TypedDocumentString(`
    query ConsoleNotices($filter: NoticeFilter, $last: Int, $before: String) {
  notices(filter: $filter, last: $last, before: $before) {
    totalCount
    nodes {
      ...ConsoleNotice
    }
    pageInfo {
      hasPreviousPage
      startCursor
    }
  }
}
    fragment ConsoleNotice on Notice {
  id
  at
  kind
  message
  lease {
    number
    name
  }
  node {
    number
    hostname
  }
}`) as unknown as TypedDocumentString<ConsoleNoticesQuery, ConsoleNoticesQueryVariables>;
export const ConsoleUtilizationDocument = new TypedDocumentString(`
    query ConsoleUtilization($resource: String!, $from: DateTime!, $to: DateTime!, $step: Duration!) {
  utilization(resource: $resource, from: $from, to: $to, step: $step) {
    start
    end
    used
    suspending
    resuming
    shuttingDown
    free
  }
}
    `) as unknown as TypedDocumentString<ConsoleUtilizationQuery, ConsoleUtilizationQueryVariables>;
export const ConsoleLeasesDocument = new TypedDocumentString(`
    query ConsoleLeases($filter: LeaseFilter, $orderBy: LeaseOrder, $first: Int, $after: String, $last: Int, $before: String) {
  leases(
    filter: $filter
    orderBy: $orderBy
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    totalCount
    nodes {
      ...ConsoleLease
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    fragment ConsoleLease on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  submittedAt
  requestedStart
  requestedDuration
  deadline
  estimatedStart
  actualStart
  endedAt
  accumulatedDuration
  queuePosition
  preemptible
  estimatedEnd
  owner {
    name
  }
  project {
    id
    name
  }
}`) as unknown as TypedDocumentString<ConsoleLeasesQuery, ConsoleLeasesQueryVariables>;
export const ConsoleLeaseDetailDocument = new TypedDocumentString(`
    query ConsoleLeaseDetail($number: Int!) {
  lease(number: $number) {
    ...ConsoleLease
    restarts
    lostDuration
    occurrence
    recurrence {
      id
      number
    }
    endNotice
    waiting {
      code
      message
      estimatedStart
      longestNow
      blockedBy {
        number
        name
      }
    }
    diskImage {
      name
      sizeMb
    }
    machines {
      index
      capacity {
        type
        amount
      }
      node {
        number
        hostname
      }
    }
    reservations(last: 100) {
      totalCount
      nodes {
        id
        kind
        state
        start
        end
        nodes {
          number
          hostname
        }
      }
    }
    actions(last: 50) {
      totalCount
      nodes {
        id
        kind
        state
        at
        finishedAt
        attempts
        error
        output
        nodes {
          hostname
        }
      }
    }
    events(last: 100) {
      totalCount
      nodes {
        sequence
        at
        from
        to
        reason {
          code
          message
        }
      }
    }
  }
}
    fragment ConsoleLease on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  submittedAt
  requestedStart
  requestedDuration
  deadline
  estimatedStart
  actualStart
  endedAt
  accumulatedDuration
  queuePosition
  preemptible
  estimatedEnd
  owner {
    name
  }
  project {
    id
    name
  }
}`) as unknown as TypedDocumentString<ConsoleLeaseDetailQuery, ConsoleLeaseDetailQueryVariables>;
export const ConsoleQueueDocument = new TypedDocumentString(`
    query ConsoleQueue($first: Int, $after: String) {
  queue(first: $first, after: $after) {
    totalCount
    nodes {
      ...ConsoleLease
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment ConsoleLease on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  submittedAt
  requestedStart
  requestedDuration
  deadline
  estimatedStart
  actualStart
  endedAt
  accumulatedDuration
  queuePosition
  preemptible
  estimatedEnd
  owner {
    name
  }
  project {
    id
    name
  }
}`) as unknown as TypedDocumentString<ConsoleQueueQuery, ConsoleQueueQueryVariables>;
export const ConsoleNodesDocument = new TypedDocumentString(`
    query ConsoleNodes($filter: NodeFilter, $first: Int, $after: String) {
  nodes(filter: $filter, first: $first, after: $after) {
    totalCount
    nodes {
      ...ConsoleNode
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment ConsoleNode on ComputeNode {
  id
  number
  hostname
  state
  stateChange {
    at
    by
    cause
    reason
  }
  labels {
    key
    value
  }
  capacity {
    type
    amount
  }
  available {
    type
    amount
  }
}`) as unknown as TypedDocumentString<ConsoleNodesQuery, ConsoleNodesQueryVariables>;
export const ConsoleNodeDetailDocument = new TypedDocumentString(`
    query ConsoleNodeDetail($number: Int!, $from: DateTime!) {
  nodes(filter: {numbers: [$number]}) {
    nodes {
      ...ConsoleNode
      host {
        lastAnswerAt
        failures
        unreachableSince
        error
        unremovedMachines {
          leaseNumber
          machine
        }
        strayMachines {
          leaseNumber
          machine
          status
          since
          isRemoved
        }
      }
      actions(last: 20) {
        nodes {
          id
          kind
          state
          at
          finishedAt
          error
          lease {
            number
          }
        }
      }
      reservations(from: $from, first: 50) {
        totalCount
        nodes {
          id
          kind
          state
          start
          end
          lease {
            number
            name
          }
        }
      }
    }
  }
}
    fragment ConsoleNode on ComputeNode {
  id
  number
  hostname
  state
  stateChange {
    at
    by
    cause
    reason
  }
  labels {
    key
    value
  }
  capacity {
    type
    amount
  }
  available {
    type
    amount
  }
}`) as unknown as TypedDocumentString<ConsoleNodeDetailQuery, ConsoleNodeDetailQueryVariables>;
export const ConsoleChartNodesDocument = new TypedDocumentString(`
    query ConsoleChartNodes($first: Int, $after: String) {
  nodes(first: $first, after: $after) {
    nodes {
      number
      hostname
      state
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleChartNodesQuery, ConsoleChartNodesQueryVariables>;
export const ConsoleNodeLeasesDocument = new TypedDocumentString(`
    query ConsoleNodeLeases($node: ID!) {
  leases(filter: {nodes: [$node], live: true}, first: 20) {
    totalCount
    nodes {
      ...ConsoleLease
    }
  }
}
    fragment ConsoleLease on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  submittedAt
  requestedStart
  requestedDuration
  deadline
  estimatedStart
  actualStart
  endedAt
  accumulatedDuration
  queuePosition
  preemptible
  estimatedEnd
  owner {
    name
  }
  project {
    id
    name
  }
}`) as unknown as TypedDocumentString<ConsoleNodeLeasesQuery, ConsoleNodeLeasesQueryVariables>;
export const ConsoleMaintenanceListDocument = new TypedDocumentString(`
    query ConsoleMaintenanceList($from: DateTime, $to: DateTime, $first: Int, $after: String) {
  maintenance(from: $from, to: $to, first: $first, after: $after) {
    totalCount
    nodes {
      ...ConsoleMaintenance
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment ConsoleMaintenance on Maintenance {
  id
  reason
  start
  end
  nodes {
    number
    hostname
  }
}`) as unknown as TypedDocumentString<ConsoleMaintenanceListQuery, ConsoleMaintenanceListQueryVariables>;
export const ConsoleAccountingDocument = new TypedDocumentString(`
    query ConsoleAccounting($from: DateTime!, $to: DateTime!, $by: AccountingGroup!, $step: Duration!) {
  accounting(from: $from, to: $to, by: $by) {
    ...ConsoleAccountingGroup
    leases
    requested {
      type
      hours
    }
    used {
      type
      hours
    }
    waiting
    preemptions
    lost {
      type
      hours
    }
  }
  overTime: accounting(from: $from, to: $to, by: $by, step: $step) {
    ...ConsoleAccountingGroup
    start
    used {
      type
      hours
    }
  }
}
    fragment ConsoleAccountingGroup on Accounting {
  project {
    id
    name
  }
  owner {
    name
  }
  lease {
    number
    name
  }
}`) as unknown as TypedDocumentString<ConsoleAccountingQuery, ConsoleAccountingQueryVariables>;
export const ConsoleAvailabilityDocument = new TypedDocumentString(`
    query ConsoleAvailability($machines: [MachineSetInput!]!, $duration: Duration!, $project: ID, $from: DateTime!, $to: DateTime!) {
  availability(
    machines: $machines
    duration: $duration
    project: $project
    from: $from
    to: $to
  ) {
    earliestStart
    windows {
      start
      end
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleAvailabilityQuery, ConsoleAvailabilityQueryVariables>;
export const ConsoleScheduleDocument = new TypedDocumentString(`
    query ConsoleSchedule($from: DateTime!, $to: DateTime!) {
  schedule(from: $from, to: $to) {
    isComplete
    reservations {
      id
      kind
      state
      start
      end
      nodes
      leaseNumber
      leaseName
      leaseState
      leaseType
      leaseProject
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleScheduleQuery, ConsoleScheduleQueryVariables>;
export const ConsoleRequestLeaseDocument = new TypedDocumentString(`
    mutation ConsoleRequestLease($input: RequestLeaseInput!) {
  requestLease(input: $input) {
    lease {
      number
      state
      stateReason {
        message
      }
    }
    userErrors {
      code
      message
      path
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleRequestLeaseMutation, ConsoleRequestLeaseMutationVariables>;
export const ConsoleCancelLeaseDocument = new TypedDocumentString(`
    mutation ConsoleCancelLease($input: CancelLeaseInput!) {
  cancelLease(input: $input) {
    plan {
      ...ConsoleEnding
    }
    userErrors {
      code
      message
    }
  }
}
    fragment ConsoleEnding on PlannedEnding {
  accepted
  ends {
    number
    name
  }
  sooner {
    lease {
      number
      name
    }
    plannedStart
    start
  }
  isComplete
}`) as unknown as TypedDocumentString<ConsoleCancelLeaseMutation, ConsoleCancelLeaseMutationVariables>;
export const ConsoleEventsDocument = new TypedDocumentString(`
    subscription ConsoleEvents($after: Long) {
  leaseEvents(after: $after) {
    sequence
    from
    to
    lease {
      number
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleEventsSubscription, ConsoleEventsSubscriptionVariables>;
export const ConsoleNewNoticesDocument = new TypedDocumentString(`
    subscription ConsoleNewNotices($after: Long) {
  notices(after: $after) {
    sequence
  }
}
    `) as unknown as TypedDocumentString<ConsoleNewNoticesSubscription, ConsoleNewNoticesSubscriptionVariables>;
export const ConsoleNodeChangedDocument = new TypedDocumentString(`
    subscription ConsoleNodeChanged($id: ID) {
  nodeChanged(id: $id) {
    number
  }
}
    `) as unknown as TypedDocumentString<ConsoleNodeChangedSubscription, ConsoleNodeChangedSubscriptionVariables>;
export const ConsoleDiscardLeaseDocument = new TypedDocumentString(`
    mutation ConsoleDiscardLease($id: ID!) {
  discardLease(input: {id: $id}) {
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleDiscardLeaseMutation, ConsoleDiscardLeaseMutationVariables>;
export const ConsoleProjectsDocument = new TypedDocumentString(`
    query ConsoleProjects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    totalCount
    nodes {
      id
      name
      createdAt
      quotas {
        ...ConsoleQuota
      }
    }
  }
}
    fragment ConsoleQuota on Quota {
  type
  amount
  amountHours
  period
  maxDuration
  maxLeases
  usage {
    amount
    amountHours
    leases
    periodStart
  }
}`) as unknown as TypedDocumentString<ConsoleProjectsQuery, ConsoleProjectsQueryVariables>;
export const ConsoleUpdateProjectDocument = new TypedDocumentString(`
    mutation ConsoleUpdateProject($input: UpdateProjectInput!) {
  updateProject(input: $input) {
    userErrors {
      code
      message
      path
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleUpdateProjectMutation, ConsoleUpdateProjectMutationVariables>;
export const ConsoleTokensDocument = new TypedDocumentString(`
    query ConsoleTokens($last: Int, $before: String) {
  tokens(last: $last, before: $before) {
    totalCount
    nodes {
      id
      name
      prefix
      role
      projects {
        id
        name
      }
      createdAt
      lastUsedAt
      expiresAt
      revokedAt
    }
    pageInfo {
      hasPreviousPage
      startCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleTokensQuery, ConsoleTokensQueryVariables>;
export const ConsoleAuditLogDocument = new TypedDocumentString(`
    query ConsoleAuditLog($filter: AuditFilter, $last: Int, $before: String) {
  auditLog(filter: $filter, last: $last, before: $before) {
    totalCount
    nodes {
      at
      principal
      role
      mutation
      subject
      outcome
      requestId
    }
    pageInfo {
      hasPreviousPage
      startCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleAuditLogQuery, ConsoleAuditLogQueryVariables>;
export const ConsoleCreateProjectDocument = new TypedDocumentString(`
    mutation ConsoleCreateProject($input: CreateProjectInput!) {
  createProject(input: $input) {
    project {
      id
      name
    }
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleCreateProjectMutation, ConsoleCreateProjectMutationVariables>;
export const ConsoleCreateTokenDocument = new TypedDocumentString(`
    mutation ConsoleCreateToken($input: CreateTokenInput!) {
  createToken(input: $input) {
    token {
      id
      name
    }
    secret
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleCreateTokenMutation, ConsoleCreateTokenMutationVariables>;
export const ConsoleRevokeTokenDocument = new TypedDocumentString(`
    mutation ConsoleRevokeToken($id: ID!) {
  revokeToken(input: {id: $id}) {
    token {
      id
      revokedAt
    }
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleRevokeTokenMutation, ConsoleRevokeTokenMutationVariables>;
export const ConsoleUpdateLeaseDocument = new TypedDocumentString(`
    mutation ConsoleUpdateLease($input: UpdateLeaseInput!) {
  updateLease(input: $input) {
    lease {
      number
    }
    plan {
      ...ConsolePlan
    }
    userErrors {
      code
      message
      path
    }
  }
}
    fragment ConsolePlan on PlannedLease {
  accepted
  start
  end
  firstPossibleStart
  maxDuration
  reason {
    message
  }
  machines {
    index
    node {
      number
      hostname
    }
  }
  displaces {
    number
    name
  }
}`) as unknown as TypedDocumentString<ConsoleUpdateLeaseMutation, ConsoleUpdateLeaseMutationVariables>;
export const ConsoleEndLeaseDocument = new TypedDocumentString(`
    mutation ConsoleEndLease($input: EndLeaseInput!) {
  endLease(input: $input) {
    plan {
      ...ConsoleEnding
    }
    userErrors {
      code
      message
    }
  }
}
    fragment ConsoleEnding on PlannedEnding {
  accepted
  ends {
    number
    name
  }
  sooner {
    lease {
      number
      name
    }
    plannedStart
    start
  }
  isComplete
}`) as unknown as TypedDocumentString<ConsoleEndLeaseMutation, ConsoleEndLeaseMutationVariables>;
export const ConsoleRecoverActionDocument = new TypedDocumentString(`
    mutation ConsoleRecoverAction($input: RecoverActionInput!) {
  recoverAction(input: $input) {
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleRecoverActionMutation, ConsoleRecoverActionMutationVariables>;
export const ConsolePlanRequestDocument = new TypedDocumentString(`
    mutation ConsolePlanRequest($input: RequestLeaseInput!) {
  requestLease(input: $input) {
    plan {
      ...ConsolePlan
    }
    userErrors {
      code
      message
      path
    }
  }
}
    fragment ConsolePlan on PlannedLease {
  accepted
  start
  end
  firstPossibleStart
  maxDuration
  reason {
    message
  }
  machines {
    index
    node {
      number
      hostname
    }
  }
  displaces {
    number
    name
  }
}`) as unknown as TypedDocumentString<ConsolePlanRequestMutation, ConsolePlanRequestMutationVariables>;
export const ConsoleSetNodeStateDocument = new TypedDocumentString(`
    mutation ConsoleSetNodeState($input: SetNodeStateInput!) {
  setNodeState(input: $input) {
    plan {
      ...ConsoleDisplacement
    }
    userErrors {
      code
      message
    }
  }
}
    fragment ConsoleDisplacement on PlannedDisplacement {
  accepted
  firstPossibleStart
  reason {
    message
  }
  displaces {
    number
    name
  }
  withoutPlace {
    number
    name
  }
}`) as unknown as TypedDocumentString<ConsoleSetNodeStateMutation, ConsoleSetNodeStateMutationVariables>;
export const ConsolePlanMaintenanceDocument = new TypedDocumentString(`
    mutation ConsolePlanMaintenance($input: PlanMaintenanceInput!) {
  planMaintenance(input: $input) {
    plan {
      ...ConsoleDisplacement
    }
    userErrors {
      code
      message
      path
    }
  }
}
    fragment ConsoleDisplacement on PlannedDisplacement {
  accepted
  firstPossibleStart
  reason {
    message
  }
  displaces {
    number
    name
  }
  withoutPlace {
    number
    name
  }
}`) as unknown as TypedDocumentString<ConsolePlanMaintenanceMutation, ConsolePlanMaintenanceMutationVariables>;
export const ConsoleEndMaintenanceDocument = new TypedDocumentString(`
    mutation ConsoleEndMaintenance($input: EndMaintenanceInput!) {
  endMaintenance(input: $input) {
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleEndMaintenanceMutation, ConsoleEndMaintenanceMutationVariables>;
export const ConsoleRecurrencesDocument = new TypedDocumentString(`
    query ConsoleRecurrences($live: Boolean, $last: Int, $before: String) {
  recurrences(live: $live, last: $last, before: $before) {
    totalCount
    nodes {
      ...ConsoleRecurrence
    }
    pageInfo {
      hasPreviousPage
      startCursor
    }
  }
}
    fragment ConsoleRecurrence on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  owner {
    name
  }
  project {
    id
    name
  }
  upcoming(first: 1) {
    start
  }
}`) as unknown as TypedDocumentString<ConsoleRecurrencesQuery, ConsoleRecurrencesQueryVariables>;
export const ConsoleRecurrenceDetailDocument = new TypedDocumentString(`
    query ConsoleRecurrenceDetail($id: ID!) {
  node(id: $id) {
    ... on Recurrence {
      ...ConsoleRecurrence
      collisions
      preemptible
      createdAt
      cancelledAt
      machines {
        index
        capacity {
          type
          amount
        }
      }
      next: upcoming(first: 20) {
        occurrence
        start
        end
        lease {
          number
          state
        }
      }
      skipped {
        occurrence
        start
        reason {
          message
        }
      }
      leases(last: 20) {
        totalCount
        nodes {
          ...ConsoleLease
        }
      }
    }
  }
}
    fragment ConsoleLease on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  submittedAt
  requestedStart
  requestedDuration
  deadline
  estimatedStart
  actualStart
  endedAt
  accumulatedDuration
  queuePosition
  preemptible
  estimatedEnd
  owner {
    name
  }
  project {
    id
    name
  }
}
fragment ConsoleRecurrence on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  owner {
    name
  }
  project {
    id
    name
  }
  upcoming(first: 1) {
    start
  }
}`) as unknown as TypedDocumentString<ConsoleRecurrenceDetailQuery, ConsoleRecurrenceDetailQueryVariables>;
export const ConsolePlanRecurrenceDocument = new TypedDocumentString(`
    mutation ConsolePlanRecurrence($input: CreateRecurrenceInput!) {
  createRecurrence(input: $input) {
    plan {
      ...ConsoleRecurrencePlan
    }
    userErrors {
      code
      message
      path
    }
  }
}
    fragment ConsoleRecurrencePlan on PlannedRecurrence {
  accepted
  occurrences {
    occurrence
    start
    end
    firstPossibleStart
    reason {
      message
    }
  }
  displaces {
    number
    name
  }
}`) as unknown as TypedDocumentString<ConsolePlanRecurrenceMutation, ConsolePlanRecurrenceMutationVariables>;
export const ConsoleCreateRecurrenceDocument = new TypedDocumentString(`
    mutation ConsoleCreateRecurrence($input: CreateRecurrenceInput!) {
  createRecurrence(input: $input) {
    recurrence {
      id
    }
    userErrors {
      code
      message
      path
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleCreateRecurrenceMutation, ConsoleCreateRecurrenceMutationVariables>;
export const ConsoleCancelRecurrenceDocument = new TypedDocumentString(`
    mutation ConsoleCancelRecurrence($input: CancelRecurrenceInput!) {
  cancelRecurrence(input: $input) {
    plan {
      ...ConsoleEnding
    }
    userErrors {
      code
      message
    }
  }
}
    fragment ConsoleEnding on PlannedEnding {
  accepted
  ends {
    number
    name
  }
  sooner {
    lease {
      number
      name
    }
    plannedStart
    start
  }
  isComplete
}`) as unknown as TypedDocumentString<ConsoleCancelRecurrenceMutation, ConsoleCancelRecurrenceMutationVariables>;
export const ConsoleUpdateRecurrenceDocument = new TypedDocumentString(`
    mutation ConsoleUpdateRecurrence($input: UpdateRecurrenceInput!) {
  updateRecurrence(input: $input) {
    plan {
      ...ConsoleRecurrencePlan
    }
    userErrors {
      code
      message
      path
    }
  }
}
    fragment ConsoleRecurrencePlan on PlannedRecurrence {
  accepted
  occurrences {
    occurrence
    start
    end
    firstPossibleStart
    reason {
      message
    }
  }
  displaces {
    number
    name
  }
}`) as unknown as TypedDocumentString<ConsoleUpdateRecurrenceMutation, ConsoleUpdateRecurrenceMutationVariables>;
export const ConsoleWebhooksDocument = new TypedDocumentString(`
    query ConsoleWebhooks($first: Int) {
  webhooks(first: $first) {
    totalCount
    nodes {
      id
      url
      kinds
      owner
      state
      pausedAt
      pauseReason
      project {
        id
        name
      }
      deliveries(last: 5) {
        nodes {
          id
          state
          status
          error
          attempts
          createdAt
          notice {
            kind
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleWebhooksQuery, ConsoleWebhooksQueryVariables>;
export const ConsoleCreateWebhookDocument = new TypedDocumentString(`
    mutation ConsoleCreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    secret
    userErrors {
      code
      message
      path
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleCreateWebhookMutation, ConsoleCreateWebhookMutationVariables>;
export const ConsoleUpdateWebhookDocument = new TypedDocumentString(`
    mutation ConsoleUpdateWebhook($input: UpdateWebhookInput!) {
  updateWebhook(input: $input) {
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleUpdateWebhookMutation, ConsoleUpdateWebhookMutationVariables>;
export const ConsoleTestWebhookDocument = new TypedDocumentString(`
    mutation ConsoleTestWebhook($id: ID!) {
  testWebhook(input: {id: $id}) {
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleTestWebhookMutation, ConsoleTestWebhookMutationVariables>;
export const ConsoleDeleteWebhookDocument = new TypedDocumentString(`
    mutation ConsoleDeleteWebhook($id: ID!) {
  deleteWebhook(input: {id: $id}) {
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleDeleteWebhookMutation, ConsoleDeleteWebhookMutationVariables>;