import { builder } from '../builder.ts';
import { Action } from '../refs.ts';
import { numberAt, payload, payloadType } from './payload.ts';

const ActionRecovery = builder.enumType('ActionRecovery', {
  description: 'What becomes of an action that is stuck.',
  values: {
    RETRY: { description: 'The hosts are called again at once.' },
    ASSUME_SUCCESS: { description: 'It counts as carried out; the hosts are no longer called for it.' },
    ASSUME_FAILURE: {
      description:
        'It counts as failed; the hosts are no longer called for it. Not for DESTROY: what is not removed keeps its capacity.',
    },
  } as const,
});

const RecoverActionInput = builder.inputType('RecoverActionInput', {
  description: 'The action, and what becomes of it.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The global id of the action.' }),
    recovery: t.field({ type: ActionRecovery, required: true, description: 'What becomes of it.' }),
  }),
});

const RecoverActionPayload = payloadType<number>(
  'RecoverActionPayload',
  'The action, or why it was not recovered.',
  (t) => ({
    action: t.field({
      type: Action,
      nullable: true,
      description: 'The action. Its outcome is recorded soon after the answer. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.action(result)),
    }),
  }),
);

builder.mutationField('recoverAction', (t) =>
  t.field({
    type: RecoverActionPayload,
    description: 'Decides about an action that is stuck. For operators.',
    args: { input: t.arg({ type: RecoverActionInput, required: true, description: 'The decision.' }) },
    resolve: (_root, { input: { id, recovery } }, context) =>
      payload(context, async () => {
        const actionId = numberAt('Action', id, 'input', 'id');
        const { principal, services } = context;
        await services.leases.submit('recoverAction', { actionId, recovery }, { principal });
        return actionId;
      }),
  }),
);
