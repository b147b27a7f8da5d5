import type { ReservationRecord } from '../../core/index.ts';
import type { Reservation } from '../../store/prisma/client.ts';
import { builder } from '../builder.ts';
import { leasesByNumber } from '../lease/rows.ts';
import { nodesByNumber } from '../node/rows.ts';
import { ComputeNode, Lease } from '../nouns.ts';

interface Target {
  readonly lease: number;
  readonly machine: number;
  readonly node: number;
  readonly from: number | null;
}

export const ReservationTarget = builder.objectRef<Target>('ReservationTarget').implement({
  description: 'A machine that a reservation is for.',
  fields: (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'Whose machine it is. (An image transfer may serve machines of several leases.)',
      resolve: ({ lease }, _args, { loaders }) => loaders.load(leasesByNumber, lease),
    }),
    machine: t.exposeInt('machine', { description: 'Its index within the lease.' }),
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'Where it is; for migrations and transfers, where it goes.',
      resolve: ({ node }, _args, { loaders }) => loaders.loadForGood(nodesByNumber, node),
    }),
    from: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'Migrations: where it comes from.',
      resolve: ({ from }, _args, { loaders }) =>
        from === null ? null : loaders.loadForGood(nodesByNumber, from),
    }),
  }),
});

/** As the plan of a reservation names them. */
export function targetsOf({ plan, leaseNumber }: Pick<Reservation, 'plan' | 'leaseNumber'>): Target[] {
  const { machines, moves, targets } = plan as unknown as Partial<ReservationRecord>;
  if (moves) {
    return Object.entries(moves).map(([machine, [from, node]]) => ({
      lease: leaseNumber,
      machine: Number(machine),
      node,
      from,
    }));
  }
  if (targets) {
    return Object.entries(targets).flatMap(([node, served]) =>
      served.map(([lease, machine]) => ({ lease, machine, node: Number(node), from: null })),
    );
  }
  return Object.entries(machines ?? {}).map(([machine, node]) => ({
    lease: leaseNumber,
    machine: Number(machine),
    node,
    from: null,
  }));
}
