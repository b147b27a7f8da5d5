/** Mutations that take only a lease, end it, and return it. */
import { builder } from '../builder.ts';
import { type Ending, endingField } from '../planned-ending.ts';
import { Lease } from '../refs.ts';
import { assertMayChange } from './ownership.ts';
import { numberAt, payload, payloadType, plannedDryRun } from './payload.ts';

interface LeaseMutation {
  /** Prefix of its input and payload types, such as `CancelLease`. */
  readonly typePrefix: string;
  /** The command of the engine. */
  readonly command: 'cancel' | 'end';
  /** The query of the engine for `dryRun`. */
  readonly rehearsal: 'rehearseCancel' | 'rehearseEnd';
  readonly description: string;
  readonly inputDescription: string;
  readonly payloadDescription: string;
}

/** The number of the lease; of a dry run, its plan. */
type Result = number | Ending;

/** Adds a mutation that sends a command for a lease. Restricted to its owner and operators. */
export function addLeaseMutation(field: string, mutation: LeaseMutation): void {
  const input = builder.inputType(`${mutation.typePrefix}Input`, {
    description: mutation.inputDescription,
    fields: (t) => ({
      id: t.id({ required: true, description: 'Its global id.' }),
      dryRun: t.boolean({ description: plannedDryRun('lease') }),
    }),
  });
  const type = payloadType<Result>(`${mutation.typePrefix}Payload`, mutation.payloadDescription, (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease as it was committed. Null if there are errors, and with `dryRun`.',
      resolve: ({ result }, _args, { read }) => (typeof result === 'number' ? read.lease(result) : null),
    }),
    plan: t.field({
      ...endingField,
      resolve: ({ result }) => (typeof result === 'number' ? null : result),
    }),
  }));
  builder.mutationField(field, (t) =>
    t.field({
      type,
      description: mutation.description,
      args: { input: t.arg({ type: input, required: true, description: 'The lease.' }) },
      resolve: (_root, { input }, context) =>
        payload<Result>(
          context,
          async () => {
            const { principal, services } = context;
            const leaseNumber = numberAt('Lease', input.id, 'input', 'id');
            await assertMayChange(context, leaseNumber, 'input', 'id');
            if (input.dryRun) return services.leases.submit(mutation.rehearsal, { leaseNumber }, { principal });
            await services.leases.submit(mutation.command, { leaseNumber }, { principal });
            return leaseNumber;
          },
          'input',
          'id',
        ),
    }),
  );
}
