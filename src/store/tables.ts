/** The tables, and which column keeps which field of a record. A new field of a record gets its column here, and a migration. */
import { z } from 'zod';
import type {
  ActionRecord,
  Amounts,
  CachedImageRecord,
  Instant,
  LeaseEventRecord,
  LeaseRecord,
  NodeSpec,
  ReasonData,
  ReservationRecord,
  SiteRecord,
  StateReason,
} from '../core/index.ts';
import type { ActionOutcome, IdempotencyRecord } from '../engine/ports.ts';
import {
  ActionKind,
  ActionState,
  LeaseState,
  LeaseType,
  ReservationKind,
  ReservationState,
} from './prisma/enums.ts';
import {
  bigint,
  boolean,
  type Field,
  instant,
  int,
  json,
  member,
  oneOf,
  optional,
  Table,
  text,
} from './table.ts';

const amounts: z.ZodType<Amounts> = z.record(z.string(), z.union([z.number(), z.array(z.number())]));
const image = z.object({ name: z.string(), sizeMb: z.number() });
const pair = z.tuple([z.int(), z.int()]);
const positive = z.string().regex(/^[1-9]\d*$/);
const byMachine = z.record(positive, z.int());
const byNode = <T extends z.ZodType>(shape: T) => z.record(positive, shape);

/** Undefined for a map without keys. */
const withKeys = <T extends object>(map: T): T | undefined => (Object.keys(map).length > 0 ? map : undefined);

export const nodes = new Table<NodeSpec>(
  'nodes',
  ['number'],
  {
    number: int('number'),
    hostname: text('hostname'),
    capacity: json('capacity', amounts),
    address: {
      columns: [{ name: 'address', type: 'text', shape: z.string().nullable() }],
      write: (address, row) => {
        row.address = address ?? null;
      },
      read: ({ address }) => (address as string | null) ?? undefined,
    },
    labels: {
      columns: [{ name: 'labels', type: 'jsonb', shape: z.record(z.string(), z.string()) }],
      write: (labels, row) => {
        row.labels = labels ?? {};
      },
      read: ({ labels }) => withKeys(labels as Readonly<Record<string, string>>),
    },
  },
  ({ number }) => `Node ${number}`,
);

export const cachedImage: z.ZodType<CachedImageRecord> = z.object({
  node: z.int(),
  image,
  timeout: z.int().nullable(),
  users: z.array(pair),
});

export const sites = new Table<SiteRecord>(
  'sites',
  ['id'],
  {
    lastLeaseId: int('last_lease_id'),
    lastReservationId: bigint('last_reservation_id'),
    lastEventSequence: bigint('last_event_sequence'),
    lastActionId: bigint('last_action_id'),
    lastRank: bigint('last_rank'),
    // Each is checked by itself, so that one that cannot be read does not take the others with it.
    cachedImages: json('cached_images', z.unknown()) as Field<SiteRecord['cachedImages'], SiteRecord>,
  },
  () => 'The site',
);

const reasonData: z.ZodType<ReasonData> = z.record(z.string(), z.int());

function reason<R>(): Field<StateReason | null, R> {
  const nullableText = z.string().nullable();
  return {
    columns: [
      { name: 'reason_code', type: 'text', shape: nullableText },
      { name: 'reason_message', type: 'text', shape: nullableText },
      { name: 'reason_data', type: 'jsonb', shape: reasonData.nullable() },
    ],
    write: (value, row) => {
      row.reason_code = value?.code ?? null;
      row.reason_message = value?.message ?? null;
      row.reason_data = value?.data ?? null;
    },
    read: ({ reason_code: code, reason_message: message, reason_data: data }) =>
      code === null
        ? null
        : {
            code: String(code),
            message: String(message ?? ''),
            ...(data === null ? {} : { data: data as ReasonData }),
          },
  };
}

const leaseImage: Field<LeaseRecord['image'], LeaseRecord> = {
  columns: [
    { name: 'image_name', type: 'text', shape: z.string().nullable() },
    { name: 'image_size_mb', type: 'bigint', shape: z.int().nullable() },
  ],
  write: (value, row) => {
    row.image_name = value?.name ?? null;
    row.image_size_mb = value?.sizeMb ?? null;
  },
  read: ({ image_name: name, image_size_mb: sizeMb }) =>
    name === null ? null : { name: String(name), sizeMb: Number(sizeMb ?? 0) },
};

/** Machines are rows of `lease_machines`. */
const machinesOfLease: Field<LeaseRecord['machines'], LeaseRecord> = {
  columns: [
    { name: 'machine_count', type: 'int', shape: z.int(), writeOnly: true },
    {
      name: 'machines',
      type: 'jsonb',
      select: `(SELECT json_agg(json_build_array(index, amounts) ORDER BY index)
        FROM lease_machines WHERE lease_number = number)`,
      shape: z
        .array(z.tuple([z.int(), amounts]))
        .nonempty()
        .refine(
          (machines) => machines.every(([index], position) => index === position + 1),
          'indices are not 1, 2, 3 …',
        ),
    },
  ],
  write: (value, row) => {
    row.machine_count = value.length;
  },
  read: ({ machines }) => (machines as [number, Amounts][]).map(([, machine]) => machine),
};

