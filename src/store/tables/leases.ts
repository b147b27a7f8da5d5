/** The tables of leases and their machines. */
import * as z from 'zod';
import type { Amounts, LeaseRecord } from '../../core/index.ts';
import { LeaseState, LeaseType } from '../prisma/enums.ts';
import { bigint, boolean, type Field, instant, int, json, member, oneOf, optional, Table, text } from '../table.ts';
import { amounts, byMachine, reason } from './shapes.ts';

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

const occurrenceOf: Field<LeaseRecord['occurrenceOf'], LeaseRecord> = {
  columns: [
    { name: 'recurrence_number', type: 'int', shape: z.int().nullable() },
    { name: 'occurrence', type: 'int', shape: z.int().nullable() },
  ],
  write: (value, row) => {
    row.recurrence_number = value?.recurrence ?? null;
    row.occurrence = value?.index ?? null;
  },
  read: ({ recurrence_number: recurrence, occurrence: index }) =>
    recurrence === null ? null : { recurrence: Number(recurrence), index: Number(index ?? 0) },
};

/** A field that leases from earlier versions lack. */
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
    endNotice: optional(bigint('end_notice')) as Field<LeaseRecord['endNotice'], LeaseRecord>,
    occurrenceOf,
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
  /** Starts at 1. */
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
