import type { LeaseUpdate } from '../../../core/index.ts';
import type { ApiContext } from '../../context.ts';
import { builder } from '../builder.ts';
import { displacedField, visibleLeases } from '../planned-displacement.ts';
import { type Plan, PlannedLease } from '../planned-lease.ts';
import { Lease } from '../refs.ts';
import { assertMayChange } from './ownership.ts';
import { numberAt, payload, payloadType, plannedDryRun, Refused, refuse } from './payload.ts';
import { durationErrors, endNoticeErrors, textErrors } from './request-errors.ts';

const UpdateLeaseInput = builder.inputType('UpdateLeaseInput', {
  description: 'New terms of a lease. What is not given stays as it is.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    name: t.string({ description: 'The new name; null: none.' }),
    start: t.field({
      type: 'DateTime',
      description: 'ADVANCE_RESERVATION: the new start. DEADLINE: the new earliest start.',
    }),
    duration: t.field({ type: 'Duration', description: 'The new requested running time.' }),
    deadline: t.field({ type: 'DateTime', description: 'DEADLINE: the new deadline.' }),
    preemptible: t.boolean({
      description:
        'Whether the lease may from now on be suspended or requeued in favour of leases that take precedence.',
    }),
    endNotice: t.field({
      type: 'Duration',
      description: 'How long before the end of the lease a notice is given. PT0S: none.',
    }),
    asFarAsPossible: t.boolean({
      description: 'An extension that is blocked goes as far as it can instead of being refused.',
    }),
    dryRun: t.boolean({ description: plannedDryRun('lease') }),
    idempotencyKey: t.string({
      description: 'Repeating an update with its key returns the lease; the key with another input is an error.',
    }),
  }),
});

type Updated = { readonly number: number; readonly displaced: readonly number[] } | { readonly plan: Plan };

const UpdateLeasePayload = payloadType<Updated>(
  'UpdateLeasePayload',
  'The updated lease, or why it was not updated.',
  (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease as it was committed. Null if there are errors.',
      resolve: ({ result }, _args, { read }) =>
        result !== null && 'number' in result ? read.lease(result.number) : null,
    }),
    displaced: t.field({
      ...displacedField,
      type: [Lease],
      resolve: ({ result }, _args, { read }) =>
        visibleLeases(result !== null && 'number' in result ? result.displaced : [], read),
    }),
    plan: t.field({
      type: PlannedLease,
      nullable: true,
      description: 'With `dryRun`: what would happen. Otherwise null.',
      resolve: ({ result }) => (result !== null && 'plan' in result ? result.plan : null),
    }),
  }),
);

function updateOf(input: typeof UpdateLeaseInput.$inferInput): LeaseUpdate {
  const { name, start, duration, deadline, preemptible, endNotice, asFarAsPossible } = input;
  const errors = [
    ...textErrors(name, 'input', 'name'),
    ...textErrors(input.idempotencyKey, 'input', 'idempotencyKey'),
    ...(typeof duration === 'number' ? durationErrors(duration, 'input', 'duration') : []),
    ...endNoticeErrors(endNotice),
  ];
  if (errors.length > 0) throw new Refused(errors);
  const isTimed = [start, duration, deadline, endNotice].some((value) => typeof value === 'number');
  if (!isTimed && name === undefined && typeof preemptible !== 'boolean') {
    refuse(
      'INVALID_REQUEST',
      'The update changes nothing. Give a name, a start, a duration, a deadline, an end notice or whether it is preemptible.',
      'input',
    );
  }
  return {
    ...(name !== undefined && { name }),
    ...(typeof preemptible === 'boolean' && { preemptible }),
    ...(typeof start === 'number' && { start }),
    ...(typeof duration === 'number' && { duration }),
    ...(typeof deadline === 'number' && { deadline }),
    ...(typeof endNotice === 'number' && { endNotice }),
    ...(asFarAsPossible === true && { asFarAsPossible }),
  };
}

builder.mutationField('updateLease', (t) =>
  t.field({
    type: UpdateLeasePayload,
    description: 'Changes the terms of a lease, all or none. A refused update leaves everything as it was.',
    args: { input: t.arg({ type: UpdateLeaseInput, required: true, description: 'The new terms.' }) },
    resolve: (_root, { input }, context) =>
      payload<Updated>(
        context,
        async () => {
          const { principal, services } = context;
          const leaseNumber = numberAt('Lease', input.id, 'input', 'id');
          const update = updateOf(input);
          await assertMayChange(context, leaseNumber, 'input', 'id');
          if (input.dryRun) {
            return { plan: await planOf({ leaseNumber, update }, context) };
          }
          const { displaced } = await services.leases.submit(
            'update',
            { leaseNumber, update },
            { principal, idempotencyKey: input.idempotencyKey ?? null },
          );
          return { number: leaseNumber, displaced };
        },
        'input',
        'id',
      ),
  }),
);

/** What would happen to an update. A first possible start that lies far ahead is searched in parts. */
async function planOf(
  update: { readonly leaseNumber: number; readonly update: LeaseUpdate },
  { principal, services: { leases }, signal }: ApiContext,
): Promise<Plan> {
  const ask = (searchFrom?: number) =>
    leases.submit('dryRunUpdate', { ...update, ...(searchFrom !== undefined && { searchFrom }) }, { principal });
  let planned = await ask();
  while (typeof planned.continueFrom === 'number') {
    signal?.throwIfAborted();
    planned = await ask(planned.continueFrom);
  }
  const { amounts, maxDuration, ...facts } = planned;
  return { facts, machines: amounts, maxDuration };
}
