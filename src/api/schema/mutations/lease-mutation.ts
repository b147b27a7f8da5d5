/** Mutations that take only a lease and return it. */
import { builder } from '../builder.ts';
import { Lease } from '../refs.ts';
import { assertMayChange } from './ownership.ts';
import { dryRunDescription, numberAt, payload, payloadType } from './payload.ts';

interface LeaseMutation {
  /** Prefix of its input and payload types, such as `CancelLease`. */
  readonly typePrefix: string;
  /** The command of the engine. */
  readonly command: 'cancel' | 'end';
  /** The query of the engine for `dryRun`; without it, the mutation has none. */
  readonly rehearsal?: 'rehearseEnd';
  readonly description: string;
  readonly inputDescription: string;
  readonly payloadDescription: string;
}

/** Adds a mutation that sends a command for a lease. Restricted to its owner and operators. */
export function addLeaseMutation(field: string, mutation: LeaseMutation): void {
  const { rehearsal } = mutation;
  const input = builder.inputType(`${mutation.typePrefix}Input`, {
    description: mutation.inputDescription,
    fields: (t) => ({
      id: t.id({ required: true, description: 'Its global id.' }),
      ...(rehearsal && { dryRun: t.boolean({ description: dryRunDescription('lease') }) }),
    }),
  });
  const type = payloadType<number>(`${mutation.typePrefix}Payload`, mutation.payloadDescription, (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: `The lease as it was committed. Null if there are errors${rehearsal ? ', and with `dryRun`' : ''}.`,
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.lease(result)),
    }),
  }));
  builder.mutationField(field, (t) =>
    t.field({
      type,
      description: mutation.description,
      args: { input: t.arg({ type: input, required: true, description: 'The lease.' }) },
      resolve: (_root, { input }, context) =>
        payload<number>(
          context,
          async () => {
            const { principal, services } = context;
            const leaseNumber = numberAt('Lease', input.id, 'input', 'id');
            await assertMayChange(context, leaseNumber, 'input', 'id');
            if (rehearsal && 'dryRun' in input && input.dryRun) {
              await services.leases.submit(rehearsal, { leaseNumber }, { principal });
              return null;
            }
            await services.leases.submit(mutation.command, { leaseNumber }, { principal });
            return leaseNumber;
          },
          'input',
          'id',
        ),
    }),
  );
}
