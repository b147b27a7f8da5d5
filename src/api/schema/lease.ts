import type { Amounts } from '../../core/index.ts';
import type { LeaseMachine as LeaseMachineRow } from '../../store/prisma/client.ts';
import { amountList } from '../amounts.ts';
import { badInput } from '../errors.ts';
import { numberOf } from '../global-id.ts';
import { intervalOf } from '../read/interval.ts';
import { ResourceAmountType } from './amounts.ts';
import { builder } from './builder.ts';
import { IntervalInput } from './intervals.ts';
import { reasonOf, StateReasonType } from './reason.ts';
import {
  ComputeNode,
  Lease,
  LeaseConnection,
  LeaseEvent,
  LeaseEventConnection,
  LeaseStateEnum,
  LeaseTypeEnum,
  Reservation,
  ReservationConnection,
} from './refs.ts';

const DiskImage = builder
  .objectRef<{ readonly name: string; readonly sizeMb: number | bigint }>('DiskImage')
  .implement({
    description: 'The disk image from which machines start.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in the image repository.' }),
      sizeMb: t.field({ type: 'Long', description: 'Its size in MB.', resolve: ({ sizeMb }) => sizeMb }),
    }),
  });

const LeaseMachine = builder.objectRef<LeaseMachineRow>('LeaseMachine').implement({
  description: 'One of the machines of a lease.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Counts from 1 within the lease.' }),
    capacity: t.field({
      type: [ResourceAmountType],
      description: 'Its requested capacity.',
      resolve: ({ amounts }) => amountList(amounts as Amounts),
    }),
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description:
        'The node on which it runs, is saved or is planned to run. Null before it is first placed.',
      resolve: ({ nodeNumber }, _args, { read }) => (nodeNumber === null ? null : read.node(nodeNumber)),
    }),
  }),
});

builder.objectFields(Lease, (t) => ({
  number: t.exposeInt('number', {
    description: 'Counts up from 1 within the site; the name that people use for the lease.',
  }),
  name: t.exposeString('name', { nullable: true, description: 'The name that the request gave.' }),
  type: t.expose('type', { type: LeaseTypeEnum, description: 'When it needs its machines.' }),
  state: t.expose('state', { type: LeaseStateEnum, description: 'Its state.' }),
  stateReason: t.field({
    type: StateReasonType,
    nullable: true,
    description: 'Why it is in this state, when there is more to say than the state itself.',
    resolve: reasonOf,
  }),
  preemptible: t.exposeBoolean('preemptible', {
    description: 'Whether it may be suspended or requeued in favour of leases that take precedence.',
  }),
  submittedAt: t.expose('submittedAt', { type: 'DateTime', description: 'When it was requested.' }),
  requestedStart: t.expose('requestedStart', {
    type: 'DateTime',
    nullable: true,
    description: 'ADVANCE_RESERVATION: the requested start.',
  }),
  requestedDuration: t.expose('originalDuration', {
    type: 'Duration',
    description: 'The requested running time of its machines.',
  }),
  deadline: t.expose('deadline', {
    type: 'DateTime',
    nullable: true,
    description: 'DEADLINE: the instant by which it must end.',
  }),
  actualStart: t.expose('actualStart', {
    type: 'DateTime',
    nullable: true,
    description:
      'When its machines first started; if they had to start from the beginning again, when they did that last. Null before that.',
  }),
  estimatedStart: t.expose('plannedStart', {
    type: 'DateTime',
    nullable: true,
    description: 'When its machines are planned to start next. Null when nothing is planned.',
  }),
  endedAt: t.expose('endedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it reached a final state.',
  }),
  accumulatedDuration: t.field({
    type: 'Duration',
    description: 'Its running time so far, over all its VM reservations.',
    resolve: async (lease, _args, { read, services }) => {
      const running = lease.state === 'ACTIVE' ? await read.runningVm(lease) : undefined;
      if (running === undefined) return lease.accumulated;
      const until = Math.min(services.leases.now(), running.end.getTime());
      return Number(lease.accumulated) + Math.max(0, until - running.start.getTime());
    },
  }),
  machines: t.field({
    type: [LeaseMachine],
    description: 'Its machines, machine 1 first.',
    resolve: (lease, _args, { read }) => read.machines(lease),
  }),
  diskImage: t.field({
    type: DiskImage,
    nullable: true,
    description: 'The disk image from which its machines start.',
    resolve: ({ imageName, imageSizeMb }) =>
      imageName === null ? null : { name: imageName, sizeMb: imageSizeMb ?? 0 },
  }),
  reservations: t.connection(
    {
      type: Reservation,
      description: 'Its reservations, past and planned, ordered by start.',
      resolve: (lease, page, { read }) => read.reservationsOfLease(lease, page),
    },
    ReservationConnection,
  ),
  events: t.connection(
    {
      type: LeaseEvent,
      description: 'Its changes of state, oldest first.',
      resolve: (lease, page, { read }) => read.eventsOfLease(lease, page),
    },
    LeaseEventConnection,
  ),
  queuePosition: t.int({
    nullable: true,
    description: '1 is next. Null when it is not queued.',
    resolve: (lease, _args, { read }) => read.queuePosition(lease),
  }),
}));

const LeaseFilterInput = builder.inputType('LeaseFilter', {
  description: 'Selects the leases that meet every given condition.',
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
      description: 'Leases, ordered by number. Use `last` for the newest.',
      args: {
        filter: t.arg({ type: LeaseFilterInput, description: 'Conditions; without it, all leases.' }),
      },
      resolve: (_root, { filter, ...page }, { read }) => {
        if (filter?.overlapping) intervalOf(filter.overlapping.start, filter.overlapping.end);
        return read.leases(filter ?? {}, page);
      },
    },
    LeaseConnection,
  ),
  queue: t.connection(
    {
      type: Lease,
      description: 'The leases that wait in the queue, the next one first.',
      resolve: (_root, page, { read }) => read.queue(page),
    },
    LeaseConnection,
  ),
}));
