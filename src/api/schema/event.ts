import { builder } from './builder.ts';
import { reasonOf, StateReasonType } from './reason.ts';
import { Lease, LeaseEvent, LeaseStateEnum } from './refs.ts';

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
  from: t.expose('from', { type: LeaseStateEnum, description: 'The state that the lease left.' }),
  to: t.expose('to', { type: LeaseStateEnum, description: 'The state that the lease entered.' }),
  reason: t.field({
    type: StateReasonType,
    nullable: true,
    description: 'Why, when there is more to say than the states themselves.',
    resolve: reasonOf,
  }),
}));
