import type { Amounts } from '../../core/index.ts';
import { amountList, ResourceAmountType } from '../amounts.ts';
import { builder } from '../builder.ts';
import { connection } from '../connection.ts';
import { countEvents, eventOrder, readEvents } from '../event/rows.ts';
import { nodesByNumber } from '../node/rows.ts';
import {
  ComputeNode,
  LeaseEvent,
  LeaseEventConnection,
  Reservation,
  ReservationConnection,
} from '../nouns.ts';
import { reasonOf, StateReasonType } from '../reason.ts';
import { countReservationsOfLeases, reservationOrder, reservationsOfLeases } from '../reservation/rows.ts';
import { LeaseStateEnum, LeaseTypeEnum } from './enums.ts';
import { machinesByLease, queuePositions, runningSince } from './rows.ts';

const DiskImage = builder
  .objectRef<{ readonly name: string; readonly sizeMb: number | bigint }>('DiskImage')
  .implement({
    description: 'The disk image that machines start from.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'What the image repository calls it.' }),
      sizeMb: t.field({ type: 'Long', description: 'Its size in MB.', resolve: ({ sizeMb }) => sizeMb }),
    }),
  });

const LeaseMachine = builder.prismaObject('LeaseMachine', {
  description: 'One of the machines that a lease asked for.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Counts from 1 within the lease.' }),
    capacity: t.field({
      type: [ResourceAmountType],
      description: 'What it was asked to have.',
      resolve: ({ amounts }) => amountList(amounts as Amounts),
    }),
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'Where it runs, is saved or is planned to run. Null before it is first placed.',
      resolve: ({ nodeNumber }, _args, { loaders }) =>
        nodeNumber === null ? null : loaders.loadForGood(nodesByNumber, nodeNumber),
    }),
  }),
});

builder.prismaObjectFields('Lease', (t) => ({
  number: t.exposeInt('number', {
    description: 'Counts up from 1 within the site; what people call the lease.',
  }),
  name: t.exposeString('name', { nullable: true, description: 'What the requester called it.' }),
  type: t.expose('type', { type: LeaseTypeEnum, description: 'When it wants its machines.' }),
  state: t.expose('state', { type: LeaseStateEnum, description: 'Where it stands in its life.' }),
  stateReason: t.field({
    type: StateReasonType,
    nullable: true,
    description: 'Why it is in this state, when there is more to say than the state itself.',
    resolve: reasonOf,
  }),
  preemptible: t.exposeBoolean('preemptible', {
    description: 'Whether it may be suspended or requeued for the sake of leases that go first.',
  }),
  submittedAt: t.expose('submittedAt', { type: 'DateTime', description: 'When it was requested.' }),
  requestedStart: t.expose('requestedStart', {
    type: 'DateTime',
    nullable: true,
    description: 'ADVANCE_RESERVATION: the exact start that was asked for.',
  }),
  requestedDuration: t.expose('originalDuration', {
    type: 'Duration',
    description: 'How long its machines are to run, as it was asked for.',
  }),
  deadline: t.expose('deadline', {
    type: 'DateTime',
    nullable: true,
    description: 'DEADLINE: by when it is to be done.',
  }),
  actualStart: t.expose('actualStart', {
    type: 'DateTime',
    nullable: true,
    description: 'When its machines first started (anew, if they had to start all over). Null before that.',
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
    description: 'Running time so far, over all its VM reservations.',
    resolve: async (lease, _args, { loaders, services }) => {
      const running = lease.state === 'ACTIVE' ? await loaders.load(runningSince, lease.number) : undefined;
      if (running === undefined) return lease.accumulated;
      const until = Math.min(services.leases.now(), running.end.getTime());
      return Number(lease.accumulated) + Math.max(0, until - running.start.getTime());
    },
  }),
  machines: t.field({
    type: [LeaseMachine],
    description: 'The machines that it asked for, machine 1 first.',
    resolve: ({ number, machineCount }, _args, { loaders }) =>
      loaders.members.read(machineCount, async () => (await loaders.load(machinesByLease, number)) ?? []),
  }),
  diskImage: t.field({
    type: DiskImage,
    nullable: true,
    description: 'The disk image that its machines start from.',
    resolve: ({ imageName, imageSizeMb }) =>
      imageName === null ? null : { name: imageName, sizeMb: imageSizeMb ?? 0 },
  }),
  reservations: t.connection(
    {
      type: Reservation,
      description: 'Its reservations, past and planned, by start.',
      resolve: ({ number }, args, { loaders }) =>
        connection(
          reservationOrder,
          args,
          async (window) => (await loaders.load(reservationsOfLeases, number, window)) ?? [],
          async () => (await loaders.load(countReservationsOfLeases, number)) ?? 0,
        ),
    },
    ReservationConnection,
  ),
  events: t.connection(
    {
      type: LeaseEvent,
      description: 'Its changes of state, oldest first.',
      resolve: ({ number }, args, { loaders }) =>
        connection(
          eventOrder,
          args,
          async (window) => (await loaders.load(readEvents, number, window)) ?? [],
          async () => (await loaders.load(countEvents, number)) ?? 0,
        ),
    },
    LeaseEventConnection,
  ),
  queuePosition: t.int({
    nullable: true,
    description: '1 is next. Null when it is not queued.',
    resolve: ({ number, queueRank }, _args, { loaders }) =>
      queueRank === null ? null : loaders.load(queuePositions, number),
  }),
}));
