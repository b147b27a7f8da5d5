/**
 * References of object types, their connections, and enums. The file of each noun adds the fields. `node(id)` loads
 * objects through the readers like everything else. The readers read each object once per response; the cache of Pothos
 * would return an object before it has its type if two fields of a request name the same id.
 */

import type { NoticeKind } from '../../engine/ports.ts';
import type {
  LeaseEvent as LeaseEventRow,
  Notice as NoticeRow,
  Project as ProjectRow,
  Reservation as ReservationRow,
} from '../../store/prisma/client.ts';
import type { ActionRow } from '../read/actions.ts';
import type { TokenRow } from '../read/administration.ts';
import type { LeaseRow } from '../read/leases.ts';
import type { NodeRow } from '../read/nodes.ts';
import type { Connection } from '../read/pages.ts';
import type { RecurrenceRow } from '../read/recurrences.ts';
import { builder, type FieldsOf } from './builder.ts';

export const Lease = builder.node(builder.objectRef<LeaseRow>('Lease'), {
  description:
    'An agreement: these machines, with these capacities and this disk image, for this long, starting then, now or as soon as they fit.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.lease(Number(number)),
});

export const ComputeNode = builder.node(builder.objectRef<NodeRow>('ComputeNode'), {
  description: 'A physical node, on which machines of leases run.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.node(Number(number)),
});

export const Reservation = builder.node(builder.objectRef<ReservationRow>('Reservation'), {
  description: 'What nodes do, or hold, for a lease over an interval [start, end).',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.reservation(Number(number)),
});

export const LeaseEvent = builder.node(builder.objectRef<LeaseEventRow>('LeaseEvent'), {
  description: 'A change of the state of a lease.',
  id: { resolve: ({ sequence }) => sequence },
  loadWithoutCache: (sequence, { read }) => read.event(Number(sequence)),
});

export const Project = builder.node(builder.objectRef<ProjectRow>('Project'), {
  description: 'A group of principals that share leases.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.project(Number(number)),
});

export const Token = builder.node(builder.objectRef<TokenRow>('Token'), {
  description: 'A bearer token. Its secret is shown once, when it is created.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.identity.token(Number(number)),
});

export const Notice = builder.node(builder.objectRef<NoticeRow>('Notice'), {
  description: 'A notification about a lease, a node or maintenance.',
  id: { resolve: ({ sequence }) => sequence },
  loadWithoutCache: (sequence, { read }) => read.notices.notice(Number(sequence)),
});

export const Action = builder.node(builder.objectRef<ActionRow>('Action'), {
  description: 'Something that hosts are told to do for a lease.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.action(Number(number)),
});

export const Recurrence = builder.node(builder.objectRef<RecurrenceRow>('Recurrence'), {
  description: 'An advance reservation that recurs. Each of its occurrences is a lease.',
  id: { resolve: ({ number }) => number },
  loadWithoutCache: (number, { read }) => read.recurrence(Number(number)),
});

// ---------------------------------------------------------------- pages

export function totalCount(t: FieldsOf<object>) {
  return {
    totalCount: t.int({
      description: 'The number of elements of the whole list. Counted only when it is selected.',
      resolve: (parent) => (parent as Connection<unknown>).totalCount(),
    }),
  };
}

export const LeaseConnection = builder.connectionObject(
  { type: Lease, name: 'LeaseConnection', description: 'A page of leases.', fields: totalCount },
  { name: 'LeaseEdge', description: 'A lease and its position in the list.' },
);

export const ComputeNodeConnection = builder.connectionObject(
  { type: ComputeNode, name: 'ComputeNodeConnection', description: 'A page of nodes.', fields: totalCount },
  { name: 'ComputeNodeEdge', description: 'A node and its position in the list.' },
);

export const ReservationConnection = builder.connectionObject(
  {
    type: Reservation,
    name: 'ReservationConnection',
    description: 'A page of reservations.',
    fields: totalCount,
  },
  { name: 'ReservationEdge', description: 'A reservation and its position in the list.' },
);

