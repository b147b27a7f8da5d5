/** The tables of events, notices, actions and idempotency keys. */
import * as z from 'zod';
import type { ActionRecord, LeaseEventRecord } from '../../core/index.ts';
import type { ActionOutcome, AuditRecord, IdempotencyRecord, NoticeRecord } from '../../engine/ports.ts';
import { ActionKind, ActionState, LeaseState, NoticeKind, Role } from '../prisma/enums.ts';
import { bigint, type Field, instant, int, json, oneOf, optional, Table, text } from '../table.ts';
import { amounts, image, reason } from './shapes.ts';

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

const facts: z.ZodType<NoticeRecord['facts']> = z.object({
  start: z.int().optional(),
  previousStart: z.int().optional(),
  end: z.int().optional(),
  nodes: z.array(z.int()).optional(),
}) as z.ZodType<NoticeRecord['facts']>;

export const notices = new Table<NoticeRecord>(
  'notices',
  ['sequence'],
  {
    sequence: bigint('sequence'),
    at: instant('at'),
    kind: oneOf('kind', 'NoticeKind', NoticeKind),
    leaseId: optional(int('lease_number')),
    project: optional(int('project_number')),
    node: optional(int('node_number')),
    maintenance: optional(text('maintenance')),
    message: text('message'),
    reason: reason(),
    facts: json('facts', facts),
  },
  ({ sequence }) => `Notice ${sequence}`,
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

/** Immutable columns of an action. */
export const actionOrders = actions.only('id', 'kind', 'leaseId', 'reservationId', 'at', 'deadline', 'targets');
/** Columns of an action that are updated. */
export const actionOutcomes = actions.only('id', 'state', 'attempts', 'error', 'startedAt', 'finishedAt', 'output');

const unfinished: Omit<ActionOutcome, 'actionId'> = {
  ...{ attempts: 0, error: null, startedAt: null, finishedAt: null, output: null },
  state: 'PENDING',
};

/** An action that finished within its own turn is written with its outcome. */
export function withOutcome(action: ActionRecord, outcome: ActionOutcome | undefined): ActionRecord & Progress {
  const { actionId: _, ...progress } = outcome ?? { actionId: action.id, ...unfinished };
  return { ...action, ...progress };
}

/** The database assigns `at` and `number`. */
export const auditEntries = new Table<AuditRecord>(
  'audit_entries',
  ['number'],
  {
    principal: text('principal'),
    role: oneOf('role', 'Role', Role) as Field<string, AuditRecord>,
    mutation: text('mutation'),
    subject: optional(text('subject')),
    outcome: text('outcome'),
    requestId: text('request_id'),
  },
  ({ requestId }) => `Audit record of request ${requestId}`,
);

export const idempotencyKeys = new Table<IdempotencyRecord>(
  'idempotency_keys',
  ['principal', 'key'],
  {
    principal: text('principal'),
    key: text('key'),
    inputHash: text('input_hash'),
    /** The column name predates keys for objects other than leases. */
    number: int('lease_number'),
  },
  ({ key }) => `Idempotency key ${key}`,
);
