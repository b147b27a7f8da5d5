/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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
  /** It counts as failed; the hosts are no longer called for it. */
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

/** A new project. */
export type CreateProjectInput = {
  /** Its unique name. */
  readonly name: string;
};

/** A new token. */
export type CreateTokenInput = {
  /** When it expires, by the wall clock. Without it, never. */
  readonly expiresAt?: string | null | undefined;
  /** The unique name of the principal that it stands for. Letters, digits and . _ - @ only. */
  readonly name: string;
  /** The projects of which its holder is a member. */
  readonly projects?: ReadonlyArray<string | number> | null | undefined;
  /** What its holder may do. */
  readonly role: Role;
};

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

/** Whether a node can be used. */
export type NodeState =
  /** Failed: nothing runs on it. */
  | 'DOWN'
  /** Nothing new starts on it; what runs goes on. */
  | 'DRAINING'
  /** In use. */
  | 'UP';

/** The direction of an order. */
export type OrderDirection =
  /** Ascending. */
  | 'ASC'
  /** Descending. */
  | 'DESC';

/** The action, and what becomes of it. */
export type RecoverActionInput = {
  /** The global id of the action. */
  readonly id: string | number;
  /** What becomes of it. */
  readonly recovery: ActionRecovery;
};

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

/** New terms of a lease. What is not given stays as it is. */
export type UpdateLeaseInput = {
  /** An extension that is blocked goes as far as it can instead of being refused. */
  readonly asFarAsPossible?: boolean | null | undefined;
  /** DEADLINE: the new deadline. */
  readonly deadline?: string | null | undefined;
  /** The new requested running time. */
  readonly duration?: string | null | undefined;
  /** Its global id. */
  readonly id: string | number;
  /** Repeating an update with its key returns the lease; the key with another input is an error. */
  readonly idempotencyKey?: string | null | undefined;
  /** ADVANCE_RESERVATION: the new start. DEADLINE: the new earliest start. */
  readonly start?: string | null | undefined;
};

export type ConsoleLeaseFragment = { readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null };

export type ConsoleViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ConsoleViewerQuery = { readonly serverTime: string, readonly viewer: { readonly name: string, readonly role: Role, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> }, readonly site: { readonly name: string, readonly resourceTypes: ReadonlyArray<string>, readonly clockSpeed: number } };

export type ConsoleOverviewQueryVariables = Exact<{
  running: LeaseFilter;
  waiting: LeaseFilter;
}>;


export type ConsoleOverviewQuery = { readonly serverTime: string, readonly running: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }> }, readonly waiting: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }> }, readonly queue: { readonly totalCount: number }, readonly nodes: { readonly totalCount: number } };

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


export type ConsoleLeaseDetailQuery = { readonly lease: { readonly restarts: number, readonly lostDuration: string, readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly diskImage: { readonly name: string, readonly sizeMb: number } | null, readonly machines: ReadonlyArray<{ readonly index: number, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly node: { readonly number: number, readonly hostname: string } | null }>, readonly reservations: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly nodes: ReadonlyArray<{ readonly number: number, readonly hostname: string }> }> }, readonly actions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kind: ActionKind, readonly state: ActionState, readonly at: string, readonly finishedAt: string | null, readonly attempts: number, readonly error: string | null, readonly output: string | null, readonly nodes: ReadonlyArray<{ readonly hostname: string }> }> }, readonly events: { readonly nodes: ReadonlyArray<{ readonly sequence: number, readonly at: string, readonly from: LeaseState, readonly to: LeaseState, readonly reason: { readonly code: string, readonly message: string } | null }> }, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null } | null };

