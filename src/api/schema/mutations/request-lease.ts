import type { Amounts } from '../../../core/index.ts';
import { amountsOf } from '../../amounts.ts';
import type { ApiContext } from '../../context.ts';
import { builder } from '../builder.ts';
import { DiskImageInput, MachineSetInput } from '../machine-inputs.ts';
import { Lease, LeaseTypeEnum } from '../refs.ts';
import { payload, payloadType, Refused, type UserError } from './payload.ts';
import { type RequestInput, requestErrors } from './request-errors.ts';

const RequestLeaseInput = builder.inputType('RequestLeaseInput', {
  description: 'The terms of a lease.',
  fields: (t) => ({
    type: t.field({ type: LeaseTypeEnum, required: true, description: 'When the machines are needed.' }),
    name: t.string({ description: 'A name for the lease.' }),
    machines: t.field({
      type: [MachineSetInput],
      required: true,
      description: 'The machines, machine 1 first.',
    }),
    duration: t.field({
      type: 'Duration',
      required: true,
      description: 'The running time of the machines.',
    }),
    start: t.field({
      type: 'DateTime',
      description: 'ADVANCE_RESERVATION (and later DEADLINE): when the machines start.',
    }),
    deadline: t.field({
      type: 'DateTime',
      description: 'DEADLINE: the instant by which the lease must end.',
    }),
    preemptible: t.boolean({
      description:
        'Whether the lease may be suspended or requeued in favour of leases that take precedence. Default: true for BEST_EFFORT, otherwise false.',
    }),
    diskImage: t.field({
      type: DiskImageInput,
      description: 'The disk image from which the machines start.',
    }),
    idempotencyKey: t.string({
      description:
        'Repeating a request with its key returns the same lease; the key with another input is an error. With a key, a request whose answer was lost can be sent again.',
    }),
    knownDuration: t.field({
      type: 'Duration',
      description:
        'Simulation: the actual running time of the machines, if it is shorter than `duration`. Accepted only where Site.acceptsKnownDurations is true.',
    }),
  }),
});

const RequestLeasePayload = payloadType<number>(
  'RequestLeasePayload',
  'The lease, or why it was not created.',
  (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description:
        'The lease as it was committed. A lease that the site can never hold is created in the state REJECTED. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.lease(result)),
    }),
  }),
);

builder.mutationField('requestLease', (t) =>
  t.field({
    type: RequestLeasePayload,
    description:
      'Requests a lease. Returns when the lease is committed; for IMMEDIATE and ADVANCE_RESERVATION, when it is decided. A BEST_EFFORT lease may still be PENDING.',
    args: { input: t.arg({ type: RequestLeaseInput, required: true, description: 'The terms.' }) },
    resolve: (_root, { input }, context) =>
      payload(context, async () => {
        const { services, principal } = context;
        const userErrors = requestErrors(input, services.leases.now(), services.site);
        if (userErrors.length > 0 && !(await isRepetition(input, userErrors, context))) {
          throw new Refused(userErrors);
        }
        const { leaseNumber } = await services.leases.submit('request', asRequest(input), {
          principal,
          idempotencyKey: input.idempotencyKey ?? null,
        });
        return leaseNumber;
      }),
  }),
);

/** A request that was accepted before its start passed, and is sent again, returns its lease. */
async function isRepetition(
  { idempotencyKey }: RequestInput,
  errors: readonly UserError[],
  { read }: ApiContext,
): Promise<boolean> {
  if (typeof idempotencyKey !== 'string' || errors.some(({ code }) => code !== 'START_IN_PAST')) return false;
  return read.isKnownKey(idempotencyKey);
}

/** Validated input as the engine takes it. */
function asRequest(input: RequestInput) {
  return {
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
  };
}
