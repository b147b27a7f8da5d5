import type { Amounts } from '../../core/index.ts';
import { amountsOf, ResourceAmountInput } from '../amounts.ts';
import { builder } from '../builder.ts';
import { type ApiContext, forgetWhatWasRead } from '../context.ts';
import { Lease } from '../nouns.ts';
import { commandUserError, type UserError, UserErrorType } from '../user-error.ts';
import { LeaseTypeEnum } from './enums.ts';
import { leasesByNumber } from './rows.ts';
import { type RequestInput, requestErrors } from './validation.ts';

const MachineSetInput = builder.inputType('MachineSetInput', {
  description: 'Some machines that are alike.',
  fields: (t) => ({
    count: t.int({ required: true, description: 'How many of them.' }),
    capacity: t.field({
      type: [ResourceAmountInput],
      required: true,
      description: 'What each of them is to have.',
    }),
  }),
});

const DiskImageInput = builder.inputType('DiskImageInput', {
  description: 'The disk image that machines start from.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What the image repository calls it.' }),
    sizeMb: t.field({ type: 'Long', required: true, description: 'Its size in MB.' }),
  }),
});

const RequestLeaseInput = builder.inputType('RequestLeaseInput', {
  description: 'What is asked for.',
  fields: (t) => ({
    type: t.field({ type: LeaseTypeEnum, required: true, description: 'When the machines are wanted.' }),
    name: t.string({ description: 'What the requester calls the lease.' }),
    machines: t.field({
      type: [MachineSetInput],
      required: true,
      description: 'The machines, machine 1 first.',
    }),
    duration: t.field({ type: 'Duration', required: true, description: 'How long the machines are to run.' }),
    start: t.field({
      type: 'DateTime',
      description: 'ADVANCE_RESERVATION (and later DEADLINE): when they are to start.',
    }),
    deadline: t.field({ type: 'DateTime', description: 'DEADLINE: by when it is to be done.' }),
    preemptible: t.boolean({
      description:
        'Whether it may be suspended or requeued for the sake of leases that go first. If it is not said, BEST_EFFORT leases may.',
    }),
    diskImage: t.field({ type: DiskImageInput, description: 'The disk image that the machines start from.' }),
    idempotencyKey: t.string({
      description:
        'The same key with the same input answers with the same lease; with another input it is an error. So a request whose answer was lost can be sent again.',
    }),
    knownDuration: t.field({
      type: 'Duration',
      description:
        'Simulation: how long the machines will really run, if that is less than `duration`. Only where Site.acceptsKnownDurations says so.',
    }),
  }),
});

interface Payload {
  readonly leaseNumber?: number;
  readonly userErrors: readonly UserError[];
}

const RequestLeasePayload = builder.objectRef<Payload>('RequestLeasePayload').implement({
  description: 'The lease, or why it was not made.',
  fields: (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description:
        'The lease as it was committed. (What the site cannot hold is a lease in state REJECTED.) Null with errors.',
      resolve: ({ leaseNumber }, _args, { loaders }) =>
        leaseNumber === undefined ? null : loaders.load(leasesByNumber, leaseNumber),
    }),
    userErrors: t.field({
      type: [UserErrorType],
      description: 'What was wrong with the input; empty when the lease was made.',
      resolve: ({ userErrors }) => userErrors,
    }),
  }),
});

builder.mutationField('requestLease', (t) =>
  t.field({
    type: RequestLeasePayload,
    description: 'Asks for a lease.',
    args: { input: t.arg({ type: RequestLeaseInput, required: true, description: 'What is asked for.' }) },
    resolve: async (_root, { input }, context): Promise<Payload> => {
      const { services, principal } = context;
      const userErrors = requestErrors(input, services.leases.now(), services.site);
      if (userErrors.length > 0 && !(await isRepetition(input, userErrors, context))) return { userErrors };
      try {
        const { leaseNumber } = await services.leases.submit('request', asRequest(input), {
          principal,
          idempotencyKey: input.idempotencyKey ?? null,
        });
        forgetWhatWasRead(context);
        return { leaseNumber, userErrors: [] };
      } catch (error) {
        return { userErrors: [commandUserError(error)] };
      }
    },
  }),
);

/** A request that is sent again after its start has passed is answered with its lease: when it was first sent, it was in time. */
async function isRepetition(
  { idempotencyKey }: RequestInput,
  errors: readonly UserError[],
  { services: { prisma }, principal }: ApiContext,
): Promise<boolean> {
  if (typeof idempotencyKey !== 'string' || errors.some(({ code }) => code !== 'START_IN_PAST')) return false;
  const where = { principal: principal.name, key: idempotencyKey };
  return (await prisma.idempotencyKey.count({ where })) > 0;
}

/** Checked input as the engine takes it. */
const asRequest = (input: RequestInput) => ({
  type: input.type,
  name: input.name ?? null,
  machines: input.machines.flatMap(({ count, capacity }) =>
    new Array<Amounts>(count).fill(amountsOf(capacity)),
  ),
  duration: input.duration,
  start: input.start ?? null,
  preemptible: input.preemptible ?? input.type === 'BEST_EFFORT',
  image: input.diskImage ?? null,
  knownDuration: input.knownDuration ?? null,
});
