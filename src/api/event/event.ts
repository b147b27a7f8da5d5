import { builder } from '../builder.ts';
import { LeaseStateEnum } from '../lease/enums.ts';
import { leasesByNumber } from '../lease/rows.ts';
import { Lease } from '../nouns.ts';
import { reasonOf, StateReasonType } from '../reason.ts';

builder.prismaObjectFields('LeaseEvent', (t) => ({
  sequence: t.expose('sequence', {
    type: 'Long',
    description:
      'Counts up over the whole site, without gaps. Hand the last one seen to leaseEvents(after:) to miss nothing.',
  }),
  at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
  lease: t.field({
    type: Lease,
    description: 'The lease, as it is now.',
    resolve: async ({ leaseNumber }, _args, { loaders }) => {
      const lease = await loaders.load(leasesByNumber, leaseNumber);
      if (lease === undefined) throw new Error(`an event of lease ${leaseNumber}, which does not exist`);
      return lease;
    },
  }),
  from: t.expose('from', { type: LeaseStateEnum, description: 'The state that it left.' }),
  to: t.expose('to', { type: LeaseStateEnum, description: 'The state that it entered.' }),
  reason: t.field({
    type: StateReasonType,
    nullable: true,
    description: 'Why, when there is more to say than the states themselves.',
    resolve: reasonOf,
  }),
}));
