/** The nouns of the schema and the pages of them. They refer to each other, so they are declared here; each one's own folder adds its fields. */
import { type ApiTypes, builder } from './builder.ts';
import type { Connection } from './connection.ts';

export const Lease = builder.prismaNode('Lease', {
  id: { field: 'number' },
  nullable: true,
  description:
    'An agreement: these machines, with these capacities and this disk image, for this long, starting then, now or as soon as it fits.',
});

export const ComputeNode = builder.prismaNode('ComputeNode', {
  id: { field: 'number' },
  nullable: true,
  description: 'A physical node, on which machines of leases run.',
});

export const Reservation = builder.prismaNode('Reservation', {
  id: { field: 'number' },
  nullable: true,
  description: 'Something that nodes do, or hold, for a lease over an interval [start, end).',
});

export const LeaseEvent = builder.prismaNode('LeaseEvent', {
  id: { field: 'sequence' },
  nullable: true,
  description: 'A lease went from one state to another.',
});

type ConnectionFields = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<ApiTypes>,
  object
>;

const totalCount = (t: ConnectionFields) => ({
  totalCount: t.int({
    description: 'How many elements the whole list has. Counted only when it is asked for.',
    resolve: (parent) => (parent as Connection<unknown>).totalCount(),
  }),
});

export const LeaseConnection = builder.connectionObject(
  { type: Lease, name: 'LeaseConnection', description: 'A page of leases.', fields: totalCount },
  { name: 'LeaseEdge', description: 'A lease and where it stands in the list.' },
);

export const ComputeNodeConnection = builder.connectionObject(
  { type: ComputeNode, name: 'ComputeNodeConnection', description: 'A page of nodes.', fields: totalCount },
  { name: 'ComputeNodeEdge', description: 'A node and where it stands in the list.' },
);

export const ReservationConnection = builder.connectionObject(
  {
    type: Reservation,
    name: 'ReservationConnection',
    description: 'A page of reservations.',
    fields: totalCount,
  },
  { name: 'ReservationEdge', description: 'A reservation and where it stands in the list.' },
);

export const LeaseEventConnection = builder.connectionObject(
  { type: LeaseEvent, name: 'LeaseEventConnection', description: 'A page of events.', fields: totalCount },
  { name: 'LeaseEventEdge', description: 'An event and where it stands in the list.' },
);
