import { encodeGlobalId } from '../global-id.ts';
import { maxScheduled } from '../limits.ts';
import { intervalOf } from '../read/interval.ts';
import type { ScheduledRow } from '../read/schedule.ts';
import { builder } from './builder.ts';
import {
  LeaseStateEnum,
  LeaseTypeEnum,
  leaseStateOf,
  leaseTypeOf,
  ReservationKindEnum,
  ReservationStateEnum,
  reservationKindOf,
  reservationStateOf,
} from './refs.ts';

const ScheduledReservation = builder.objectRef<ScheduledRow>('ScheduledReservation').implement({
  description: 'A reservation in the compact form that charts need.',
  fields: (t) => ({
    id: t.field({
      type: 'ID',
      description: 'The global id of the reservation.',
      resolve: ({ number }) => encodeGlobalId('Reservation', number),
    }),
    kind: t.field({
      type: ReservationKindEnum,
      description: 'Its purpose.',
      resolve: ({ kind }) => reservationKindOf(kind),
    }),
    state: t.field({
      type: ReservationStateEnum,
      description: 'Its state.',
      resolve: ({ state }) => reservationStateOf(state),
    }),
    start: t.field({
      type: 'DateTime',
      description: 'Its first instant.',
      resolve: ({ start }) => start.getTime(),
    }),
    end: t.field({
      type: 'DateTime',
      description: 'The first instant after it.',
      resolve: ({ end }) => end.getTime(),
    }),
    nodes: t.intList({
      description: 'The numbers of the nodes on which it holds something.',
      resolve: ({ nodes }) => [...nodes],
    }),
    leaseNumber: t.exposeInt('leaseNumber', { description: 'The number of its lease.' }),
    leaseName: t.exposeString('leaseName', { nullable: true, description: 'The name of its lease.' }),
    leaseState: t.field({
      type: LeaseStateEnum,
      description: 'The state of its lease.',
      resolve: ({ leaseState }) => leaseStateOf(leaseState),
    }),
    leaseType: t.field({
      type: LeaseTypeEnum,
      description: 'The type of its lease.',
      resolve: ({ leaseType }) => leaseTypeOf(leaseType),
    }),
    leaseProject: t.exposeString('leaseProject', {
      nullable: true,
      description: 'The name of the project of its lease.',
    }),
  }),
});

interface ScheduleRows {
  readonly reservations: readonly ScheduledRow[];
  readonly isComplete: boolean;
}

const Schedule = builder.objectRef<ScheduleRows>('Schedule').implement({
  description: 'What is reserved on the nodes over an interval.',
  fields: (t) => ({
    reservations: t.field({
      type: [ScheduledReservation],
      description: 'By start. Reservations that take no time are left out.',
      extensions: { listSize: maxScheduled },
      resolve: ({ reservations }) => reservations,
    }),
    isComplete: t.exposeBoolean('isComplete', {
      description: `False if there are more than ${maxScheduled}: then only the first are returned.`,
    }),
  }),
});

builder.queryField('schedule', (t) =>
  t.field({
    type: Schedule,
    nullable: true,
    description: `The reservations of all nodes over an interval, for charts. At most ${maxScheduled}.`,
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'The start of the interval.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'The end of the interval.' }),
    },
    resolve: (_root, { from, to }, { read }) => {
      intervalOf(from, to);
      return read.schedule(from, to);
    },
  }),
);
