import { numbersOf } from '../global-id.ts';
import type { EventFilter } from '../read/events.ts';
import { intervalOf } from '../read/interval.ts';
import { builder } from './builder.ts';
import { IntervalInput } from './intervals.ts';
import { reasonOf, StateReasonType } from './reason.ts';
import { knownValues, Lease, LeaseEvent, LeaseEventConnection, LeaseStateEnum, leaseStateOf } from './refs.ts';

builder.objectFields(LeaseEvent, (t) => ({
  sequence: t.expose('sequence', {
    type: 'Long',
    description:
      'Counts up over the whole site, without gaps. Pass the last value seen to `leaseEvents(after:)` to receive everything since.',
  }),
  at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
  lease: t.field({
    type: Lease,
    description: 'The lease as it is now.',
    resolve: async ({ leaseNumber }, _args, { read }) => {
      const lease = await read.lease(leaseNumber);
      if (lease === undefined) throw new Error(`lease ${leaseNumber} of an event does not exist`);
      return lease;
    },
  }),
  from: t.field({
    type: LeaseStateEnum,
    description: 'The state that the lease left.',
    resolve: ({ from }) => leaseStateOf(from),
  }),
  to: t.field({
    type: LeaseStateEnum,
    description: 'The state that the lease entered.',
    resolve: ({ to }) => leaseStateOf(to),
  }),
  reason: t.field({
    type: StateReasonType,
    nullable: true,
    description: 'Why, when there is more to say than the states themselves.',
    resolve: reasonOf,
  }),
}));

export const LeaseEventFilterInput = builder.inputType('LeaseEventFilter', {
  description: 'Selects the events that meet every given condition.',
  fields: (t) => ({
    leases: t.idList({ description: 'Of one of these leases.' }),
    to: t.field({
      type: [LeaseStateEnum],
      description: 'In which the lease entered one of these states.',
    }),
    at: t.field({ type: IntervalInput, description: 'Within this interval.' }),
  }),
});

/** Converts the filter to database form. Throws INVALID_ID and BAD_USER_INPUT. */
export function eventFilterOf(filter: typeof LeaseEventFilterInput.$inferInput | null | undefined): EventFilter {
  if (filter?.at) intervalOf(filter.at.start, filter.at.end);
  return {
    leases: numbersOf('Lease', filter?.leases),
    // No event has the state QUARANTINED.
    to: knownValues(filter?.to)?.filter((state) => state !== 'QUARANTINED'),
    at: filter?.at,
  };
}

builder.queryField('events', (t) =>
  t.connection(
    {
      type: LeaseEvent,
      description: 'Changes of state of leases, oldest first.',
      args: {
        filter: t.arg({ type: LeaseEventFilterInput, description: 'Conditions; without it, all events.' }),
      },
      resolve: (_root, { filter, ...page }, { read }) => read.events(eventFilterOf(filter), page),
    },
    LeaseEventConnection,
  ),
);
