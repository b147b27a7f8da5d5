import { builder } from '../builder.ts';
import { leasesByNumber } from '../lease/rows.ts';
import { nodesByNumber } from '../node/rows.ts';
import { ComputeNode, Lease } from '../nouns.ts';
import { nodesOfReservations } from './rows.ts';
import { ReservationTarget, targetsOf } from './target.ts';

const ReservationKindEnum = builder.enumType('ReservationKind', {
  description: 'What a reservation is for.',
  values: {
    VM: { description: 'The machines run.' },
    SHUTDOWN: { description: 'The machines shut down.' },
    SUSPENSION: { description: 'Machines are suspended: their memory is written to disk.' },
    RESUMPTION: { description: 'Machines are resumed.' },
    MEMORY_MIGRATION: { description: 'Saved memory is moved to other nodes.' },
    DISK_MIGRATION: { description: 'Disk images are moved to other nodes.' },
    IMAGE_TRANSFER: { description: 'A disk image is transferred from the image repository.' },
  } as const,
});

const ReservationStateEnum = builder.enumType('ReservationState', {
  description: 'Where a reservation stands.',
  values: {
    SCHEDULED: { description: 'Planned.' },
    ACTIVE: { description: 'Under way.' },
    DONE: { description: 'Over.' },
    CANCELLED: { description: 'Stopped before its time.' },
  } as const,
});

builder.prismaObjectFields('Reservation', (t) => ({
  kind: t.expose('kind', { type: ReservationKindEnum, description: 'What it is for.' }),
  state: t.expose('state', { type: ReservationStateEnum, description: 'Where it stands.' }),
  start: t.expose('start', {
    type: 'DateTime',
    description: 'When it is planned to start; once it has started, when it did.',
  }),
  end: t.expose('end', {
    type: 'DateTime',
    description: 'When it is planned to end; once it is over, when it did.',
  }),
  lease: t.field({
    type: Lease,
    description: 'For which lease it is.',
    resolve: async ({ leaseNumber }, _args, { loaders }) => {
      const lease = await loaders.load(leasesByNumber, leaseNumber);
      if (lease === undefined) throw new Error(`a reservation of lease ${leaseNumber}, which does not exist`);
      return lease;
    },
  }),
  nodes: t.field({
    type: [ComputeNode],
    description: 'On which nodes it holds something.',
    resolve: async ({ number }, _args, { loaders }) => {
      const numbers = (await loaders.load(nodesOfReservations, number)) ?? [];
      loaders.members.take(numbers.length);
      const nodes = await Promise.all(numbers.map((each) => loaders.loadForGood(nodesByNumber, each)));
      return nodes.filter((node) => node !== undefined);
    },
  }),
  targets: t.field({
    type: [ReservationTarget],
    description: 'Which machines it is for, and where each of them is.',
    resolve: (reservation, _args, { loaders }) => {
      const targets = targetsOf(reservation);
      loaders.members.take(targets.length);
      return targets;
    },
  }),
}));
