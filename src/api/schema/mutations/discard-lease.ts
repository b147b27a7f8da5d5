import { builder } from '../builder.ts';
import { Lease } from '../refs.ts';
import { numberAt, payload, payloadType } from './payload.ts';

const DiscardLeaseInput = builder.inputType('DiscardLeaseInput', {
  description: 'The lease to discard.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

const DiscardLeasePayload = payloadType<number>(
  'DiscardLeasePayload',
  'The discarded lease, or why it was not discarded.',
  (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease as it was committed. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.lease(result)),
    }),
  }),
);

builder.mutationField('discardLease', (t) =>
  t.field({
    type: DiscardLeasePayload,
    description:
      'Gives up a lease that is QUARANTINED: it is FAILED now, and hosts are told to destroy what is known of its machines.',
    args: { input: t.arg({ type: DiscardLeaseInput, required: true, description: 'The lease.' }) },
    resolve: (_root, { input }, context) =>
      payload(
        context,
        async () => {
          const { principal, services } = context;
          const leaseNumber = numberAt('Lease', input.id, 'input', 'id');
          await services.leases.submit('discard', { leaseNumber }, { principal });
          return leaseNumber;
        },
        'input',
        'id',
      ),
  }),
);
