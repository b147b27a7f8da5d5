import type { Amounts } from '../../core/index.ts';
import { amountList, remaining } from '../amounts.ts';
import { intervalOf } from '../read/interval.ts';
import { ResourceAmountType } from './amounts.ts';
import { builder } from './builder.ts';
import { intervalArgs } from './intervals.ts';
import { ComputeNode, ComputeNodeConnection, Reservation, ReservationConnection } from './refs.ts';

builder.objectFields(ComputeNode, (t) => ({
  number: t.exposeInt('number', { description: 'Counts up from 1 in the order of the site.' }),
  hostname: t.exposeString('hostname', { description: 'Its host name.' }),
  capacity: t.field({
    type: [ResourceAmountType],
    description: 'Its whole capacity.',
    resolve: ({ capacity }) => amountList(capacity as Amounts),
  }),
  available: t.field({
    type: [ResourceAmountType],
    description: 'Its free capacity at an instant, past or planned.',
    args: { at: t.arg({ type: 'DateTime', description: 'The instant; without it, now.' }) },
    resolve: async (node, { at }, { read, services }) => {
      const held = await read.heldOn(node, at ?? services.leases.now());
      return amountList(remaining(node.capacity as Amounts, held));
    },
  }),
  reservations: t.connection(
    {
      type: Reservation,
      description: 'The reservations that hold something on it, past and planned, ordered by start.',
      args: {
        from: t.arg({ type: 'DateTime', description: intervalArgs.from }),
        to: t.arg({ type: 'DateTime', description: intervalArgs.to }),
      },
      resolve: (node, { from, to, ...page }, { read }) =>
        read.reservationsOnNode(node, intervalOf(from, to), page),
    },
    ReservationConnection,
  ),
}));

builder.queryField('nodes', (t) =>
  t.connection(
    {
      type: ComputeNode,
      description: 'The nodes of the site, ordered by number.',
      resolve: (_root, page, { read }) => read.nodes(page),
    },
    ComputeNodeConnection,
  ),
);
