import { builder } from '../builder.ts';
import { Lease } from '../refs.ts';
import { assertMayChange } from './ownership.ts';
import { numberAt, payload, payloadType } from './payload.ts';

const CancelLeaseInput = builder.inputType('CancelLeaseInput', {
  description: 'The lease to cancel.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

const CancelLeasePayload = payloadType<number>(
  'CancelLeasePayload',
  'The cancelled lease, or why it was not cancelled.',
  (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease as it was committed. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.lease(result)),
    }),
  }),
);

builder.mutationField('cancelLease', (t) =>
  t.field({
    type: CancelLeasePayload,
    description: 'Cancels a lease that has not ended. Its machines are stopped if they run.',
    args: { input: t.arg({ type: CancelLeaseInput, required: true, description: 'The lease.' }) },
    resolve: (_root, { input }, context) =>
      payload(
        context,
        async () => {
          const { principal, services } = context;
          const leaseNumber = numberAt('Lease', input.id, 'input', 'id');
          await assertMayChange(context, leaseNumber, 'input', 'id');
          await services.leases.submit('cancel', { leaseNumber }, { principal });
          return leaseNumber;
        },
        'input',
        'id',
      ),
  }),
);
