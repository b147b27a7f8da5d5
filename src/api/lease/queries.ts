import { builder } from '../builder.ts';
import { badInput } from '../client-error.ts';
import { connection } from '../connection.ts';
import { numberOf } from '../global-id.ts';
import { intervalOf } from '../interval.ts';
import { Lease, LeaseConnection } from '../nouns.ts';
import { LeaseStateEnum, LeaseTypeEnum } from './enums.ts';
import {
  countLeases,
  countQueue,
  leaseOrder,
  leasesByNumber,
  queueOrder,
  readLeases,
  readQueue,
} from './rows.ts';

const IntervalInput = builder.inputType('IntervalInput', {
  description: 'An interval [start, end).',
  fields: (t) => ({
    start: t.field({ type: 'DateTime', required: true, description: 'Its first instant.' }),
    end: t.field({ type: 'DateTime', required: true, description: 'The first instant after it.' }),
  }),
});

const LeaseFilterInput = builder.inputType('LeaseFilter', {
  description: 'Which leases: those that every given condition holds for.',
  fields: (t) => ({
    states: t.field({ type: [LeaseStateEnum], description: 'In one of these states.' }),
    types: t.field({ type: [LeaseTypeEnum], description: 'Of one of these types.' }),
    overlapping: t.field({
      type: IntervalInput,
      description: 'With a reservation, past or planned, that overlaps this interval.',
    }),
  }),
});

builder.queryFields((t) => ({
  lease: t.field({
    type: Lease,
    nullable: true,
    description: 'A lease by its global id or by its number (one of the two). Null when there is none.',
    args: {
      id: t.arg.id({ description: 'Its global id.' }),
      number: t.arg.int({ description: 'Its number within the site.' }),
    },
    resolve: (_root, { id, number }, { loaders }) => {
      if ((id ?? number ?? null) === null || (typeof id === 'string' && typeof number === 'number')) {
        throw badInput('Name the lease by `id` or by `number`: one of the two.');
      }
      return loaders.load(leasesByNumber, typeof id === 'string' ? numberOf('Lease', id) : (number ?? 0));
    },
  }),
  leases: t.connection(
    {
      type: Lease,
      description: 'Leases by number. For the newest ones, ask for the `last`.',
      args: {
        filter: t.arg({ type: LeaseFilterInput, description: 'Which leases; all if it is not given.' }),
      },
      resolve: (_root, { filter, ...page }, { services: { prisma } }) => {
        if (filter?.overlapping) intervalOf(filter.overlapping.start, filter.overlapping.end);
        return connection(
          leaseOrder,
          page,
          (window) => readLeases(prisma, filter ?? {}, window),
          () => countLeases(prisma, filter ?? {}),
        );
      },
    },
    LeaseConnection,
  ),
  queue: t.connection(
    {
      type: Lease,
      description: 'The leases that wait in the queue, the next one first.',
      resolve: (_root, page, { services: { prisma } }) =>
        connection(
          queueOrder,
          page,
          (window) => readQueue(prisma, window),
          () => countQueue(prisma),
        ),
    },
    LeaseConnection,
  ),
}));