export const LeaseEventConnection = builder.connectionObject(
  { type: LeaseEvent, name: 'LeaseEventConnection', description: 'A page of events.', fields: totalCount },
  { name: 'LeaseEventEdge', description: 'An event and its position in the list.' },
);

export const NoticeConnection = builder.connectionObject(
  { type: Notice, name: 'NoticeConnection', description: 'A page of notices.', fields: totalCount },
  { name: 'NoticeEdge', description: 'A notice and its position in the list.' },
);

export const ActionConnection = builder.connectionObject(
  { type: Action, name: 'ActionConnection', description: 'A page of actions.', fields: totalCount },
  { name: 'ActionEdge', description: 'An action and its position in the list.' },
);

export const RecurrenceConnection = builder.connectionObject(
  {
    type: Recurrence,
    name: 'RecurrenceConnection',
    description: 'A page of recurrences.',
    fields: totalCount,
  },
  { name: 'RecurrenceEdge', description: 'A recurrence and its position in the list.' },
);

export const ProjectConnection = builder.connectionObject(
  { type: Project, name: 'ProjectConnection', description: 'A page of projects.', fields: totalCount },
  { name: 'ProjectEdge', description: 'A project and its position in the list.' },
);

export const TokenConnection = builder.connectionObject(
  { type: Token, name: 'TokenConnection', description: 'A page of tokens.', fields: totalCount },
  { name: 'TokenEdge', description: 'A token and its position in the list.' },
);

// ---------------------------------------------------------------- enums

/** For a value written by a newer version. */
const unknown = {
  UNKNOWN: { description: 'A value that this version of the server does not know.' },
} as const;

/** Maps unknown values to UNKNOWN, so that one row does not fail its page. */
function orUnknown<T extends string>(values: Readonly<Record<T, unknown>>): (value: string) => T | 'UNKNOWN' {
  return (value) => (Object.hasOwn(values, value) ? (value as T) : 'UNKNOWN');
}

const leaseTypes = {
  BEST_EFFORT: { description: 'As soon as they fit; until then the lease waits in the queue.' },
  ADVANCE_RESERVATION: {
    description: 'At an exact start; if that is not possible, the lease is rejected.',
  },
  IMMEDIATE: { description: 'Now; if that is not possible, the lease is rejected.' },
  DEADLINE: { description: 'At any time that lets the lease end by its deadline.' },
} as const;
export const leaseTypeOf = orUnknown(leaseTypes);
export const LeaseTypeEnum = builder.enumType('LeaseType', {
  description: 'When a lease needs its machines.',
  values: { ...leaseTypes, ...unknown },
});

const leaseStates = {
  NEW: { description: 'Created, and not yet considered.' },
  PENDING: { description: 'Accepted; waits for the next scheduling pass.' },
  REJECTED: { description: 'Final: it was refused, or could not be scheduled.' },
  SCHEDULED: { description: 'Has reservations, and something to prepare first.' },
  QUEUED: { description: 'Best effort: waits in the queue.' },
  CANCELLED: { description: 'Final: a user cancelled it.' },
  PREPARING: { description: 'Its disk image is being transferred to the nodes.' },
  READY: { description: 'Has reservations, and nothing left to prepare.' },
  ACTIVE: { description: 'Its machines run, or shut down.' },
  SUSPENDING: { description: 'Its machines are being suspended.' },
  SUSPENDED_PENDING: { description: 'Suspended; waits for the next scheduling pass.' },
  SUSPENDED_QUEUED: { description: 'Suspended; waits in the queue.' },
  SUSPENDED_SCHEDULED: { description: 'Suspended; its resumption is reserved.' },
  MIGRATING: { description: 'Its suspended machines are being moved to other nodes.' },
  RESUMING: { description: 'Its machines are being resumed.' },
  RESUMED_READY: { description: 'Its machines are resumed and about to run.' },
  DONE: { description: 'Final: it ran.' },
  FAILED: { description: 'Final: something that it needed could not be done.' },
  REJECTED_BY_USER: { description: 'Final: its user did not accept the price.' },
  QUARANTINED: {
    description: 'What is stored of it is not sound, so the scheduler leaves it out until it is repaired or discarded.',
  },
} as const;
export const leaseStateOf = orUnknown(leaseStates);
export const LeaseStateEnum = builder.enumType('LeaseState', {
  description: 'The state of a lease.',
  values: { ...leaseStates, ...unknown },
});

