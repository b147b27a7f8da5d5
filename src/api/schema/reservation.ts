import type { ReservationRecord } from '../../core/index.ts';
import type { Reservation as ReservationRow } from '../../store/prisma/client.ts';
import { numbersOf } from '../global-id.ts';
import type { Entries } from '../limits.ts';
import { intervalOf } from '../read/interval.ts';
import { builder } from './builder.ts';
import { intervalArgs } from './intervals.ts';
import {
  ComputeNode,
  knownValues,
  Lease,
  Reservation,
  ReservationConnection,
  ReservationKindEnum,
  ReservationStateEnum,
  reservationKindOf,
  reservationStateOf,
} from './refs.ts';

interface Target {
  readonly lease: number;
  readonly machine: number;
  readonly node: number;
  readonly from: number | null;
}

const ReservationTarget = builder.objectRef<Target>('ReservationTarget').implement({
  description: 'A machine that a reservation serves.',
  fields: (t) => ({
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease of the machine. (An image transfer may serve machines of several leases.)',
      resolve: ({ lease }, _args, { read }) => read.lease(lease),
    }),
    machine: t.exposeInt('machine', { description: 'Its index within the lease.' }),
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'Its node; for migrations and transfers, the destination.',
      resolve: ({ node }, _args, { read }) => read.node(node),
    }),
    from: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'Migrations: the source.',
      resolve: ({ from }, _args, { read }) => (from === null ? null : read.node(from)),
    }),
  }),
});

/** The targets in a reservation's plan. */
function targetsOf({ plan, leaseNumber }: Pick<ReservationRow, 'plan' | 'leaseNumber'>): Target[] {
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

builder.objectFields(Reservation, (t) => ({
  kind: t.field({
    type: ReservationKindEnum,
    description: 'Its purpose.',
    resolve: ({ kind }) => reservationKindOf(kind),
  }),
  state: t.field({
    type: ReservationStateEnum,
    description: 'Its state.',
    resolve: ({ state }) => reservationStateOf(state),
  }),
  start: t.expose('start', {
    type: 'DateTime',
    description: 'Its planned start; once it has started, its actual start.',
  }),
  end: t.expose('end', {
    type: 'DateTime',
    description: 'Its planned end; once it has ended, its actual end.',
  }),
  lease: t.field({
    type: Lease,
    description: 'The lease that it belongs to.',
    resolve: async ({ leaseNumber }, _args, { read }) => {
      const lease = await read.lease(leaseNumber);
      if (lease === undefined) throw new Error(`lease ${leaseNumber} of a reservation does not exist`);
      return lease;
    },
  }),
  nodes: t.field({
    type: [ComputeNode],
    description: 'The nodes on which it holds something.',
    extensions: { entries: 'nodes' satisfies Entries },
    resolve: (reservation, _args, { read }) => read.nodesOfReservation(reservation),
  }),
  targets: t.field({
    type: [ReservationTarget],
    description: 'The machines that it serves, each with its node.',
    extensions: { entries: 'machines' satisfies Entries },
    resolve: (reservation, _args, { read }) => {
      const targets = targetsOf(reservation);
      read.budget.take(targets.length);
      return targets;
    },
  }),
}));

const ReservationFilterInput = builder.inputType('ReservationFilter', {
  description: 'Selects the reservations that meet every given condition.',
  fields: (t) => ({
    nodes: t.idList({ description: 'On one of these nodes.' }),
    leases: t.idList({ description: 'Of one of these leases.' }),
    kinds: t.field({ type: [ReservationKindEnum], description: 'Of one of these kinds.' }),
    states: t.field({ type: [ReservationStateEnum], description: 'In one of these states.' }),
  }),
});

builder.queryField('reservations', (t) =>
  t.connection(
    {
      type: Reservation,
      description: 'The reservations of the site, past and planned, ordered by start.',
      args: {
        from: t.arg({ type: 'DateTime', description: intervalArgs.from }),
        to: t.arg({ type: 'DateTime', description: intervalArgs.to }),
        filter: t.arg({ type: ReservationFilterInput, description: 'Conditions; without it, all.' }),
      },
      resolve: (_root, { from, to, filter, ...page }, { read }) =>
        read.reservations(
          {
            ...intervalOf(from, to),
            nodes: numbersOf('ComputeNode', filter?.nodes),
            leases: numbersOf('Lease', filter?.leases),
            kinds: knownValues(filter?.kinds),
            states: knownValues(filter?.states),
          },
          page,
        ),
    },
    ReservationConnection,
  ),
);
