import type { Amounts } from '../../core/index.ts';
import type { LeaseMachine as LeaseMachineRow } from '../../store/prisma/client.ts';
import { amountList } from '../amounts.ts';
import type { Entries } from '../limits.ts';
import { ResourceAmountType } from './amounts.ts';
import { builder } from './builder.ts';
import { reasonOf, StateReasonType } from './reason.ts';
import {
  ComputeNode,
  Lease,
  LeaseEvent,
  LeaseEventConnection,
  LeaseStateEnum,
  LeaseTypeEnum,
  leaseStateOf,
  leaseTypeOf,
  Project,
  Recurrence,
  Reservation,
  ReservationConnection,
} from './refs.ts';
import { User } from './user.ts';

export const DiskImage = builder
  .objectRef<{ readonly name: string; readonly sizeMb: number | bigint }>('DiskImage')
  .implement({
    description: 'The disk image from which machines start.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in the image repository.' }),
      sizeMb: t.field({ type: 'Long', description: 'Its size in MB.', resolve: ({ sizeMb }) => sizeMb }),
    }),
  });

type MachineShape = Omit<LeaseMachineRow, 'amounts'> & { readonly amounts: unknown };

export const LeaseMachine = builder.objectRef<MachineShape>('LeaseMachine').implement({
  description: 'One of the machines of a lease.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Counts from 1 within the lease.' }),
    capacity: t.field({
      type: [ResourceAmountType],
      description: 'Its requested capacity.',
      extensions: { listSize: 'amounts' },
      resolve: ({ amounts }) => amountList(amounts as Amounts),
    }),
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'The node on which it runs, is saved or is planned to run. Null before it is first placed.',
      resolve: ({ nodeNumber }, _args, { read }) => (nodeNumber === null ? null : read.node(nodeNumber)),
    }),
  }),
});

builder.objectFields(Lease, (t) => ({
  number: t.exposeInt('number', {
    description: 'Counts up from 1 within the site; the name that people use for the lease.',
  }),
  name: t.exposeString('name', { nullable: true, description: 'The name that the request gave.' }),
  type: t.field({
    type: LeaseTypeEnum,
    description: 'When it needs its machines.',
    resolve: ({ type }) => leaseTypeOf(type),
  }),
  state: t.field({
    type: LeaseStateEnum,
    description: 'Its state.',
    resolve: ({ state }) => leaseStateOf(state),
  }),
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
  requestedDuration: t.expose('duration', {
    type: 'Duration',
    description: 'The requested running time of its machines, as last updated.',
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
  estimatedEnd: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When its machines are planned to be free again, shutdown included. Null when nothing is planned.',
    resolve: (lease, _args, { read }) => (lease.endedAt === null ? read.plannedEnd(lease) : null),
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
  restarts: t.exposeInt('restarts', {
    description: 'The number of runs that were lost to preemption or failed hosts.',
  }),
  lostDuration: t.expose('lostDuration', {
    type: 'Duration',
    description: 'The running time that was lost with them.',
  }),
  owner: t.field({
    type: User,
    nullable: true,
    description: 'The principal that requested it. Null for leases of earlier versions.',
    resolve: ({ owner }, _args, { read }) => (owner === null ? null : read.owner(owner)),
  }),
  project: t.field({
    type: Project,
    nullable: true,
    description: 'Its project. Null when it has none, or when the principal is not a member.',
    resolve: ({ projectNumber }, _args, { read }) => (projectNumber === null ? null : read.project(projectNumber)),
  }),
  endNotice: t.field({
    type: 'Duration',
    nullable: true,
    description:
      'How long before its end a notice is given: its own, or the setting of the site. Null, or PT0S: no notice.',
    resolve: ({ endNotice }, _args, { services }) => endNotice ?? services.site.endNotice ?? null,
  }),
  machines: t.field({
    type: [LeaseMachine],
    description: 'Its machines, machine 1 first.',
    extensions: { entries: 'machines' satisfies Entries },
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
  recurrence: t.field({
    type: Recurrence,
    nullable: true,
    description: 'The recurrence of which it is an occurrence. Null when it has none.',
    resolve: ({ recurrenceNumber }, _args, { read }) =>
      recurrenceNumber === null ? null : read.recurrence(recurrenceNumber),
  }),
  occurrence: t.exposeInt('occurrence', {
    nullable: true,
    description: 'Its place in the recurrence, from 1. Null when it has none.',
  }),
  queuePosition: t.int({
    nullable: true,
    description: '1 is next. Null when it is not queued.',
    resolve: (lease, _args, { read }) => read.queuePosition(lease),
  }),
}));