/** A field that leases of earlier versions do not have. */
function added<T>(name: string, shape: z.ZodType<T>, before: T): Field<T, LeaseRecord> {
  const field = member<T | undefined, LeaseRecord>('placement', name, shape.optional());
  return { ...field, read: (row) => field.read(row) ?? before };
}

export const leases = new Table<LeaseRecord>(
  'leases',
  ['number'],
  {
    id: int('number'),
    name: optional(text('name')),
    type: oneOf('type', 'LeaseType', LeaseType),
    state: oneOf('state', 'LeaseState', LeaseState),
    reason: reason(),
    submittedAt: instant('submitted_at'),
    requestedStart: optional(instant('requested_start')),
    originalDuration: bigint('original_duration'),
    duration: bigint('duration'),
    knownDuration: optional(bigint('known_duration')),
    accumulated: bigint('accumulated'),
    restarts: int('restarts'),
    lostDuration: bigint('lost_duration'),
    preemptible: boolean('preemptible'),
    machines: machinesOfLease,
    image: leaseImage,
    owner: optional(text('owner')),
    project: optional(int('project_number')),
    actualStart: optional(instant('actual_start')),
    plannedStart: optional(instant('planned_start')),
    endedAt: optional(instant('ended_at')),
    queueRank: optional(bigint('queue_rank')),
    isFuture: boolean('is_future'),
    deadline: optional(instant('deadline')),
    isWithoutPlace: added('isWithoutPlace', z.boolean(), false),
    preemptions: added('preemptions', z.int(), 0),
    mapping: member('placement', 'mapping', byMachine.nullable()),
    memoryAt: member('placement', 'memoryAt', byMachine),
    diskAt: member('placement', 'diskAt', byMachine),
  },
  ({ id }) => `Lease ${id}`,
);

interface MachineRecord {
  readonly leaseId: number;
  /** Counts from 1. */
  readonly index: number;
  readonly amounts: Amounts;
  readonly node: number | null;
}

export const leaseMachines = new Table<MachineRecord>(
  'lease_machines',
  ['lease_number', 'index'],
  {
    leaseId: int('lease_number'),
    index: int('index'),
    amounts: json('amounts', amounts),
    node: optional(int('node_number')),
  },
  ({ leaseId, index }) => `Machine ${index} of lease ${leaseId}`,
);

export function machinesOf(lease: LeaseRecord): MachineRecord[] {
  return lease.machines.map((each, position) => {
    const index = position + 1;
    const node = lease.mapping?.[index] ?? lease.memoryAt[index] ?? null;
    return { leaseId: lease.id, index, amounts: each, node };
  });
}

/** A transfer also uses the bandwidth of the image repository, which is not a node of the site. */
export function isTransfer({ kind }: Pick<ReservationRecord, 'kind'>): boolean {
  return kind === 'IMAGE_TRANSFER';
}

/** Amounts are rows of `reservation_nodes`; those of a transfer also stand in the plan. */
const amountsOfReservation: Field<ReservationRecord['amounts'], ReservationRecord> = {
  columns: [
    {
      name: 'amounts',
      type: 'jsonb',
      select: `(SELECT json_object_agg(node_number, amounts)
        FROM reservation_nodes WHERE reservation_number = number)`,
      shape: byNode(amounts).nullable(),
    },
    { name: 'plan', type: 'jsonb', shape: z.unknown(), members: { amounts: byNode(amounts).optional() } },
  ],
  write: (value, row, record) => {
    if (isTransfer(record)) row.plan = { ...(row.plan as object | undefined), amounts: value };
  },
  read: ({ plan, amounts: onNodes }) =>
    (plan as { amounts?: ReservationRecord['amounts'] }).amounts ??
    (onNodes as ReservationRecord['amounts'] | null) ??
    {},
};

export const reservations = new Table<ReservationRecord>(
  'reservations',
  ['number'],
  {
    id: bigint('number'),
    leaseId: int('lease_number'),
    kind: oneOf('kind', 'ReservationKind', ReservationKind),
    state: oneOf('state', 'ReservationState', ReservationState),
    start: instant('starts_at'),
    end: instant('ends_at'),
    amounts: amountsOfReservation,
    machines: member('plan', 'machines', byMachine.nullable()),
    moves: member('plan', 'moves', z.record(positive, pair).nullable()),
    waiting: member('plan', 'waiting', byNode(z.array(pair)).nullable()),
    targets: member('plan', 'targets', byNode(z.array(pair)).nullable()),
    image: member('plan', 'image', image.nullable()),
    vmId: member('plan', 'vmId', z.int().nullable()),
    // Plans that were written before there was a preemptor have none.
    preemptor: member('plan', 'preemptor', z.int().nullable().default(null)),
    chainIndex: member('plan', 'chainIndex', z.int()),
    startRank: member('plan', 'startRank', z.int()),
    endRank: member('plan', 'endRank', z.int()),
  },
  ({ id }) => `Reservation ${id}`,
);

