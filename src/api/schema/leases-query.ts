/** The root fields that read leases. */
import { badInput, checkComparable } from '../errors.ts';
import { numberOf, numbersOf } from '../global-id.ts';
import { intervalOf } from '../read/interval.ts';
import type { LeaseFilter } from '../read/leases.ts';
import { builder } from './builder.ts';
import { IntervalInput } from './intervals.ts';
import { knownValues, Lease, LeaseConnection, LeaseStateEnum, LeaseTypeEnum, Project } from './refs.ts';

export const LeaseFilterInput = builder.inputType('LeaseFilter', {
  description: 'Selects the leases that meet every given condition.',
  fields: (t) => ({
    numbers: t.intList({ description: 'With one of these numbers.' }),
    name: t.string({ description: 'With this text in the name, in any case.' }),
    states: t.field({ type: [LeaseStateEnum], description: 'In one of these states.' }),
    types: t.field({ type: [LeaseTypeEnum], description: 'Of one of these types.' }),
    live: t.boolean({ description: 'true: not ended; false: ended.' }),
    projects: t.idList({ description: 'Of one of these projects.' }),
    owners: t.idList({ description: 'Requested by one of these principals, by name.' }),
    nodes: t.idList({ description: 'With a reservation, past or planned, on one of these nodes.' }),
    submitted: t.field({ type: IntervalInput, description: 'Requested within this interval.' }),
    overlapping: t.field({
      type: IntervalInput,
      description: 'With a reservation, past or planned, that overlaps this interval.',
    }),
  }),
});

/** Converts the filter to database form. Throws INVALID_ID and BAD_USER_INPUT. */
function leaseFilterOf(filter: typeof LeaseFilterInput.$inferInput | null | undefined): LeaseFilter {
  for (const interval of [filter?.overlapping, filter?.submitted]) {
    if (interval) intervalOf(interval.start, interval.end);
  }
  checkComparable('filter.name', filter?.name);
  checkComparable('filter.owners', ...(filter?.owners ?? []));
  return {
    ...filter,
    states: knownValues(filter?.states),
    types: knownValues(filter?.types),
    projects: numbersOf('Project', filter?.projects),
    nodes: numbersOf('ComputeNode', filter?.nodes),
  };
}

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of an order.',
  values: {
    ASC: { description: 'Ascending.' },
    DESC: { description: 'Descending.' },
  } as const,
});

const LeaseOrderField = builder.enumType('LeaseOrderField', {
  description: 'What orders leases. Leases with equal values are ordered by number.',
  values: {
    NUMBER: { description: 'The number.' },
    SUBMITTED_AT: { description: 'When the lease was requested.' },
    START: {
      description: 'The planned start; without one, the last start; without one, the requested start.',
    },
    ENDED_AT: { description: 'When the lease ended; leases that have not ended are last.' },
  } as const,
});

const LeaseOrderInput = builder.inputType('LeaseOrder', {
  description: 'The order of a list of leases.',
  fields: (t) => ({
    field: t.field({ type: LeaseOrderField, required: true, description: 'What orders them.' }),
    direction: t.field({ type: OrderDirection, required: true, description: 'The direction.' }),
  }),
});

builder.queryFields((t) => ({
  lease: t.field({
    type: Lease,
    nullable: true,
    description: 'A lease by its global id or by its number: give one of the two. Null when there is none.',
    args: {
      id: t.arg.id({ description: 'Its global id.' }),
      number: t.arg.int({ description: 'Its number within the site.' }),
    },
    resolve: (_root, { id, number }, { read }) => {
      if ((id ?? number ?? null) === null || (typeof id === 'string' && typeof number === 'number')) {
        throw badInput('Give either `id` or `number`.');
      }
      return read.lease(typeof id === 'string' ? numberOf('Lease', id) : (number ?? 0));
    },
  }),
  leases: t.connection(
    {
      type: Lease,
      description: 'Leases, ordered by number unless `orderBy` says otherwise. Use `last` for the newest.',
      args: {
        filter: t.arg({ type: LeaseFilterInput, description: 'Conditions; without it, all leases.' }),
        orderBy: t.arg({ type: LeaseOrderInput, description: 'The order; without it, by number.' }),
      },
      resolve: (_root, { filter, orderBy, ...page }, { read }) =>
        read.leases(leaseFilterOf(filter), orderBy ?? { field: 'NUMBER', direction: 'ASC' }, page),
    },
    LeaseConnection,
  ),
  queue: t.connection(
    {
      type: Lease,
      description:
        'The waiting leases, in the order in which they were queued: those in the queue, and those for which backfilling has planned a start.',
      resolve: (_root, page, { read }) => read.queue(page),
    },
    LeaseConnection,
  ),
}));

builder.objectField(Project, 'leases', (t) =>
  t.connection(
    {
      type: Lease,
      description: 'Its leases, ordered by number.',
      args: {
        filter: t.arg({ type: LeaseFilterInput, description: 'Conditions; without it, all its leases.' }),
      },
      resolve: ({ number }, { filter, ...page }, { read }) =>
        read.leasesOfGroup('projectNumber', number, leaseFilterOf(filter), page),
    },
    LeaseConnection,
  ),
);
