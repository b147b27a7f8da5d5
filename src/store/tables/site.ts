/** The tables of the site itself. */
import * as z from 'zod';
import type {
  CachedImageRecord,
  MaintenanceRecord,
  NodeRecord,
  NodeSpec,
  NodeStateCause,
  NodeStateRecord,
  ProjectQuotas,
  Quota,
  SiteRecord,
} from '../../core/index.ts';
import { NodeState } from '../prisma/enums.ts';
import { bigint, type Field, type Fields, instant, int, json, oneOf, Table, text } from '../table.ts';
import { amounts, image, pair } from './shapes.ts';

/** Undefined for a map without keys. */
const withKeys = <T extends object>(map: T): T | undefined => (Object.keys(map).length > 0 ? map : undefined);

const nodeFields: Fields<NodeSpec> = {
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
};

export const nodes = new Table<NodeSpec>('nodes', ['number'], nodeFields, ({ number }) => `Node ${number}`);

const cause: z.ZodType<NodeStateCause> = z.object({
  code: z.enum(['OPERATOR', 'HOST', 'HOST_DISABLED', 'START_FAILED']),
  at: z.int(),
  by: z.string().nullable(),
  message: z.string().nullable(),
  lease: z.int().nullable(),
  before: z.object({ state: z.enum(Object.values(NodeState)), cause: z.lazy(() => cause).nullable() }).nullable(),
});

/** Nodes added or changed at run time. */
export const inventory = new Table<NodeRecord>(
  'nodes',
  ['number'],
  {
    ...nodeFields,
    state: oneOf('state', 'NodeState', NodeState),
    cause: {
      columns: [{ name: 'state_cause', type: 'jsonb', shape: cause.nullable() }],
      write: (value, row) => {
        row.state_cause = value ?? null;
      },
      read: ({ state_cause: value }) => (value as NodeStateCause | null) ?? undefined,
    },
  },
  ({ number }) => `Node ${number}`,
);

/** The columns of a node that the scheduler changes. */
export const nodeStates: Table<NodeStateRecord> = inventory.only('number', 'state', 'cause');

export const maintenance = new Table<MaintenanceRecord>(
  'maintenance',
  ['name'],
  {
    name: text('name'),
    nodes: json('nodes', z.array(z.int())),
    start: instant('starts_at'),
    end: instant('ends_at'),
  },
  ({ name }) => `Maintenance ${name}`,
);

const limit = z.number().nullable();

const quota: z.ZodType<Quota> = z.object({
  type: z.string(),
  amount: limit,
  amountHours: limit,
  period: limit,
  maxDuration: limit,
  maxLeases: limit,
});

/** The part of a project that the scheduler knows. */
export const projectQuotas = new Table<ProjectQuotas>(
  'projects',
  ['number'],
  {
    project: int('number'),
    quotas: json('quotas', z.array(quota)),
    usage: json('quota_usage', z.array(z.object({ type: z.string(), periodStart: z.number(), used: z.number() }))),
  },
  ({ project }) => `Project ${project}`,
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
    lastRecurrenceId: int('last_recurrence_id'),
    lastRank: bigint('last_rank'),
    // Validated one by one, so that an unreadable one does not affect the others.
    cachedImages: json('cached_images', z.unknown()) as Field<SiteRecord['cachedImages'], SiteRecord>,
  },
  () => 'The site',
);