interface ReservationNodeRecord {
  readonly reservationId: number;
  readonly node: number;
  readonly amounts: Amounts;
  /** As of the reservation. */
  readonly start: Instant;
  readonly end: Instant;
}

export const reservationNodes = new Table<ReservationNodeRecord>(
  'reservation_nodes',
  ['reservation_number', 'node_number'],
  {
    reservationId: bigint('reservation_number'),
    node: int('node_number'),
    amounts: json('amounts', amounts),
    start: instant('starts_at'),
    end: instant('ends_at'),
  },
  ({ reservationId, node }) => `Node ${node} of reservation ${reservationId}`,
);

export function nodesOf(reservation: ReservationRecord): ReservationNodeRecord[] {
  return Object.entries(reservation.amounts).map(([node, each]) => ({
    reservationId: reservation.id,
    node: Number(node),
    amounts: each,
    start: reservation.start,
    end: reservation.end,
  }));
}

/** What counts as use of the site's resources, by kind of reservation: transfers and migrations reserve bandwidth only. */
const counted: ReadonlySet<ReservationRecord['kind']> = new Set([
  'VM',
  'SHUTDOWN',
  'SUSPENSION',
  'RESUMPTION',
]);

/** Whether a reservation is to be added to `utilization_hours`, unless it was finished before. */
export function isFinishedUse({ kind, state, start, end }: ReservationRecord): boolean {
  return counted.has(kind) && (state === 'DONE' || state === 'CANCELLED') && end > start;
}

export const leaseEvents = new Table<LeaseEventRecord>(
  'lease_events',
  ['sequence'],
  {
    sequence: bigint('sequence'),
    at: instant('at'),
    leaseId: int('lease_number'),
    from: oneOf('from_state', 'LeaseState', LeaseState),
    to: oneOf('to_state', 'LeaseState', LeaseState),
    reason: reason(),
  },
  ({ sequence }) => `Event ${sequence}`,
);

const target: z.ZodType<ActionRecord['targets'][number]> = z.object({
  leaseId: z.int(),
  machine: z.int(),
  node: z.int(),
  toNode: z.int().nullable(),
  capacity: amounts,
  image: image.nullable(),
});

type Progress = Omit<ActionOutcome, 'actionId' | 'state' | 'finishedAt'> & {
  readonly state: ActionState;
  readonly finishedAt: ActionOutcome['finishedAt'] | null;
};

export const actions = new Table<ActionRecord & Progress>(
  'actions',
  ['number'],
  {
    id: bigint('number'),
    kind: oneOf('kind', 'ActionKind', ActionKind),
    leaseId: int('lease_number'),
    reservationId: optional(bigint('reservation_number')),
    at: instant('at'),
    deadline: optional(instant('deadline')),
    targets: json('targets', z.array(target)),
    state: oneOf('state', 'ActionState', ActionState),
    attempts: int('attempts'),
    error: optional(text('error')),
    startedAt: optional(instant('started_at')),
    finishedAt: optional(instant('finished_at')),
    output: optional(text('output')),
  },
  ({ id }) => `Action ${id}`,
);

/** What of an action never changes. */
export const actionOrders = actions.only(
  'id',
  'kind',
  'leaseId',
  'reservationId',
  'at',
  'deadline',
  'targets',
);
/** What becomes known of an action. */
export const actionOutcomes = actions.only(
  'id',
  'state',
  'attempts',
  'error',
  'startedAt',
  'finishedAt',
  'output',
);

const unfinished: Omit<ActionOutcome, 'actionId'> = {
  ...{ attempts: 0, error: null, startedAt: null, finishedAt: null, output: null },
  state: 'PENDING',
};

/** An action that was carried out within the turn that made it is written with its outcome. */
export function withOutcome(
  action: ActionRecord,
  outcome: ActionOutcome | undefined,
): ActionRecord & Progress {
  const { actionId: _, ...progress } = outcome ?? { actionId: action.id, ...unfinished };
  return { ...action, ...progress };
}

export const idempotencyKeys = new Table<IdempotencyRecord>(
  'idempotency_keys',
  ['principal', 'key'],
  {
    principal: text('principal'),
    key: text('key'),
    inputHash: text('input_hash'),
    leaseNumber: int('lease_number'),
  },
  ({ key }) => `Idempotency key ${key}`,
);
