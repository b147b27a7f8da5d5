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

/** New nodes of the site. */
export type AddNodesInput = {
  /** Changes nothing: `userErrors` say why it would be refused, and the payload has no nodes. */
  readonly dryRun?: boolean | null | undefined;
  /** Repeating a request with its key returns the same nodes; the key with another input is an error. */
  readonly idempotencyKey?: string | null | undefined;
  /** The nodes: 1 to 1000. They are numbered in this order. */
  readonly nodes: ReadonlyArray<NewNodeInput>;
};

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

/** The webhook to delete. */
export type DeleteWebhookInput = {
  /** Its global id. */
  readonly id: string | number;
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

/** Selects the events that meet every given condition. */
export type LeaseEventFilter = {
  /** Within this interval. */
  readonly at?: IntervalInput | null | undefined;
  /** Of one of these leases. */
  readonly leases?: ReadonlyArray<string | number> | null | undefined;
  /** In which the lease entered one of these states. */
  readonly to?: ReadonlyArray<LeaseState> | null | undefined;
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

/** A new node. */
export type NewNodeInput = {
  /** A name or an IP address under which its host is reached; without it, the host name. */
  readonly address?: string | null | undefined;
  /** Its whole capacity; a type several times for several instances. */
  readonly capacity: ReadonlyArray<ResourceAmountInput>;
  /** Its unique host name. */
  readonly hostname: string;
  /** Free form, for filters and for people. */
  readonly labels?: ReadonlyArray<LabelInput> | null | undefined;
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

/** The webhook to test. */
export type TestWebhookInput = {
  /** Its global id. */
  readonly id: string | number;
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

/** Changes of a node. What is not given stays as it is. */
export type UpdateNodeInput = {
  /** The name or IP address under which its host is reached from now on; null: the host name. */
  readonly address?: string | null | undefined;
  /** Its new capacity. Nothing may run or be planned there. */
  readonly capacity?: ReadonlyArray<ResourceAmountInput> | null | undefined;
  /** Changes nothing: `userErrors` say why it would be refused, and the node of the payload is null. */
  readonly dryRun?: boolean | null | undefined;
  /** Its global id. */
  readonly id: string | number;
  /** All its labels from now on. */
  readonly labels?: ReadonlyArray<LabelInput> | null | undefined;
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

/** Changes of a token. What is not given stays as it is. Its name stays: the leases of its holder belong to it. */
export type UpdateTokenInput = {
  /** Projects of which its holder becomes a member. */
  readonly addProjects?: ReadonlyArray<string | number> | null | undefined;
  /** When it expires from now on, by the wall clock; null: never. */
  readonly expiresAt?: string | null | undefined;
  /** Its global id. */
  readonly id: string | number;
  /** All projects of which its holder is a member from now on. */
  readonly projects?: ReadonlyArray<string | number> | null | undefined;
  /** Projects of which its holder is no longer a member. */
  readonly removeProjects?: ReadonlyArray<string | number> | null | undefined;
  /** What its holder may do from now on. */
  readonly role?: Role | null | undefined;
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

export type LeaseRowFragment = { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null };

export type PageFragment = { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null };

export type RefusalFragment = { readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null };

export type SiteQueryVariables = Exact<{ [key: string]: never; }>;


export type SiteQuery = { readonly serverTime: string, readonly site: { readonly name: string, readonly resourceTypes: ReadonlyArray<string>, readonly clockSpeed: number, readonly acceptsKnownDurations: boolean } };

export type LeaseByNumberQueryVariables = Exact<{
  number: number;
}>;


export type LeaseByNumberQuery = { readonly lease: { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null } | null };

export type LeasesQueryVariables = Exact<{
  filter?: LeaseFilter | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type LeasesQuery = { readonly leases: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type QueueQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type QueueQuery = { readonly queue: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type NodesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type NodesQuery = { readonly nodes: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly hostname: string, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly available: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type RequestLeaseMutationVariables = Exact<{
  input: RequestLeaseInput;
}>;


export type RequestLeaseMutation = { readonly requestLease: { readonly lease: { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type PlanFragment = { readonly accepted: boolean, readonly start: string | null, readonly end: string | null, readonly firstPossibleStart: string | null, readonly maxDuration: string | null, readonly reason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number }> };

export type DryRunMutationVariables = Exact<{
  input: RequestLeaseInput;
}>;


export type DryRunMutation = { readonly requestLease: { readonly plan: { readonly accepted: boolean, readonly start: string | null, readonly end: string | null, readonly firstPossibleStart: string | null, readonly maxDuration: string | null, readonly reason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type AvailabilityQueryVariables = Exact<{
  machines: ReadonlyArray<MachineSetInput> | MachineSetInput;
  duration: string;
  project?: string | number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
}>;


export type AvailabilityQuery = { readonly availability: { readonly earliestStart: string | null, readonly windows: ReadonlyArray<{ readonly start: string, readonly end: string }> } };

export type ExplainQueryVariables = Exact<{
  number: number;
}>;


export type ExplainQuery = { readonly lease: { readonly number: number, readonly state: LeaseState, readonly waiting: { readonly code: WaitingCode, readonly message: string, readonly estimatedStart: string | null, readonly longestNow: string | null, readonly blockedBy: ReadonlyArray<{ readonly number: number }> } | null } | null };

export type EndingRowFragment = { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState } }> };

export type CancelLeaseMutationVariables = Exact<{
  id: string | number;
  dryRun?: boolean | null | undefined;
}>;


export type CancelLeaseMutation = { readonly cancelLease: { readonly lease: { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null } | null, readonly plan: { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState } }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type EventRowFragment = { readonly sequence: number, readonly at: string, readonly from: LeaseState, readonly to: LeaseState, readonly reason: { readonly code: string, readonly message: string } | null, readonly lease: { readonly number: number } };

export type LeaseEventsSubscriptionVariables = Exact<{
  after?: number | null | undefined;
  leaseId?: string | number | null | undefined;
}>;


export type LeaseEventsSubscription = { readonly leaseEvents: { readonly sequence: number, readonly at: string, readonly from: LeaseState, readonly to: LeaseState, readonly reason: { readonly code: string, readonly message: string } | null, readonly lease: { readonly number: number } } };

export type FilteredEventsSubscriptionVariables = Exact<{
  after?: number | null | undefined;
  filter?: LeaseEventFilter | null | undefined;
}>;


export type FilteredEventsSubscription = { readonly leaseEvents: { readonly sequence: number, readonly at: string, readonly from: LeaseState, readonly to: LeaseState, readonly reason: { readonly code: string, readonly message: string } | null, readonly lease: { readonly number: number } } };

export type EventsQueryVariables = Exact<{
  filter?: LeaseEventFilter | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type EventsQuery = { readonly events: { readonly nodes: ReadonlyArray<{ readonly sequence: number, readonly at: string, readonly from: LeaseState, readonly to: LeaseState, readonly reason: { readonly code: string, readonly message: string } | null, readonly lease: { readonly number: number } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type NoticeRowFragment = { readonly sequence: number, readonly at: string, readonly kind: NoticeKind, readonly message: string, readonly reason: { readonly code: string } | null, readonly lease: { readonly number: number } | null, readonly node: { readonly hostname: string } | null };

export type FollowNoticesSubscriptionVariables = Exact<{
  after?: number | null | undefined;
  filter?: NoticeFilter | null | undefined;
}>;


export type FollowNoticesSubscription = { readonly notices: { readonly sequence: number, readonly at: string, readonly kind: NoticeKind, readonly message: string, readonly reason: { readonly code: string } | null, readonly lease: { readonly number: number } | null, readonly node: { readonly hostname: string } | null } };

export type NoticesQueryVariables = Exact<{
  filter?: NoticeFilter | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type NoticesQuery = { readonly notices: { readonly nodes: ReadonlyArray<{ readonly sequence: number, readonly at: string, readonly kind: NoticeKind, readonly message: string, readonly reason: { readonly code: string } | null, readonly lease: { readonly number: number } | null, readonly node: { readonly hostname: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } | null };

export type WebhookRowFragment = { readonly id: string, readonly url: string, readonly kinds: ReadonlyArray<NoticeKind>, readonly owner: string, readonly state: WebhookState, readonly pauseReason: string | null, readonly project: { readonly name: string } | null };

export type WebhooksQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type WebhooksQuery = { readonly webhooks: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly url: string, readonly kinds: ReadonlyArray<NoticeKind>, readonly owner: string, readonly state: WebhookState, readonly pauseReason: string | null, readonly project: { readonly name: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } | null };

export type DeliveryRowFragment = { readonly id: string, readonly deliveryId: string, readonly state: DeliveryState, readonly attempts: number, readonly createdAt: string, readonly nextAttemptAt: string | null, readonly status: number | null, readonly error: string | null, readonly notice: { readonly sequence: number, readonly kind: NoticeKind } | null };

export type WebhookDeliveriesQueryVariables = Exact<{
  id: string | number;
  last?: number | null | undefined;
  before?: string | null | undefined;
  states?: ReadonlyArray<DeliveryState> | DeliveryState | null | undefined;
}>;


export type WebhookDeliveriesQuery = { readonly node:
    | { readonly deliveries: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly deliveryId: string, readonly state: DeliveryState, readonly attempts: number, readonly createdAt: string, readonly nextAttemptAt: string | null, readonly status: number | null, readonly error: string | null, readonly notice: { readonly sequence: number, readonly kind: NoticeKind } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } }
    | Record<PropertyKey, never>
   | null };

export type WebhookDeliveryQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookDeliveryQuery = { readonly node:
    | { readonly id: string, readonly deliveryId: string, readonly state: DeliveryState, readonly attempts: number, readonly createdAt: string, readonly nextAttemptAt: string | null, readonly status: number | null, readonly error: string | null, readonly notice: { readonly sequence: number, readonly kind: NoticeKind } | null }
    | Record<PropertyKey, never>
   | null };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { readonly createWebhook: { readonly secret: string | null, readonly webhook: { readonly id: string, readonly url: string, readonly kinds: ReadonlyArray<NoticeKind>, readonly owner: string, readonly state: WebhookState, readonly pauseReason: string | null, readonly project: { readonly name: string } | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type UpdateWebhookMutationVariables = Exact<{
  input: UpdateWebhookInput;
}>;


export type UpdateWebhookMutation = { readonly updateWebhook: { readonly webhook: { readonly id: string, readonly url: string, readonly kinds: ReadonlyArray<NoticeKind>, readonly owner: string, readonly state: WebhookState, readonly pauseReason: string | null, readonly project: { readonly name: string } | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type DeleteWebhookMutationVariables = Exact<{
  input: DeleteWebhookInput;
}>;


export type DeleteWebhookMutation = { readonly deleteWebhook: { readonly deletedId: string | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type TestWebhookMutationVariables = Exact<{
  input: TestWebhookInput;
}>;


export type TestWebhookMutation = { readonly testWebhook: { readonly delivery: { readonly id: string, readonly deliveryId: string, readonly state: DeliveryState, readonly attempts: number, readonly createdAt: string, readonly nextAttemptAt: string | null, readonly status: number | null, readonly error: string | null, readonly notice: { readonly sequence: number, readonly kind: NoticeKind } | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type FirstEventQueryVariables = Exact<{
  number: number;
}>;


export type FirstEventQuery = { readonly lease: { readonly events: { readonly nodes: ReadonlyArray<{ readonly sequence: number }> } } | null };

export type LeaseHistoryQueryVariables = Exact<{
  number: number;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type LeaseHistoryQuery = { readonly lease: { readonly state: LeaseState, readonly submittedAt: string, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly stateReason: { readonly message: string } | null, readonly reservations: { readonly nodes: ReadonlyArray<{ readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly targets: ReadonlyArray<{ readonly machine: number, readonly lease: { readonly number: number } | null, readonly node: { readonly number: number } | null, readonly from: { readonly number: number } | null }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } } | null };

export type ReservationRowFragment = { readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly lease: { readonly number: number, readonly name: string | null }, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> };

export type LeaseDetailQueryVariables = Exact<{
  number: number;
}>;


export type LeaseDetailQuery = { readonly lease: { readonly deadline: string | null, readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly owner: { readonly name: string } | null, readonly project: { readonly name: string } | null, readonly events: { readonly nodes: ReadonlyArray<{ readonly sequence: number, readonly at: string, readonly from: LeaseState, readonly to: LeaseState, readonly reason: { readonly code: string, readonly message: string } | null }> }, readonly reservations: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly lease: { readonly number: number, readonly name: string | null }, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }> }, readonly actions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly kind: ActionKind, readonly state: ActionState, readonly attempts: number, readonly error: string | null, readonly startedAt: string | null, readonly finishedAt: string | null, readonly nodes: ReadonlyArray<{ readonly hostname: string }> }> }, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null } | null };

export type ReservationsQueryVariables = Exact<{
  from?: string | null | undefined;
  to?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ReservationsQuery = { readonly reservations: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly lease: { readonly number: number, readonly name: string | null }, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type ActionRowFragment = { readonly id: string, readonly at: string, readonly kind: ActionKind, readonly state: ActionState, readonly attempts: number, readonly error: string | null, readonly startedAt: string | null, readonly finishedAt: string | null, readonly nodes: ReadonlyArray<{ readonly hostname: string }> };

export type RatesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type RatesQuery = { readonly nodes: { readonly nodes: ReadonlyArray<{ readonly hostname: string, readonly measuredRates: ReadonlyArray<{ readonly kind: ActionKind, readonly count: number, readonly min: number, readonly median: number }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type SiteInventoryQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SiteInventoryQuery = { readonly site: { readonly name: string, readonly resourceTypes: ReadonlyArray<string> }, readonly scheduler: { readonly configuration: unknown }, readonly nodes: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly hostname: string, readonly address: string | null, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly labels: ReadonlyArray<{ readonly key: string, readonly value: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type NodesAtQueryVariables = Exact<{
  at?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type NodesAtQuery = { readonly nodes: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly hostname: string, readonly state: NodeState, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly stateChange: { readonly cause: NodeStateCause, readonly at: string, readonly by: string | null, readonly reason: string | null } | null, readonly available: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type HostFragment = { readonly lastAnswerAt: string | null, readonly failures: number, readonly unreachableSince: string | null, readonly error: string | null, readonly unremovedMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly strayMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number, readonly status: MachineStatus, readonly since: string, readonly isRemoved: boolean }> };

export type NodeHostsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type NodeHostsQuery = { readonly nodes: { readonly nodes: ReadonlyArray<{ readonly number: number, readonly host: { readonly lastAnswerAt: string | null, readonly failures: number, readonly unreachableSince: string | null, readonly error: string | null, readonly unremovedMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly strayMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number, readonly status: MachineStatus, readonly since: string, readonly isRemoved: boolean }> } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type NodeHostQueryVariables = Exact<{
  id: string | number;
}>;


export type NodeHostQuery = { readonly node:
    | { readonly host: { readonly lastAnswerAt: string | null, readonly failures: number, readonly unreachableSince: string | null, readonly error: string | null, readonly unremovedMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly strayMachines: ReadonlyArray<{ readonly leaseNumber: number, readonly machine: number, readonly status: MachineStatus, readonly since: string, readonly isRemoved: boolean }> } | null, readonly actions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly at: string, readonly kind: ActionKind, readonly state: ActionState, readonly attempts: number, readonly error: string | null, readonly startedAt: string | null, readonly finishedAt: string | null, readonly lease: { readonly number: number } | null, readonly nodes: ReadonlyArray<{ readonly hostname: string }> }> } }
    | Record<PropertyKey, never>
   | null };

export type NodeReservationsQueryVariables = Exact<{
  id: string | number;
  from?: string | null | undefined;
  to?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type NodeReservationsQuery = { readonly node:
    | { readonly reservations: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly lease: { readonly number: number, readonly name: string | null }, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } }
    | Record<PropertyKey, never>
   | null };

export type UtilizationQueryVariables = Exact<{
  from: string;
  to: string;
  step: string;
  resource?: string | null | undefined;
}>;


export type UtilizationQuery = { readonly utilization: ReadonlyArray<{ readonly start: string, readonly end: string, readonly used: number, readonly suspending: number, readonly resuming: number, readonly shuttingDown: number, readonly free: number }> };

export type TokenRowFragment = { readonly id: string, readonly name: string, readonly prefix: string, readonly role: Role, readonly createdAt: string, readonly expiresAt: string | null, readonly lastUsedAt: string | null, readonly revokedAt: string | null, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly name: string, readonly role: Role, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> } };

export type ProjectsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ProjectsQuery = { readonly projects: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly createdAt: string }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type MemberRowFragment = { readonly name: string, readonly role: Role, readonly projects: ReadonlyArray<{ readonly name: string }> };

export type MembersQueryVariables = Exact<{
  id: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type MembersQuery = { readonly node:
    | { readonly members: { readonly nodes: ReadonlyArray<{ readonly name: string, readonly role: Role, readonly projects: ReadonlyArray<{ readonly name: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } }
    | Record<PropertyKey, never>
   | null };

export type TokensQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type TokensQuery = { readonly tokens: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly prefix: string, readonly role: Role, readonly createdAt: string, readonly expiresAt: string | null, readonly lastUsedAt: string | null, readonly revokedAt: string | null, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type AuditLogQueryVariables = Exact<{
  filter?: AuditFilter | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type AuditLogQuery = { readonly auditLog: { readonly nodes: ReadonlyArray<{ readonly at: string, readonly principal: string, readonly role: Role, readonly mutation: string, readonly subject: string | null, readonly outcome: string, readonly requestId: string }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type CreateTokenMutationVariables = Exact<{
  input: CreateTokenInput;
}>;


export type CreateTokenMutation = { readonly createToken: { readonly secret: string | null, readonly token: { readonly id: string, readonly name: string, readonly prefix: string, readonly role: Role, readonly createdAt: string, readonly expiresAt: string | null, readonly lastUsedAt: string | null, readonly revokedAt: string | null, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type UpdateTokenMutationVariables = Exact<{
  input: UpdateTokenInput;
}>;


export type UpdateTokenMutation = { readonly updateToken: { readonly token: { readonly id: string, readonly name: string, readonly prefix: string, readonly role: Role, readonly createdAt: string, readonly expiresAt: string | null, readonly lastUsedAt: string | null, readonly revokedAt: string | null, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type RevokeTokenMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeTokenMutation = { readonly revokeToken: { readonly token: { readonly id: string, readonly name: string, readonly prefix: string, readonly role: Role, readonly createdAt: string, readonly expiresAt: string | null, readonly lastUsedAt: string | null, readonly revokedAt: string | null, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type CreateProjectMutationVariables = Exact<{
  input: CreateProjectInput;
}>;


export type CreateProjectMutation = { readonly createProject: { readonly project: { readonly id: string, readonly name: string, readonly createdAt: string } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type QuotasQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type QuotasQuery = { readonly projects: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly quotas: ReadonlyArray<{ readonly type: string, readonly amount: number | null, readonly amountHours: number | null, readonly period: string | null, readonly maxDuration: string | null, readonly maxLeases: number | null, readonly usage: { readonly amount: number, readonly amountHours: number | null, readonly periodStart: string | null, readonly leases: number } | null }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type QuotaRowFragment = { readonly type: string, readonly amount: number | null, readonly amountHours: number | null, readonly period: string | null, readonly maxDuration: string | null, readonly maxLeases: number | null, readonly usage: { readonly amount: number, readonly amountHours: number | null, readonly periodStart: string | null, readonly leases: number } | null };

export type SetQuotasMutationVariables = Exact<{
  input: UpdateProjectInput;
}>;


export type SetQuotasMutation = { readonly updateProject: { readonly project: { readonly id: string, readonly name: string, readonly quotas: ReadonlyArray<{ readonly type: string, readonly amount: number | null, readonly amountHours: number | null, readonly period: string | null, readonly maxDuration: string | null, readonly maxLeases: number | null, readonly usage: { readonly amount: number, readonly amountHours: number | null, readonly periodStart: string | null, readonly leases: number } | null }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type UpdateProjectMutationVariables = Exact<{
  input: UpdateProjectInput;
}>;


export type UpdateProjectMutation = { readonly updateProject: { readonly project: { readonly id: string, readonly name: string, readonly createdAt: string } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type SchedulerQueryVariables = Exact<{ [key: string]: never; }>;


export type SchedulerQuery = { readonly serverTime: string, readonly scheduler: { readonly role: string, readonly epoch: number, readonly clockSpeed: number, readonly lastPassAt: string | null, readonly lastPassDuration: string | null, readonly liveLeases: number, readonly queueLength: number, readonly problems: ReadonlyArray<string> }, readonly site: { readonly name: string } };

export type UpdateLeaseMutationVariables = Exact<{
  input: UpdateLeaseInput;
}>;


export type UpdateLeaseMutation = { readonly updateLease: { readonly lease: { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null } | null, readonly displaced: ReadonlyArray<{ readonly number: number }>, readonly plan: { readonly accepted: boolean, readonly start: string | null, readonly end: string | null, readonly firstPossibleStart: string | null, readonly maxDuration: string | null, readonly reason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type EndLeaseMutationVariables = Exact<{
  id: string | number;
  dryRun?: boolean | null | undefined;
}>;


export type EndLeaseMutation = { readonly endLease: { readonly lease: { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null } | null, readonly plan: { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState } }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type DiscardLeaseMutationVariables = Exact<{
  id: string | number;
}>;


export type DiscardLeaseMutation = { readonly discardLease: { readonly lease: { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly preemptible: boolean, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly estimatedStart: string | null, readonly estimatedEnd: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly restarts: number, readonly lostDuration: string, readonly queuePosition: number | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type RecoverActionMutationVariables = Exact<{
  input: RecoverActionInput;
}>;


export type RecoverActionMutation = { readonly recoverAction: { readonly action: { readonly id: string, readonly at: string, readonly kind: ActionKind, readonly state: ActionState, readonly attempts: number, readonly error: string | null, readonly startedAt: string | null, readonly finishedAt: string | null, readonly lease: { readonly number: number } | null, readonly nodes: ReadonlyArray<{ readonly hostname: string }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type MaintenanceRowFragment = { readonly id: string, readonly start: string, readonly end: string, readonly reason: string | null, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> };

export type MaintenanceQueryVariables = Exact<{
  from?: string | null | undefined;
  to?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type MaintenanceQuery = { readonly maintenance: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly start: string, readonly end: string, readonly reason: string | null, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type DisplacementFragment = { readonly accepted: boolean, readonly firstPossibleStart: string | null, readonly reason: { readonly code: string, readonly message: string } | null, readonly displaces: ReadonlyArray<{ readonly number: number }>, readonly withoutPlace: ReadonlyArray<{ readonly number: number }> };

export type PlanMaintenanceMutationVariables = Exact<{
  input: PlanMaintenanceInput;
}>;


export type PlanMaintenanceMutation = { readonly planMaintenance: { readonly maintenance: { readonly id: string, readonly start: string, readonly end: string, readonly reason: string | null, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> } | null, readonly displaced: ReadonlyArray<{ readonly number: number }>, readonly plan: { readonly accepted: boolean, readonly firstPossibleStart: string | null, readonly reason: { readonly code: string, readonly message: string } | null, readonly displaces: ReadonlyArray<{ readonly number: number }>, readonly withoutPlace: ReadonlyArray<{ readonly number: number }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type EndMaintenanceMutationVariables = Exact<{
  id: string | number;
  dryRun?: boolean | null | undefined;
}>;


export type EndMaintenanceMutation = { readonly endMaintenance: { readonly maintenance: { readonly id: string, readonly start: string, readonly end: string, readonly reason: string | null, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> } | null, readonly displaced: ReadonlyArray<{ readonly number: number }>, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type SetNodeStateMutationVariables = Exact<{
  input: SetNodeStateInput;
}>;


export type SetNodeStateMutation = { readonly setNodeState: { readonly node: { readonly number: number, readonly hostname: string, readonly state: NodeState } | null, readonly displaced: ReadonlyArray<{ readonly number: number }>, readonly plan: { readonly accepted: boolean, readonly firstPossibleStart: string | null, readonly reason: { readonly code: string, readonly message: string } | null, readonly displaces: ReadonlyArray<{ readonly number: number }>, readonly withoutPlace: ReadonlyArray<{ readonly number: number }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type AddNodesMutationVariables = Exact<{
  input: AddNodesInput;
}>;


export type AddNodesMutation = { readonly addNodes: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly hostname: string, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type UpdateNodeMutationVariables = Exact<{
  input: UpdateNodeInput;
}>;


export type UpdateNodeMutation = { readonly updateNode: { readonly node: { readonly id: string, readonly number: number, readonly hostname: string, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type RemoveNodeMutationVariables = Exact<{
  id: string | number;
  dryRun?: boolean | null | undefined;
}>;


export type RemoveNodeMutation = { readonly removeNode: { readonly node: { readonly number: number, readonly hostname: string } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type AccountingQueryVariables = Exact<{
  from: string;
  to: string;
  by: AccountingGroup;
  step?: string | null | undefined;
}>;


export type AccountingQuery = { readonly accounting: ReadonlyArray<{ readonly start: string, readonly end: string, readonly leases: number, readonly waiting: string, readonly preemptions: number, readonly project: { readonly name: string } | null, readonly owner: { readonly name: string } | null, readonly lease: { readonly number: number } | null, readonly requested: ReadonlyArray<{ readonly type: string, readonly hours: number }>, readonly used: ReadonlyArray<{ readonly type: string, readonly hours: number }>, readonly lost: ReadonlyArray<{ readonly type: string, readonly hours: number }> }> };

export type RecurrenceRowFragment = { readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly machines: ReadonlyArray<{ readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly upcoming: ReadonlyArray<{ readonly start: string }> };

export type RecurrencesQueryVariables = Exact<{
  live?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type RecurrencesQuery = { readonly recurrences: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly machines: ReadonlyArray<{ readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly upcoming: ReadonlyArray<{ readonly start: string }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } | null };

export type RecurrenceByNumberQueryVariables = Exact<{
  number: number;
  upcoming?: number | null | undefined;
}>;


export type RecurrenceByNumberQuery = { readonly recurrence: { readonly collisions: RecurrenceCollisions, readonly createdAt: string, readonly cancelledAt: string | null, readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly owner: { readonly name: string } | null, readonly project: { readonly name: string } | null, readonly planned: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly end: string, readonly lease: { readonly number: number, readonly state: LeaseState } | null }>, readonly skipped: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly reason: { readonly code: string, readonly message: string } }>, readonly machines: ReadonlyArray<{ readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly upcoming: ReadonlyArray<{ readonly start: string }> } | null };

export type CreateRecurrenceMutationVariables = Exact<{
  input: CreateRecurrenceInput;
}>;


export type CreateRecurrenceMutation = { readonly createRecurrence: { readonly recurrence: { readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly machines: ReadonlyArray<{ readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly upcoming: ReadonlyArray<{ readonly start: string }> } | null, readonly skipped: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly reason: { readonly code: string, readonly message: string } }>, readonly displaced: ReadonlyArray<{ readonly number: number }>, readonly plan: { readonly accepted: boolean, readonly occurrences: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly end: string, readonly firstPossibleStart: string | null, readonly reason: { readonly code: string, readonly message: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type UpdateRecurrenceMutationVariables = Exact<{
  input: UpdateRecurrenceInput;
}>;


export type UpdateRecurrenceMutation = { readonly updateRecurrence: { readonly recurrence: { readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly machines: ReadonlyArray<{ readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly upcoming: ReadonlyArray<{ readonly start: string }> } | null, readonly displaced: ReadonlyArray<{ readonly number: number }>, readonly plan: { readonly accepted: boolean, readonly occurrences: ReadonlyArray<{ readonly occurrence: number, readonly start: string, readonly end: string, readonly firstPossibleStart: string | null, readonly reason: { readonly code: string, readonly message: string } | null }>, readonly displaces: ReadonlyArray<{ readonly number: number }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type CancelRecurrenceMutationVariables = Exact<{
  input: CancelRecurrenceInput;
}>;


export type CancelRecurrenceMutation = { readonly cancelRecurrence: { readonly recurrence: { readonly id: string, readonly number: number, readonly name: string | null, readonly state: RecurrenceState, readonly rule: string, readonly timeZone: string, readonly firstStart: string, readonly duration: string, readonly machines: ReadonlyArray<{ readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly upcoming: ReadonlyArray<{ readonly start: string }> } | null, readonly plan: { readonly accepted: boolean, readonly isComplete: boolean, readonly ends: ReadonlyArray<{ readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState }>, readonly sooner: ReadonlyArray<{ readonly plannedStart: string | null, readonly start: string, readonly lease: { readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState } }> } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

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
export const LeaseRowFragmentDoc = new TypedDocumentString(`
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
    `, {"fragmentName":"LeaseRow"}) as unknown as TypedDocumentString<LeaseRowFragment, unknown>;
export const PageFragmentDoc = new TypedDocumentString(`
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
    `, {"fragmentName":"Page"}) as unknown as TypedDocumentString<PageFragment, unknown>;
export const RefusalFragmentDoc = new TypedDocumentString(`
    fragment Refusal on UserError {
  code
  message
  path
}
    `, {"fragmentName":"Refusal"}) as unknown as TypedDocumentString<RefusalFragment, unknown>;
export const PlanFragmentDoc = new TypedDocumentString(`
    fragment Plan on PlannedLease {
  accepted
  reason {
    code
    message
  }
  start
  end
  firstPossibleStart
  maxDuration
  machines {
    index
    node {
      number
      hostname
    }
  }
  displaces {
    number
  }
}
    `, {"fragmentName":"Plan"}) as unknown as TypedDocumentString<PlanFragment, unknown>;
export const EndingRowFragmentDoc = new TypedDocumentString(`
    fragment EndingRow on PlannedEnding {
  accepted
  ends {
    number
    name
    type
    state
  }
  sooner {
    lease {
      number
      name
      type
      state
    }
    plannedStart
    start
  }
  isComplete
}
    `, {"fragmentName":"EndingRow"}) as unknown as TypedDocumentString<EndingRowFragment, unknown>;
export const EventRowFragmentDoc = new TypedDocumentString(`
    fragment EventRow on LeaseEvent {
  sequence
  at
  from
  to
  reason {
    code
    message
  }
  lease {
    number
  }
}
    `, {"fragmentName":"EventRow"}) as unknown as TypedDocumentString<EventRowFragment, unknown>;
export const NoticeRowFragmentDoc = new TypedDocumentString(`
    fragment NoticeRow on Notice {
  sequence
  at
  kind
  message
  reason {
    code
  }
  lease {
    number
  }
  node {
    hostname
  }
}
    `, {"fragmentName":"NoticeRow"}) as unknown as TypedDocumentString<NoticeRowFragment, unknown>;
export const WebhookRowFragmentDoc = new TypedDocumentString(`
    fragment WebhookRow on Webhook {
  id
  url
  kinds
  project {
    name
  }
  owner
  state
  pauseReason
}
    `, {"fragmentName":"WebhookRow"}) as unknown as TypedDocumentString<WebhookRowFragment, unknown>;
export const DeliveryRowFragmentDoc = new TypedDocumentString(`
    fragment DeliveryRow on WebhookDelivery {
  id
  deliveryId
  state
  attempts
  createdAt
  nextAttemptAt
  status
  error
  notice {
    sequence
    kind
  }
}
    `, {"fragmentName":"DeliveryRow"}) as unknown as TypedDocumentString<DeliveryRowFragment, unknown>;
export const ReservationRowFragmentDoc = new TypedDocumentString(`
    fragment ReservationRow on Reservation {
  id
  kind
  state
  start
  end
  lease {
    number
    name
  }
  nodes {
    number
    hostname
  }
}
    `, {"fragmentName":"ReservationRow"}) as unknown as TypedDocumentString<ReservationRowFragment, unknown>;
export const ActionRowFragmentDoc = new TypedDocumentString(`
    fragment ActionRow on Action {
  id
  at
  kind
  state
  attempts
  error
  startedAt
  finishedAt
  nodes {
    hostname
  }
}
    `, {"fragmentName":"ActionRow"}) as unknown as TypedDocumentString<ActionRowFragment, unknown>;
export const HostFragmentDoc = new TypedDocumentString(`
    fragment Host on HostHealth {
  lastAnswerAt
  failures
  unreachableSince
  error
  unremovedMachines {
    leaseNumber
    machine
    capacity {
      type
      amount
    }
  }
  strayMachines {
    leaseNumber
    machine
    status
    since
    isRemoved
  }
}
    `, {"fragmentName":"Host"}) as unknown as TypedDocumentString<HostFragment, unknown>;
export const TokenRowFragmentDoc = new TypedDocumentString(`
    fragment TokenRow on Token {
  id
  name
  prefix
  role
  projects {
    id
    name
  }
  createdAt
  expiresAt
  lastUsedAt
  revokedAt
}
    `, {"fragmentName":"TokenRow"}) as unknown as TypedDocumentString<TokenRowFragment, unknown>;
export const MemberRowFragmentDoc = new TypedDocumentString(`
    fragment MemberRow on User {
  name
  role
  projects {
    name
  }
}
    `, {"fragmentName":"MemberRow"}) as unknown as TypedDocumentString<MemberRowFragment, unknown>;
export const QuotaRowFragmentDoc = new TypedDocumentString(`
    fragment QuotaRow on Quota {
  type
  amount
  amountHours
  period
  maxDuration
  maxLeases
  usage {
    amount
    amountHours
    periodStart
    leases
  }
}
    `, {"fragmentName":"QuotaRow"}) as unknown as TypedDocumentString<QuotaRowFragment, unknown>;
export const MaintenanceRowFragmentDoc = new TypedDocumentString(`
    fragment MaintenanceRow on Maintenance {
  id
  start
  end
  reason
  nodes {
    number
    hostname
  }
}
    `, {"fragmentName":"MaintenanceRow"}) as unknown as TypedDocumentString<MaintenanceRowFragment, unknown>;
export const DisplacementFragmentDoc = new TypedDocumentString(`
    fragment Displacement on PlannedDisplacement {
  accepted
  reason {
    code
    message
  }
  displaces {
    number
  }
  withoutPlace {
    number
  }
  firstPossibleStart
}
    `, {"fragmentName":"Displacement"}) as unknown as TypedDocumentString<DisplacementFragment, unknown>;
export const RecurrenceRowFragmentDoc = new TypedDocumentString(`
    fragment RecurrenceRow on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  machines {
    capacity {
      type
      amount
    }
  }
  upcoming(first: 1) {
    start
  }
}
    `, {"fragmentName":"RecurrenceRow"}) as unknown as TypedDocumentString<RecurrenceRowFragment, unknown>;
export const SiteDocument = new TypedDocumentString(`
    query Site {
  site {
    name
    resourceTypes
    clockSpeed
    acceptsKnownDurations
  }
  serverTime
}
    `) as unknown as TypedDocumentString<SiteQuery, SiteQueryVariables>;
export const LeaseByNumberDocument = new TypedDocumentString(`
    query LeaseByNumber($number: Int!) {
  lease(number: $number) {
    ...LeaseRow
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}`) as unknown as TypedDocumentString<LeaseByNumberQuery, LeaseByNumberQueryVariables>;
export const LeasesDocument = new TypedDocumentString(`
    query Leases($filter: LeaseFilter, $last: Int, $before: String) {
  leases(filter: $filter, last: $last, before: $before) {
    nodes {
      ...LeaseRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<LeasesQuery, LeasesQueryVariables>;
export const QueueDocument = new TypedDocumentString(`
    query Queue($first: Int, $after: String) {
  queue(first: $first, after: $after) {
    nodes {
      ...LeaseRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<QueueQuery, QueueQueryVariables>;
export const NodesDocument = new TypedDocumentString(`
    query Nodes($first: Int, $after: String) {
  nodes(first: $first, after: $after) {
    nodes {
      id
      number
      hostname
      capacity {
        type
        amount
      }
      available {
        type
        amount
      }
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<NodesQuery, NodesQueryVariables>;
export const RequestLeaseDocument = new TypedDocumentString(`
    mutation RequestLease($input: RequestLeaseInput!) {
  requestLease(input: $input) {
    lease {
      ...LeaseRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<RequestLeaseMutation, RequestLeaseMutationVariables>;
export const DryRunDocument = new TypedDocumentString(`
    mutation DryRun($input: RequestLeaseInput!) {
  requestLease(input: $input) {
    plan {
      ...Plan
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment Plan on PlannedLease {
  accepted
  reason {
    code
    message
  }
  start
  end
  firstPossibleStart
  maxDuration
  machines {
    index
    node {
      number
      hostname
    }
  }
  displaces {
    number
  }
}`) as unknown as TypedDocumentString<DryRunMutation, DryRunMutationVariables>;
export const AvailabilityDocument = new TypedDocumentString(`
    query Availability($machines: [MachineSetInput!]!, $duration: Duration!, $project: ID, $from: DateTime, $to: DateTime) {
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
    `) as unknown as TypedDocumentString<AvailabilityQuery, AvailabilityQueryVariables>;
export const ExplainDocument = new TypedDocumentString(`
    query Explain($number: Int!) {
  lease(number: $number) {
    number
    state
    waiting {
      code
      message
      estimatedStart
      longestNow
      blockedBy {
        number
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ExplainQuery, ExplainQueryVariables>;
export const CancelLeaseDocument = new TypedDocumentString(`
    mutation CancelLease($id: ID!, $dryRun: Boolean) {
  cancelLease(input: {id: $id, dryRun: $dryRun}) {
    lease {
      ...LeaseRow
    }
    plan {
      ...EndingRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment Refusal on UserError {
  code
  message
  path
}
fragment EndingRow on PlannedEnding {
  accepted
  ends {
    number
    name
    type
    state
  }
  sooner {
    lease {
      number
      name
      type
      state
    }
    plannedStart
    start
  }
  isComplete
}`) as unknown as TypedDocumentString<CancelLeaseMutation, CancelLeaseMutationVariables>;
export const LeaseEventsDocument = new TypedDocumentString(`
    subscription LeaseEvents($after: Long, $leaseId: ID) {
  leaseEvents(after: $after, leaseId: $leaseId) {
    ...EventRow
  }
}
    fragment EventRow on LeaseEvent {
  sequence
  at
  from
  to
  reason {
    code
    message
  }
  lease {
    number
  }
}`) as unknown as TypedDocumentString<LeaseEventsSubscription, LeaseEventsSubscriptionVariables>;
export const FilteredEventsDocument = new TypedDocumentString(`
    subscription FilteredEvents($after: Long, $filter: LeaseEventFilter) {
  leaseEvents(after: $after, filter: $filter) {
    ...EventRow
  }
}
    fragment EventRow on LeaseEvent {
  sequence
  at
  from
  to
  reason {
    code
    message
  }
  lease {
    number
  }
}`) as unknown as TypedDocumentString<FilteredEventsSubscription, FilteredEventsSubscriptionVariables>;
export const EventsDocument = new TypedDocumentString(`
    query Events($filter: LeaseEventFilter, $last: Int, $before: String) {
  events(filter: $filter, last: $last, before: $before) {
    nodes {
      ...EventRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment EventRow on LeaseEvent {
  sequence
  at
  from
  to
  reason {
    code
    message
  }
  lease {
    number
  }
}`) as unknown as TypedDocumentString<EventsQuery, EventsQueryVariables>;
export const FollowNoticesDocument = new TypedDocumentString(`
    subscription FollowNotices($after: Long, $filter: NoticeFilter) {
  notices(after: $after, filter: $filter) {
    ...NoticeRow
  }
}
    fragment NoticeRow on Notice {
  sequence
  at
  kind
  message
  reason {
    code
  }
  lease {
    number
  }
  node {
    hostname
  }
}`) as unknown as TypedDocumentString<FollowNoticesSubscription, FollowNoticesSubscriptionVariables>;
export const NoticesDocument = new TypedDocumentString(`
    query Notices($filter: NoticeFilter, $last: Int, $before: String) {
  notices(filter: $filter, last: $last, before: $before) {
    nodes {
      ...NoticeRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment NoticeRow on Notice {
  sequence
  at
  kind
  message
  reason {
    code
  }
  lease {
    number
  }
  node {
    hostname
  }
}`) as unknown as TypedDocumentString<NoticesQuery, NoticesQueryVariables>;
export const WebhooksDocument = new TypedDocumentString(`
    query Webhooks($first: Int, $after: String) {
  webhooks(first: $first, after: $after) {
    nodes {
      ...WebhookRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment WebhookRow on Webhook {
  id
  url
  kinds
  project {
    name
  }
  owner
  state
  pauseReason
}`) as unknown as TypedDocumentString<WebhooksQuery, WebhooksQueryVariables>;
export const WebhookDeliveriesDocument = new TypedDocumentString(`
    query WebhookDeliveries($id: ID!, $last: Int, $before: String, $states: [DeliveryState!]) {
  node(id: $id) {
    ... on Webhook {
      deliveries(last: $last, before: $before, states: $states) {
        nodes {
          ...DeliveryRow
        }
        pageInfo {
          ...Page
        }
      }
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment DeliveryRow on WebhookDelivery {
  id
  deliveryId
  state
  attempts
  createdAt
  nextAttemptAt
  status
  error
  notice {
    sequence
    kind
  }
}`) as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const WebhookDeliveryDocument = new TypedDocumentString(`
    query WebhookDelivery($id: ID!) {
  node(id: $id) {
    ... on WebhookDelivery {
      ...DeliveryRow
    }
  }
}
    fragment DeliveryRow on WebhookDelivery {
  id
  deliveryId
  state
  attempts
  createdAt
  nextAttemptAt
  status
  error
  notice {
    sequence
    kind
  }
}`) as unknown as TypedDocumentString<WebhookDeliveryQuery, WebhookDeliveryQueryVariables>;
export const CreateWebhookDocument = new TypedDocumentString(`
    mutation CreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    webhook {
      ...WebhookRow
    }
    secret
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment WebhookRow on Webhook {
  id
  url
  kinds
  project {
    name
  }
  owner
  state
  pauseReason
}`) as unknown as TypedDocumentString<CreateWebhookMutation, CreateWebhookMutationVariables>;
export const UpdateWebhookDocument = new TypedDocumentString(`
    mutation UpdateWebhook($input: UpdateWebhookInput!) {
  updateWebhook(input: $input) {
    webhook {
      ...WebhookRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment WebhookRow on Webhook {
  id
  url
  kinds
  project {
    name
  }
  owner
  state
  pauseReason
}`) as unknown as TypedDocumentString<UpdateWebhookMutation, UpdateWebhookMutationVariables>;
export const DeleteWebhookDocument = new TypedDocumentString(`
    mutation DeleteWebhook($input: DeleteWebhookInput!) {
  deleteWebhook(input: $input) {
    deletedId
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<DeleteWebhookMutation, DeleteWebhookMutationVariables>;
export const TestWebhookDocument = new TypedDocumentString(`
    mutation TestWebhook($input: TestWebhookInput!) {
  testWebhook(input: $input) {
    delivery {
      ...DeliveryRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment DeliveryRow on WebhookDelivery {
  id
  deliveryId
  state
  attempts
  createdAt
  nextAttemptAt
  status
  error
  notice {
    sequence
    kind
  }
}`) as unknown as TypedDocumentString<TestWebhookMutation, TestWebhookMutationVariables>;
export const FirstEventDocument = new TypedDocumentString(`
    query FirstEvent($number: Int!) {
  lease(number: $number) {
    events(first: 1) {
      nodes {
        sequence
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FirstEventQuery, FirstEventQueryVariables>;
export const LeaseHistoryDocument = new TypedDocumentString(`
    query LeaseHistory($number: Int!, $first: Int, $after: String) {
  lease(number: $number) {
    state
    submittedAt
    actualStart
    endedAt
    accumulatedDuration
    stateReason {
      message
    }
    reservations(first: $first, after: $after) {
      nodes {
        kind
        state
        start
        end
        targets {
          machine
          lease {
            number
          }
          node {
            number
          }
          from {
            number
          }
        }
      }
      pageInfo {
        ...Page
      }
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<LeaseHistoryQuery, LeaseHistoryQueryVariables>;
export const LeaseDetailDocument = new TypedDocumentString(`
    query LeaseDetail($number: Int!) {
  lease(number: $number) {
    ...LeaseRow
    deadline
    owner {
      name
    }
    project {
      name
    }
    events(last: 100) {
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
    reservations(last: 100) {
      nodes {
        ...ReservationRow
      }
    }
    actions(last: 100) {
      nodes {
        ...ActionRow
      }
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment ReservationRow on Reservation {
  id
  kind
  state
  start
  end
  lease {
    number
    name
  }
  nodes {
    number
    hostname
  }
}
fragment ActionRow on Action {
  id
  at
  kind
  state
  attempts
  error
  startedAt
  finishedAt
  nodes {
    hostname
  }
}`) as unknown as TypedDocumentString<LeaseDetailQuery, LeaseDetailQueryVariables>;
export const ReservationsDocument = new TypedDocumentString(`
    query Reservations($from: DateTime, $to: DateTime, $first: Int, $after: String) {
  reservations(from: $from, to: $to, first: $first, after: $after) {
    nodes {
      ...ReservationRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment ReservationRow on Reservation {
  id
  kind
  state
  start
  end
  lease {
    number
    name
  }
  nodes {
    number
    hostname
  }
}`) as unknown as TypedDocumentString<ReservationsQuery, ReservationsQueryVariables>;
export const RatesDocument = new TypedDocumentString(`
    query Rates($first: Int, $after: String) {
  nodes(first: $first, after: $after) {
    nodes {
      hostname
      measuredRates {
        kind
        count
        min
        median
      }
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<RatesQuery, RatesQueryVariables>;
export const SiteInventoryDocument = new TypedDocumentString(`
    query SiteInventory($first: Int, $after: String) {
  site {
    name
    resourceTypes
  }
  scheduler {
    configuration
  }
  nodes(first: $first, after: $after) {
    nodes {
      id
      number
      hostname
      address
      capacity {
        type
        amount
      }
      labels {
        key
        value
      }
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<SiteInventoryQuery, SiteInventoryQueryVariables>;
export const NodesAtDocument = new TypedDocumentString(`
    query NodesAt($at: DateTime, $first: Int, $after: String) {
  nodes(first: $first, after: $after) {
    nodes {
      id
      number
      hostname
      capacity {
        type
        amount
      }
      state
      stateChange {
        cause
        at
        by
        reason
      }
      available(at: $at) {
        type
        amount
      }
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<NodesAtQuery, NodesAtQueryVariables>;
export const NodeHostsDocument = new TypedDocumentString(`
    query NodeHosts($first: Int, $after: String) {
  nodes(first: $first, after: $after) {
    nodes {
      number
      host {
        ...Host
      }
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment Host on HostHealth {
  lastAnswerAt
  failures
  unreachableSince
  error
  unremovedMachines {
    leaseNumber
    machine
    capacity {
      type
      amount
    }
  }
  strayMachines {
    leaseNumber
    machine
    status
    since
    isRemoved
  }
}`) as unknown as TypedDocumentString<NodeHostsQuery, NodeHostsQueryVariables>;
export const NodeHostDocument = new TypedDocumentString(`
    query NodeHost($id: ID!) {
  node(id: $id) {
    ... on ComputeNode {
      host {
        ...Host
      }
      actions(last: 20) {
        nodes {
          ...ActionRow
          lease {
            number
          }
        }
      }
    }
  }
}
    fragment ActionRow on Action {
  id
  at
  kind
  state
  attempts
  error
  startedAt
  finishedAt
  nodes {
    hostname
  }
}
fragment Host on HostHealth {
  lastAnswerAt
  failures
  unreachableSince
  error
  unremovedMachines {
    leaseNumber
    machine
    capacity {
      type
      amount
    }
  }
  strayMachines {
    leaseNumber
    machine
    status
    since
    isRemoved
  }
}`) as unknown as TypedDocumentString<NodeHostQuery, NodeHostQueryVariables>;
export const NodeReservationsDocument = new TypedDocumentString(`
    query NodeReservations($id: ID!, $from: DateTime, $to: DateTime, $first: Int, $after: String) {
  node(id: $id) {
    ... on ComputeNode {
      reservations(from: $from, to: $to, first: $first, after: $after) {
        nodes {
          ...ReservationRow
        }
        pageInfo {
          ...Page
        }
      }
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment ReservationRow on Reservation {
  id
  kind
  state
  start
  end
  lease {
    number
    name
  }
  nodes {
    number
    hostname
  }
}`) as unknown as TypedDocumentString<NodeReservationsQuery, NodeReservationsQueryVariables>;
export const UtilizationDocument = new TypedDocumentString(`
    query Utilization($from: DateTime!, $to: DateTime!, $step: Duration!, $resource: String) {
  utilization(from: $from, to: $to, step: $step, resource: $resource) {
    start
    end
    used
    suspending
    resuming
    shuttingDown
    free
  }
}
    `) as unknown as TypedDocumentString<UtilizationQuery, UtilizationQueryVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    name
    role
    projects {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const ProjectsDocument = new TypedDocumentString(`
    query Projects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    nodes {
      id
      name
      createdAt
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<ProjectsQuery, ProjectsQueryVariables>;
export const MembersDocument = new TypedDocumentString(`
    query Members($id: ID!, $first: Int, $after: String) {
  node(id: $id) {
    ... on Project {
      members(first: $first, after: $after) {
        nodes {
          ...MemberRow
        }
        pageInfo {
          ...Page
        }
      }
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment MemberRow on User {
  name
  role
  projects {
    name
  }
}`) as unknown as TypedDocumentString<MembersQuery, MembersQueryVariables>;
export const TokensDocument = new TypedDocumentString(`
    query Tokens($first: Int, $after: String) {
  tokens(first: $first, after: $after) {
    nodes {
      ...TokenRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment TokenRow on Token {
  id
  name
  prefix
  role
  projects {
    id
    name
  }
  createdAt
  expiresAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<TokensQuery, TokensQueryVariables>;
export const AuditLogDocument = new TypedDocumentString(`
    query AuditLog($filter: AuditFilter, $last: Int, $before: String) {
  auditLog(filter: $filter, last: $last, before: $before) {
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
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}`) as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
export const CreateTokenDocument = new TypedDocumentString(`
    mutation CreateToken($input: CreateTokenInput!) {
  createToken(input: $input) {
    token {
      ...TokenRow
    }
    secret
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment TokenRow on Token {
  id
  name
  prefix
  role
  projects {
    id
    name
  }
  createdAt
  expiresAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<CreateTokenMutation, CreateTokenMutationVariables>;
export const UpdateTokenDocument = new TypedDocumentString(`
    mutation UpdateToken($input: UpdateTokenInput!) {
  updateToken(input: $input) {
    token {
      ...TokenRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment TokenRow on Token {
  id
  name
  prefix
  role
  projects {
    id
    name
  }
  createdAt
  expiresAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<UpdateTokenMutation, UpdateTokenMutationVariables>;
export const RevokeTokenDocument = new TypedDocumentString(`
    mutation RevokeToken($id: ID!) {
  revokeToken(input: {id: $id}) {
    token {
      ...TokenRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment TokenRow on Token {
  id
  name
  prefix
  role
  projects {
    id
    name
  }
  createdAt
  expiresAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<RevokeTokenMutation, RevokeTokenMutationVariables>;
export const CreateProjectDocument = new TypedDocumentString(`
    mutation CreateProject($input: CreateProjectInput!) {
  createProject(input: $input) {
    project {
      id
      name
      createdAt
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<CreateProjectMutation, CreateProjectMutationVariables>;
export const QuotasDocument = new TypedDocumentString(`
    query Quotas($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    nodes {
      id
      name
      quotas {
        ...QuotaRow
      }
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment QuotaRow on Quota {
  type
  amount
  amountHours
  period
  maxDuration
  maxLeases
  usage {
    amount
    amountHours
    periodStart
    leases
  }
}`) as unknown as TypedDocumentString<QuotasQuery, QuotasQueryVariables>;
export const SetQuotasDocument = new TypedDocumentString(`
    mutation SetQuotas($input: UpdateProjectInput!) {
  updateProject(input: $input) {
    project {
      id
      name
      quotas {
        ...QuotaRow
      }
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment QuotaRow on Quota {
  type
  amount
  amountHours
  period
  maxDuration
  maxLeases
  usage {
    amount
    amountHours
    periodStart
    leases
  }
}`) as unknown as TypedDocumentString<SetQuotasMutation, SetQuotasMutationVariables>;
export const UpdateProjectDocument = new TypedDocumentString(`
    mutation UpdateProject($input: UpdateProjectInput!) {
  updateProject(input: $input) {
    project {
      id
      name
      createdAt
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<UpdateProjectMutation, UpdateProjectMutationVariables>;
export const SchedulerDocument = new TypedDocumentString(`
    query Scheduler {
  scheduler {
    role
    epoch
    clockSpeed
    lastPassAt
    lastPassDuration
    liveLeases
    queueLength
    problems
  }
  serverTime
  site {
    name
  }
}
    `) as unknown as TypedDocumentString<SchedulerQuery, SchedulerQueryVariables>;
export const UpdateLeaseDocument = new TypedDocumentString(`
    mutation UpdateLease($input: UpdateLeaseInput!) {
  updateLease(input: $input) {
    lease {
      ...LeaseRow
    }
    displaced {
      number
    }
    plan {
      ...Plan
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment Refusal on UserError {
  code
  message
  path
}
fragment Plan on PlannedLease {
  accepted
  reason {
    code
    message
  }
  start
  end
  firstPossibleStart
  maxDuration
  machines {
    index
    node {
      number
      hostname
    }
  }
  displaces {
    number
  }
}`) as unknown as TypedDocumentString<UpdateLeaseMutation, UpdateLeaseMutationVariables>;
export const EndLeaseDocument = new TypedDocumentString(`
    mutation EndLease($id: ID!, $dryRun: Boolean) {
  endLease(input: {id: $id, dryRun: $dryRun}) {
    lease {
      ...LeaseRow
    }
    plan {
      ...EndingRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment Refusal on UserError {
  code
  message
  path
}
fragment EndingRow on PlannedEnding {
  accepted
  ends {
    number
    name
    type
    state
  }
  sooner {
    lease {
      number
      name
      type
      state
    }
    plannedStart
    start
  }
  isComplete
}`) as unknown as TypedDocumentString<EndLeaseMutation, EndLeaseMutationVariables>;
export const DiscardLeaseDocument = new TypedDocumentString(`
    mutation DiscardLease($id: ID!) {
  discardLease(input: {id: $id}) {
    lease {
      ...LeaseRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment LeaseRow on Lease {
  id
  number
  name
  type
  state
  stateReason {
    code
    message
  }
  preemptible
  submittedAt
  requestedStart
  requestedDuration
  estimatedStart
  estimatedEnd
  actualStart
  endedAt
  accumulatedDuration
  restarts
  lostDuration
  queuePosition
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
  diskImage {
    name
    sizeMb
  }
}
fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<DiscardLeaseMutation, DiscardLeaseMutationVariables>;
export const RecoverActionDocument = new TypedDocumentString(`
    mutation RecoverAction($input: RecoverActionInput!) {
  recoverAction(input: $input) {
    action {
      ...ActionRow
      lease {
        number
      }
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment ActionRow on Action {
  id
  at
  kind
  state
  attempts
  error
  startedAt
  finishedAt
  nodes {
    hostname
  }
}`) as unknown as TypedDocumentString<RecoverActionMutation, RecoverActionMutationVariables>;
export const MaintenanceDocument = new TypedDocumentString(`
    query Maintenance($from: DateTime, $to: DateTime, $first: Int, $after: String) {
  maintenance(from: $from, to: $to, first: $first, after: $after) {
    nodes {
      ...MaintenanceRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment MaintenanceRow on Maintenance {
  id
  start
  end
  reason
  nodes {
    number
    hostname
  }
}`) as unknown as TypedDocumentString<MaintenanceQuery, MaintenanceQueryVariables>;
export const PlanMaintenanceDocument = new TypedDocumentString(`
    mutation PlanMaintenance($input: PlanMaintenanceInput!) {
  planMaintenance(input: $input) {
    maintenance {
      ...MaintenanceRow
    }
    displaced {
      number
    }
    plan {
      ...Displacement
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment MaintenanceRow on Maintenance {
  id
  start
  end
  reason
  nodes {
    number
    hostname
  }
}
fragment Displacement on PlannedDisplacement {
  accepted
  reason {
    code
    message
  }
  displaces {
    number
  }
  withoutPlace {
    number
  }
  firstPossibleStart
}`) as unknown as TypedDocumentString<PlanMaintenanceMutation, PlanMaintenanceMutationVariables>;
export const EndMaintenanceDocument = new TypedDocumentString(`
    mutation EndMaintenance($id: ID!, $dryRun: Boolean) {
  endMaintenance(input: {id: $id, dryRun: $dryRun}) {
    maintenance {
      ...MaintenanceRow
    }
    displaced {
      number
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment MaintenanceRow on Maintenance {
  id
  start
  end
  reason
  nodes {
    number
    hostname
  }
}`) as unknown as TypedDocumentString<EndMaintenanceMutation, EndMaintenanceMutationVariables>;
export const SetNodeStateDocument = new TypedDocumentString(`
    mutation SetNodeState($input: SetNodeStateInput!) {
  setNodeState(input: $input) {
    node {
      number
      hostname
      state
    }
    displaced {
      number
    }
    plan {
      ...Displacement
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment Displacement on PlannedDisplacement {
  accepted
  reason {
    code
    message
  }
  displaces {
    number
  }
  withoutPlace {
    number
  }
  firstPossibleStart
}`) as unknown as TypedDocumentString<SetNodeStateMutation, SetNodeStateMutationVariables>;
export const AddNodesDocument = new TypedDocumentString(`
    mutation AddNodes($input: AddNodesInput!) {
  addNodes(input: $input) {
    nodes {
      id
      number
      hostname
      capacity {
        type
        amount
      }
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<AddNodesMutation, AddNodesMutationVariables>;
export const UpdateNodeDocument = new TypedDocumentString(`
    mutation UpdateNode($input: UpdateNodeInput!) {
  updateNode(input: $input) {
    node {
      id
      number
      hostname
      capacity {
        type
        amount
      }
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<UpdateNodeMutation, UpdateNodeMutationVariables>;
export const RemoveNodeDocument = new TypedDocumentString(`
    mutation RemoveNode($id: ID!, $dryRun: Boolean) {
  removeNode(input: {id: $id, dryRun: $dryRun}) {
    node {
      number
      hostname
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<RemoveNodeMutation, RemoveNodeMutationVariables>;
export const AccountingDocument = new TypedDocumentString(`
    query Accounting($from: DateTime!, $to: DateTime!, $by: AccountingGroup!, $step: Duration) {
  accounting(from: $from, to: $to, by: $by, step: $step) {
    start
    end
    project {
      name
    }
    owner {
      name
    }
    lease {
      number
    }
    leases
    requested {
      type
      hours
    }
    used {
      type
      hours
    }
    lost {
      type
      hours
    }
    waiting
    preemptions
  }
}
    `) as unknown as TypedDocumentString<AccountingQuery, AccountingQueryVariables>;
export const RecurrencesDocument = new TypedDocumentString(`
    query Recurrences($live: Boolean, $first: Int, $after: String) {
  recurrences(live: $live, first: $first, after: $after) {
    nodes {
      ...RecurrenceRow
    }
    pageInfo {
      ...Page
    }
  }
}
    fragment Page on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}
fragment RecurrenceRow on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  machines {
    capacity {
      type
      amount
    }
  }
  upcoming(first: 1) {
    start
  }
}`) as unknown as TypedDocumentString<RecurrencesQuery, RecurrencesQueryVariables>;
export const RecurrenceByNumberDocument = new TypedDocumentString(`
    query RecurrenceByNumber($number: Int!, $upcoming: Int) {
  recurrence(number: $number) {
    ...RecurrenceRow
    collisions
    owner {
      name
    }
    project {
      name
    }
    createdAt
    cancelledAt
    planned: upcoming(first: $upcoming) {
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
        code
        message
      }
    }
  }
}
    fragment RecurrenceRow on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  machines {
    capacity {
      type
      amount
    }
  }
  upcoming(first: 1) {
    start
  }
}`) as unknown as TypedDocumentString<RecurrenceByNumberQuery, RecurrenceByNumberQueryVariables>;
export const CreateRecurrenceDocument = new TypedDocumentString(`
    mutation CreateRecurrence($input: CreateRecurrenceInput!) {
  createRecurrence(input: $input) {
    recurrence {
      ...RecurrenceRow
    }
    skipped {
      occurrence
      start
      reason {
        code
        message
      }
    }
    displaced {
      number
    }
    plan {
      accepted
      occurrences {
        occurrence
        start
        end
        reason {
          code
          message
        }
        firstPossibleStart
      }
      displaces {
        number
      }
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment RecurrenceRow on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  machines {
    capacity {
      type
      amount
    }
  }
  upcoming(first: 1) {
    start
  }
}`) as unknown as TypedDocumentString<CreateRecurrenceMutation, CreateRecurrenceMutationVariables>;
export const UpdateRecurrenceDocument = new TypedDocumentString(`
    mutation UpdateRecurrence($input: UpdateRecurrenceInput!) {
  updateRecurrence(input: $input) {
    recurrence {
      ...RecurrenceRow
    }
    displaced {
      number
    }
    plan {
      accepted
      occurrences {
        occurrence
        start
        end
        reason {
          code
          message
        }
        firstPossibleStart
      }
      displaces {
        number
      }
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment RecurrenceRow on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  machines {
    capacity {
      type
      amount
    }
  }
  upcoming(first: 1) {
    start
  }
}`) as unknown as TypedDocumentString<UpdateRecurrenceMutation, UpdateRecurrenceMutationVariables>;
export const CancelRecurrenceDocument = new TypedDocumentString(`
    mutation CancelRecurrence($input: CancelRecurrenceInput!) {
  cancelRecurrence(input: $input) {
    recurrence {
      ...RecurrenceRow
    }
    plan {
      ...EndingRow
    }
    userErrors {
      ...Refusal
    }
  }
}
    fragment Refusal on UserError {
  code
  message
  path
}
fragment EndingRow on PlannedEnding {
  accepted
  ends {
    number
    name
    type
    state
  }
  sooner {
    lease {
      number
      name
      type
      state
    }
    plannedStart
    start
  }
  isComplete
}
fragment RecurrenceRow on Recurrence {
  id
  number
  name
  state
  rule
  timeZone
  firstStart
  duration
  machines {
    capacity {
      type
      amount
    }
  }
  upcoming(first: 1) {
    start
  }
}`) as unknown as TypedDocumentString<CancelRecurrenceMutation, CancelRecurrenceMutationVariables>;