export type ConsoleQueueQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleQueueQuery = { readonly queue: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly type: LeaseType, readonly state: LeaseState, readonly submittedAt: string, readonly requestedStart: string | null, readonly requestedDuration: string, readonly deadline: string | null, readonly estimatedStart: string | null, readonly actualStart: string | null, readonly endedAt: string | null, readonly accumulatedDuration: string, readonly queuePosition: number | null, readonly preemptible: boolean, readonly estimatedEnd: string | null, readonly stateReason: { readonly code: string, readonly message: string } | null, readonly owner: { readonly name: string } | null, readonly project: { readonly id: string, readonly name: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type ConsoleNodesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleNodesQuery = { readonly nodes: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly hostname: string, readonly state: NodeState, readonly labels: ReadonlyArray<{ readonly key: string, readonly value: string }>, readonly capacity: ReadonlyArray<{ readonly type: string, readonly amount: number }>, readonly available: ReadonlyArray<{ readonly type: string, readonly amount: number }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type ConsoleScheduleQueryVariables = Exact<{
  from: string;
  to: string;
}>;


export type ConsoleScheduleQuery = { readonly schedule: { readonly isComplete: boolean, readonly reservations: ReadonlyArray<{ readonly id: string, readonly kind: ReservationKind, readonly state: ReservationState, readonly start: string, readonly end: string, readonly nodes: ReadonlyArray<number>, readonly leaseNumber: number, readonly leaseName: string | null, readonly leaseState: LeaseState }> } };

export type ConsoleRequestLeaseMutationVariables = Exact<{
  input: RequestLeaseInput;
}>;


export type ConsoleRequestLeaseMutation = { readonly requestLease: { readonly lease: { readonly number: number, readonly state: LeaseState, readonly stateReason: { readonly message: string } | null } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string, readonly path: ReadonlyArray<string> | null }> } };

export type ConsoleCancelLeaseMutationVariables = Exact<{
  id: string | number;
}>;


export type ConsoleCancelLeaseMutation = { readonly cancelLease: { readonly lease: { readonly number: number, readonly state: LeaseState } | null, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleEventsSubscriptionVariables = Exact<{
  after?: number | null | undefined;
}>;


export type ConsoleEventsSubscription = { readonly leaseEvents: { readonly sequence: number, readonly from: LeaseState, readonly to: LeaseState, readonly lease: { readonly number: number } } };

export type ConsoleProjectsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConsoleProjectsQuery = { readonly projects: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly createdAt: string }> } };

export type ConsoleTokensQueryVariables = Exact<{
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConsoleTokensQuery = { readonly tokens: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly prefix: string, readonly role: Role, readonly createdAt: string, readonly lastUsedAt: string | null, readonly expiresAt: string | null, readonly revokedAt: string | null, readonly projects: ReadonlyArray<{ readonly id: string, readonly name: string }> }>, readonly pageInfo: { readonly hasPreviousPage: boolean, readonly startCursor: string | null } } };

export type ConsoleAuditLogQueryVariables = Exact<{
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


export type ConsoleUpdateLeaseMutation = { readonly updateLease: { readonly lease: { readonly number: number } | null, readonly displaced: ReadonlyArray<{ readonly number: number }>, readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleEndLeaseMutationVariables = Exact<{
  id: string | number;
}>;


export type ConsoleEndLeaseMutation = { readonly endLease: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

export type ConsoleRecoverActionMutationVariables = Exact<{
  input: RecoverActionInput;
}>;


export type ConsoleRecoverActionMutation = { readonly recoverAction: { readonly userErrors: ReadonlyArray<{ readonly code: string, readonly message: string }> } };

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
    clockSpeed
  }
  serverTime
}
    `) as unknown as TypedDocumentString<ConsoleViewerQuery, ConsoleViewerQueryVariables>;
export const ConsoleOverviewDocument = new TypedDocumentString(`
    query ConsoleOverview($running: LeaseFilter!, $waiting: LeaseFilter!) {
  serverTime
  running: leases(filter: $running, last: 8) {
    totalCount
    nodes {
      ...ConsoleLease
    }
  }
  waiting: leases(filter: $waiting, last: 8) {
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
}`) as unknown as TypedDocumentString<ConsoleOverviewQuery, ConsoleOverviewQueryVariables>;
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
    reservations(first: 100) {
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
    query ConsoleNodes($first: Int, $after: String) {
  nodes(first: $first, after: $after) {
    totalCount
    nodes {
      id
      number
      hostname
      state
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
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleNodesQuery, ConsoleNodesQueryVariables>;
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
    mutation ConsoleCancelLease($id: ID!) {
  cancelLease(input: {id: $id}) {
    lease {
      number
      state
    }
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleCancelLeaseMutation, ConsoleCancelLeaseMutationVariables>;
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
export const ConsoleProjectsDocument = new TypedDocumentString(`
    query ConsoleProjects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    totalCount
    nodes {
      id
      name
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleProjectsQuery, ConsoleProjectsQueryVariables>;
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
    query ConsoleAuditLog($last: Int, $before: String) {
  auditLog(last: $last, before: $before) {
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
    displaced {
      number
    }
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleUpdateLeaseMutation, ConsoleUpdateLeaseMutationVariables>;
export const ConsoleEndLeaseDocument = new TypedDocumentString(`
    mutation ConsoleEndLease($id: ID!) {
  endLease(input: {id: $id}) {
    userErrors {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConsoleEndLeaseMutation, ConsoleEndLeaseMutationVariables>;
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