const reservationKinds = {
  VM: { description: 'Machines run.' },
  SHUTDOWN: { description: 'Machines shut down.' },
  SUSPENSION: { description: 'Machines are suspended: their memory is written to disk.' },
  RESUMPTION: { description: 'Machines are resumed.' },
  MEMORY_MIGRATION: { description: 'Saved memory is moved to other nodes.' },
  DISK_MIGRATION: { description: 'Disk images are moved to other nodes.' },
  IMAGE_TRANSFER: { description: 'A disk image is transferred from the image repository.' },
} as const;
export const reservationKindOf = orUnknown(reservationKinds);
export const ReservationKindEnum = builder.enumType('ReservationKind', {
  description: 'The purpose of a reservation.',
  values: { ...reservationKinds, ...unknown },
});

const reservationStates = {
  SCHEDULED: { description: 'Planned.' },
  ACTIVE: { description: 'In progress.' },
  DONE: { description: 'Ended.' },
  CANCELLED: { description: 'Stopped before its end.' },
} as const;
export const reservationStateOf = orUnknown(reservationStates);
export const ReservationStateEnum = builder.enumType('ReservationState', {
  description: 'The state of a reservation.',
  values: { ...reservationStates, ...unknown },
});

const noticeKinds = {
  LEASE_ENDS_SOON: { description: 'The machines of a lease stop within its end notice.' },
  LEASE_PREEMPTED: { description: 'A lease gave way to another one.' },
  LEASE_DISPLACED: {
    description: 'A lease has lost its nodes, or those it was planned on, and waits for others.',
  },
  LEASE_MOVED: { description: 'A lease got other nodes, or another start, because of its nodes.' },
  LEASE_LATE: {
    description:
      'The machines of a lease start later than planned, or an operation such as its suspension is late, because hosts take longer.',
  },
  LEASE_FAILED: { description: 'A lease has failed.' },
  NODE_DOWN: { description: 'A node has failed.' },
  NODE_UP: { description: 'A node that had failed is back.' },
  MAINTENANCE_SOON: { description: 'Maintenance begins soon.' },
} as const satisfies Readonly<Record<NoticeKind, object>>;
export const noticeKindOf = orUnknown(noticeKinds);
export const NoticeKindEnum = builder.enumType('NoticeKind', {
  description: 'What a notice is about.',
  values: { ...noticeKinds, ...unknown },
});

/** Filter values known to the database; null for no condition. */
export function knownValues<T extends string>(values: readonly (T | 'UNKNOWN')[] | null | undefined) {
  return values?.filter((value): value is T => value !== 'UNKNOWN') ?? null;
}

export const RoleEnum = builder.enumType('Role', {
  description: 'What a principal may do. Each role includes the ones before it.',
  values: {
    VIEWER: { description: "Reads its projects' leases, and when nodes are busy." },
    USER: { description: 'Requests, changes and cancels leases of its projects.' },
    OPERATOR: { description: 'Reads and changes all leases, and manages nodes.' },
    ADMIN: { description: 'Manages projects and tokens, and reads the audit log.' },
  } as const,
});

const nodeStates = {
  UP: { description: 'In use.' },
  DRAINING: { description: 'Nothing new starts on it; what runs goes on.' },
  DOWN: { description: 'Failed: nothing runs on it.' },
} as const;
export const NodeStateEnum = builder.enumType('NodeState', {
  description: 'Whether a node can be used.',
  values: nodeStates,
});
