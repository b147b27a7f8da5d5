/** Mutations of operators: the state of nodes, and maintenance. */
import { builder } from '../builder.ts';
import { Maintenance, maintenanceName, newMaintenanceName } from '../maintenance.ts';
import { ComputeNode, Lease, NodeStateEnum } from '../refs.ts';
import { nodeAt } from './node-inventory.ts';
import { numberAt, type Payload, payload, payloadType, Refused, refuse } from './payload.ts';
import { textErrors } from './request-errors.ts';

const CollisionsEnum = builder.enumType('Collisions', {
  description: 'What is done when leases would lose a place that they were promised.',
  values: {
    REFUSE: { description: 'The mutation is refused, and names the leases.' },
    DISPLACE: { description: 'The leases lose it, and are planned anew where that is possible.' },
  } as const,
});

interface Displacing<Subject> {
  readonly subject: Subject;
  readonly displaced: readonly number[];
}

const displacedField = {
  description:
    'The leases that were moved, suspended or requeued for it, as far as the principal may see them.',
};

async function displacedLeases(
  { result }: Payload<{ readonly displaced: readonly number[] }>,
  read: { lease(number: number): Promise<typeof Lease.$inferType | undefined> },
) {
  const leases = await Promise.all((result?.displaced ?? []).map((number) => read.lease(number)));
  return leases.filter((lease) => lease !== undefined);
}

const SetNodeStateInput = builder.inputType('SetNodeStateInput', {
  description: 'The new state of a node.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The global id of the node.' }),
    state: t.field({ type: NodeStateEnum, required: true, description: 'The new state.' }),
    collisions: t.field({
      type: CollisionsEnum,
      defaultValue: 'DISPLACE',
      description: 'What is done when leases would lose a place. DOWN always displaces.',
    }),
    reason: t.string({ description: 'Why, for people.' }),
  }),
});

const SetNodeStatePayload = payloadType<Displacing<number> & { readonly number: number }>(
  'SetNodeStatePayload',
  'The node, or why its state was not changed.',
  (t) => ({
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'The node. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.node(result.subject)),
    }),
    displaced: t.field({
      ...displacedField,
      type: [Lease],
      resolve: (parent, _args, { read }) => displacedLeases(parent, read),
    }),
  }),
);

const PlanMaintenanceInput = builder.inputType('PlanMaintenanceInput', {
  description: 'An interval in which nodes are not to be used.',
  fields: (t) => ({
    nodes: t.idList({ required: true, description: 'The global ids of the nodes.' }),
    start: t.field({ type: 'DateTime', required: true, description: 'Its first instant, not in the past.' }),
    end: t.field({ type: 'DateTime', required: true, description: 'The first instant after it.' }),
    reason: t.string({ description: 'Why, for people.' }),
    collisions: t.field({
      type: CollisionsEnum,
      defaultValue: 'REFUSE',
      description: 'What is done when leases would lose a place.',
    }),
  }),
});

function maintenancePayload(name: string, description: string) {
  return payloadType<Displacing<string>>(name, description, (t) => ({
    maintenance: t.field({
      type: Maintenance,
      nullable: true,
      description: 'The maintenance. Null if there are errors.',
      resolve: ({ result }, _args, { read }) =>
        result === null ? null : read.maintenanceNamed(result.subject),
    }),
    displaced: t.field({
      ...displacedField,
      type: [Lease],
      resolve: (parent, _args, { read }) => displacedLeases(parent, read),
    }),
  }));
}

const PlanMaintenancePayload = maintenancePayload(
  'PlanMaintenancePayload',
  'The planned maintenance, or why it was not planned.',
);
const EndMaintenancePayload = maintenancePayload(
  'EndMaintenancePayload',
  'The ended maintenance, or why it was not ended.',
);

const EndMaintenanceInput = builder.inputType('EndMaintenanceInput', {
  description: 'The maintenance to end.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its id.' }) }),
});

builder.mutationFields((t) => ({
  setNodeState: t.field({
    type: SetNodeStatePayload,
    description:
      'Says that a node is UP, is to be drained, or is DOWN: then the machines on it are lost. For operators.',
    args: { input: t.arg({ type: SetNodeStateInput, required: true, description: 'The new state.' }) },
    resolve: (_root, { input }, context) =>
      payload(
        context,
        async () => {
          const { state, collisions, reason } = input;
          const errors = textErrors(reason, 'input', 'reason');
          if (errors.length > 0) throw new Refused(errors);
          const node = await nodeAt(context, input.id);
          const { principal, services } = context;
          const { displaced } = await services.leases.submit(
            'setNodeState',
            { node, state, collisions: collisions ?? 'DISPLACE', by: principal.name, reason },
            { principal },
          );
          return { subject: node, number: node, displaced };
        },
        'input',
        'id',
      ),
  }),
  planMaintenance: t.field({
    type: PlanMaintenancePayload,
    description: 'Plans maintenance: the nodes are not used over an interval. For operators.',
    args: { input: t.arg({ type: PlanMaintenanceInput, required: true, description: 'The maintenance.' }) },
    resolve: (_root, { input }, context) =>
      payload(
        context,
        async () => {
          const errors = textErrors(input.reason, 'input', 'reason');
          if (errors.length > 0) throw new Refused(errors);
          const nodes = input.nodes.map((id, index) =>
            numberAt('ComputeNode', id, 'input', 'nodes', String(index)),
          );
          const rows = await Promise.all(nodes.map((node) => context.read.node(node)));
          const absent = rows.indexOf(undefined);
          if (absent >= 0) {
            return refuse(
              'NODE_NOT_FOUND',
              `Node ${nodes[absent]} does not exist.`,
              'input',
              'nodes',
              String(absent),
            );
          }
          const { start, end, reason, collisions } = input;
          const maintenance = { name: newMaintenanceName(reason), nodes: [...new Set(nodes)], start, end };
          const { principal, services } = context;
          const { name, displaced } = await services.leases.submit(
            'planMaintenance',
            { maintenance, collisions: collisions ?? 'REFUSE' },
            { principal },
          );
          return { subject: name, displaced };
        },
        'input',
      ),
  }),
  endMaintenance: t.field({
    type: EndMaintenancePayload,
    description: 'Ends maintenance before its time, also before it has begun. For operators.',
    args: { input: t.arg({ type: EndMaintenanceInput, required: true, description: 'The maintenance.' }) },
    resolve: (_root, { input }, context) =>
      payload(
        context,
        async () => {
          const name = maintenanceName(input.id);
          if (name === null) {
            return refuse('INVALID_ID', 'The value is not the ID of planned maintenance.', 'input', 'id');
          }
          const { principal, services } = context;
          await services.leases.submit('endMaintenance', { name }, { principal });
          return { subject: name, displaced: [] };
        },
        'input',
        'id',
      ),
  }),
}));
