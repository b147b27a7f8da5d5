import type { Amounts } from '../../core/index.ts';
import { amountList, ResourceAmountType, remaining } from '../amounts.ts';
import { builder } from '../builder.ts';
import { connection } from '../connection.ts';
import { intervalOf } from '../interval.ts';
import { ComputeNode, ComputeNodeConnection, Reservation, ReservationConnection } from '../nouns.ts';
import { countReservationsOfNodes, reservationOrder, reservationsOfNodes } from '../reservation/rows.ts';
import { heldAt, nodeOrder, readNodes } from './rows.ts';

builder.prismaObjectFields('ComputeNode', (t) => ({
  number: t.exposeInt('number', { description: 'Counts up from 1 in the order of the site.' }),
  hostname: t.exposeString('hostname', { description: 'What the network calls it.' }),
  capacity: t.field({
    type: [ResourceAmountType],
    description: 'What it has, all in all.',
    resolve: ({ capacity }) => amountList(capacity as Amounts),
  }),
  available: t.field({
    type: [ResourceAmountType],
    description: 'What is free at an instant, by what has happened and what is planned.',
    args: { at: t.arg({ type: 'DateTime', description: 'The instant; now if it is not given.' }) },
    resolve: async ({ number, capacity }, { at }, { loaders, services }) => {
      const held = await loaders.load(heldAt, number, at ?? services.leases.now());
      return amountList(remaining(capacity as Amounts, held ?? []));
    },
  }),
  reservations: t.connection(
    {
      type: Reservation,
      description: 'The reservations that hold something on it, past and planned, by start.',
      args: {
        from: t.arg({ type: 'DateTime', description: 'Only those that end after this instant.' }),
        to: t.arg({ type: 'DateTime', description: 'Only those that start before this instant.' }),
      },
      resolve: ({ number }, { from, to, ...page }, { loaders }) => {
        const interval = intervalOf(from, to);
        return connection(
          reservationOrder,
          page,
          async (window) => (await loaders.load(reservationsOfNodes, number, { ...interval, window })) ?? [],
          async () => (await loaders.load(countReservationsOfNodes, number, interval)) ?? 0,
        );
      },
    },
    ReservationConnection,
  ),
}));

builder.queryField('nodes', (t) =>
  t.connection(
    {
      type: ComputeNode,
      description: 'The nodes of the site, by number.',
      resolve: (_root, args, { services: { prisma } }) =>
        connection(
          nodeOrder,
          args,
          (window) => readNodes(prisma, window),
          () => prisma.computeNode.count(),
        ),
    },
    ComputeNodeConnection,
  ),
);
