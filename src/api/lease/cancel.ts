import { GraphQLError } from 'graphql';
import { builder } from '../builder.ts';
import { forgetWhatWasRead } from '../context.ts';
import { numberOf } from '../global-id.ts';
import { Lease } from '../nouns.ts';
import { commandUserError, type UserError, UserErrorType, userError } from '../user-error.ts';
import { leasesByNumber } from './rows.ts';

const CancelLeaseInput = builder.inputType('CancelLeaseInput', {
  description: 'Which lease to cancel.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

interface Payload {
  readonly leaseNumber?: number;
  readonly userErrors: readonly UserError[];
}

const CancelLeasePayload = builder.objectRef<Payload>('CancelLeasePayload').implement({
  description: 'The cancelled lease, or why it was not cancelled.',
  fields: (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease as it was committed. Null with errors.',
      resolve: ({ leaseNumber }, _args, { loaders }) =>
        leaseNumber === undefined ? null : loaders.load(leasesByNumber, leaseNumber),
    }),
    userErrors: t.field({
      type: [UserErrorType],
      description: 'Why it was not cancelled; empty when it was.',
      resolve: ({ userErrors }) => userErrors,
    }),
  }),
});

builder.mutationField('cancelLease', (t) =>
  t.field({
    type: CancelLeasePayload,
    description: 'Cancels a lease in any state that is not final. Its machines are stopped if they run.',
    args: { input: t.arg({ type: CancelLeaseInput, required: true, description: 'Which lease.' }) },
    resolve: async (_root, { input }, context): Promise<Payload> => {
      const { services, principal } = context;
      try {
        const leaseNumber = numberOf('Lease', input.id);
        await services.leases.submit('cancel', { leaseNumber }, { principal });
        forgetWhatWasRead(context);
        return { leaseNumber, userErrors: [] };
      } catch (error) {
        if (error instanceof GraphQLError)
          return { userErrors: [userError('INVALID_ID', error.message, 'input', 'id')] };
        const refused = commandUserError(error);
        return { userErrors: [{ ...refused, path: refused.path ?? ['input', 'id'] }] };
      }
    },
  }),
);
