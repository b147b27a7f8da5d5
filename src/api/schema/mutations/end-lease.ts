import { builder } from '../builder.ts';
import { Lease } from '../refs.ts';
import { assertMayChange } from './ownership.ts';
import { numberAt, payload, payloadType } from './payload.ts';

const EndLeaseInput = builder.inputType('EndLeaseInput', {
  description: 'The lease to end.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

const EndLeasePayload = payloadType<number>(
  'EndLeasePayload',
  'The ended lease, or why it was not ended.',
  (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease as it was committed. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.lease(result)),
    }),
  }),
);

builder.mutationField('endLease', (t) =>
  t.field({
    type: EndLeasePayload,
    description:
      'Ends a running lease: its machines ended by themselves, or are no longer needed. It is DONE now.',
    args: { input: t.arg({ type: EndLeaseInput, required: true, description: 'The lease.' }) },
    resolve: (_root, { input }, context) =>
      payload(
        context,
        async () => {
          const { principal, services } = context;
          const leaseNumber = numberAt('Lease', input.id, 'input', 'id');
          await assertMayChange(context, leaseNumber, 'input', 'id');
          await services.leases.submit('end', { leaseNumber }, { principal });
          return leaseNumber;
        },
        'input',
        'id',
      ),
  }),
);
