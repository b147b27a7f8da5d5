import type { Amounts, LeaseRequest, LeaseType } from '../../../core/index.ts';
import { amountsOf } from '../../amounts.ts';
import { askAvailability } from '../../availability.ts';
import type { ApiContext } from '../../context.ts';
import type { LeaseRow } from '../../read/leases.ts';
import type { Readers } from '../../read/readers.ts';
import { builder } from '../builder.ts';
import { DiskImageInput, MachineSetInput, machinesOfInput } from '../machine-inputs.ts';
import { type Plan, PlannedLease } from '../planned-lease.ts';
import { Lease, LeaseTypeEnum } from '../refs.ts';
import { projectOfRequest } from './ownership.ts';
import { payload, payloadType, Refused } from './payload.ts';
import { type RequestInput, requestErrors } from './request-errors.ts';
import type { UserError } from './user-error.ts';

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
      description: 'ADVANCE_RESERVATION: when the machines start. DEADLINE: their earliest start; without it, now.',
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
    endNotice: t.field({
      type: 'Duration',
      description:
        'How long before the end of the lease a notice is given. PT0S: none. Default: the setting of the site.',
    }),
    project: t.id({
      description: 'The project of the lease. Default: the only project of the principal.',
    }),
    dryRun: t.boolean({
      description: 'Creates nothing: the lease of the payload is null, and `plan` says what would happen.',
    }),
    knownDuration: t.field({
      type: 'Duration',
      description:
        'Simulation: the actual running time of the machines, if it is shorter than `duration`. Accepted only where Site.acceptsKnownDurations is true.',
    }),
  }),
});

type Requested = { readonly number: number } | { readonly plan: Plan };

const RequestLeasePayload = payloadType<Requested>(
  'RequestLeasePayload',
  'The lease, or why it was not created.',
  (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description:
        'The lease as it was committed. A lease that the site can never hold is created in the state REJECTED. Null if there are errors.',
      resolve: ({ result }, _args, { read }) =>
        result !== null && 'number' in result ? created(result.number, read) : null,
    }),
    plan: t.field({
      type: PlannedLease,
      nullable: true,
      description: 'With `dryRun`: what would happen. Otherwise null.',
      resolve: ({ result }) => (result !== null && 'plan' in result ? result.plan : null),
    }),
  }),
);

builder.mutationField('requestLease', (t) =>
  t.field({
    type: RequestLeasePayload,
    description:
      'Requests a lease. Returns when the lease is committed; for IMMEDIATE, ADVANCE_RESERVATION and DEADLINE, when it is decided. A BEST_EFFORT lease may still be PENDING.',
    extensions: machinesOfInput,
    args: { input: t.arg({ type: RequestLeaseInput, required: true, description: 'The terms.' }) },
    resolve: (_root, { input }, context, info) =>
      payload<Requested>(context, async () => {
        const { services, principal } = context;
        const userErrors = requestErrors(input, services.leases.now(), services.site);
        if (userErrors.length > 0 && !(await isRepetition(input, userErrors, context))) {
          throw new Refused(userErrors);
        }
        const project = await projectOfRequest(context, input.project, 'input', 'project');
        const request = { ...asRequest(input), owner: principal.name, project };
        if (input.dryRun) {
          return { plan: await planOf(request, context) };
        }
        const { leaseNumber } = await services.leases.submit('request', request, {
          principal,
          idempotencyKey: input.idempotencyKey ?? null,
        });
        const hasKey = typeof input.idempotencyKey === 'string';
        context.committed.push({ field: info.path.key, leaseNumber, hasKey });
        return { number: leaseNumber };
      }),
  }),
);

/** What would happen to a request. A first possible start that lies far ahead is searched in parts. */
async function planOf(request: LeaseRequest, { principal, services: { leases }, signal }: ApiContext): Promise<Plan> {
  const facts = await leases.submit('dryRun', request, { principal });
  const { continueFrom } = facts;
  const { machines } = request;
  if (typeof continueFrom !== 'number') return { facts, machines };
  const { duration, preemptible, project = null } = request;
  const question = { machines, duration, preemptible, project, from: continueFrom, to: null };
  const { earliestStart } = await askAvailability(leases, question, principal, signal);
  return { facts: { ...facts, firstPossibleStart: earliestStart }, machines };
}

/** A committed lease must exist; its absence must not look like a refusal. */
async function created(leaseNumber: number, read: Readers): Promise<LeaseRow> {
  const lease = await read.lease(leaseNumber);
  if (lease === undefined) throw new Error(`lease ${leaseNumber} was committed, but cannot be read`);
  return lease;
}

/** A repeated request whose start has passed since it was accepted returns its lease. */
async function isRepetition(
  { idempotencyKey }: RequestInput,
  errors: readonly UserError[],
  { read }: ApiContext,
): Promise<boolean> {
  if (typeof idempotencyKey !== 'string' || errors.some(({ code }) => code !== 'START_IN_PAST')) return false;
  return read.isKnownKey(idempotencyKey);
}

/** Converts validated input to the engine's form. */
function asRequest(input: RequestInput) {
  return {
    type: input.type as LeaseType,
    name: input.name ?? null,
    machines: input.machines.flatMap(({ count, capacity }) => new Array<Amounts>(count).fill(amountsOf(capacity))),
    duration: input.duration,
    start: input.start ?? null,
    deadline: input.deadline ?? null,
    preemptible: input.preemptible ?? input.type === 'BEST_EFFORT',
    image: input.diskImage ?? null,
    knownDuration: input.knownDuration ?? null,
    // Absent if not given, so that stored idempotency keys stay valid.
    ...(typeof input.endNotice === 'number' && { endNotice: input.endNotice }),
  };
}
