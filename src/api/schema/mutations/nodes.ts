/** Mutations of operators: the state of nodes, and maintenance. */
import { shown } from '../../errors.ts';
import { builder, type FieldsOf } from '../builder.ts';
import { Maintenance, maintenanceName, newMaintenanceName } from '../maintenance.ts';
import { type Displacement, displacedField, PlannedDisplacement, visibleLeases } from '../planned-displacement.ts';
import { ComputeNode, Lease, NodeStateEnum } from '../refs.ts';
import { nodeAt } from './node-inventory.ts';
import { dryRunDescription, numberAt, type Payload, payload, payloadType, Refused, refuse } from './payload.ts';
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

/** With `dryRun`. */
interface Rehearsed {
  readonly plan: Displacement;
}

function displacedBy({ result }: Payload<Displacing<unknown> | Rehearsed>): readonly number[] {
  return result !== null && 'displaced' in result ? result.displaced : [];
}

const planField = {
  type: PlannedDisplacement,
  nullable: true,
  description: 'With `dryRun`: what would happen. Otherwise null.',
} as const;

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
    dryRun: t.boolean({
      description: 'Changes nothing: the node of the payload is null, and `plan` says what would happen.',
    }),
  }),
});

const SetNodeStatePayload = payloadType<Displacing<number> | Rehearsed>(
  'SetNodeStatePayload',
  'The node, or why its state was not changed.',
  (t) => ({
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description: 'The node. Null if there are errors.',
      resolve: ({ result }, _args, { read }) =>
        result !== null && 'subject' in result ? read.node(result.subject) : null,
    }),
    displaced: t.field({
      ...displacedField,
      type: [Lease],
      resolve: (parent, _args, { read }) => visibleLeases(displacedBy(parent), read),
    }),
    plan: t.field({
      ...planField,
      resolve: ({ result }) => (result !== null && 'plan' in result ? result.plan : null),
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
    idempotencyKey: t.string({
      description:
        'Repeating a request with its key returns the same maintenance, and `displaced` is empty; the key with another input is an error.',
    }),
    dryRun: t.boolean({
      description: 'Plans nothing: the maintenance of the payload is null, and `plan` says what would happen.',
    }),
  }),
});

type MaintenancePayload = Displacing<string> | Rehearsed;

function maintenancePayload(
  name: string,
  description: string,
  others: (t: FieldsOf<Payload<MaintenancePayload>>) => object = () => ({}),
) {
  return payloadType<MaintenancePayload>(name, description, (t) => ({
    maintenance: t.field({
      type: Maintenance,
      nullable: true,
      description: 'The maintenance. Null if there are errors.',
      resolve: ({ result }, _args, { read }) =>
        result !== null && 'subject' in result ? read.maintenanceNamed(result.subject) : null,
    }),
    ...others(t),
    displaced: t.field({
      ...displacedField,
      type: [Lease],
      resolve: (parent, _args, { read }) => visibleLeases(displacedBy(parent), read),
    }),
  }));
}

const PlanMaintenancePayload = maintenancePayload(
  'PlanMaintenancePayload',
  'The planned maintenance, or why it was not planned.',
  (t) => ({
    plan: t.field({
      ...planField,
      resolve: ({ result }) => (result !== null && 'plan' in result ? result.plan : null),
    }),
  }),
);
const EndMaintenancePayload = maintenancePayload(
  'EndMaintenancePayload',
  'The ended maintenance, or why it was not ended.',
);

const EndMaintenanceInput = builder.inputType('EndMaintenanceInput', {
  description: 'The maintenance to end.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its id.' }),
    dryRun: t.boolean({ description: dryRunDescription('maintenance') }),
  }),
});

builder.mutationFields((t) => ({
  setNodeState: t.field({
    type: SetNodeStatePayload,
    description:
      'Says that a node is UP, is to be drained, or is DOWN: then the machines on it are lost. For operators.',
    args: { input: t.arg({ type: SetNodeStateInput, required: true, description: 'The new state.' }) },
    resolve: (_root, { input }, context) =>
      payload<Displacing<number> | Rehearsed>(
        context,
        async () => {
          const { state, collisions, reason } = input;
          const errors = textErrors(reason, 'input', 'reason');
          if (errors.length > 0) throw new Refused(errors);
          const node = await nodeAt(context, input.id);
          const { principal, services } = context;
          const change = { node, state, collisions: collisions ?? 'DISPLACE', by: principal.name, reason };
          if (input.dryRun) return { plan: await services.leases.submit('rehearseNodeState', change, { principal }) };
          const { displaced } = await services.leases.submit('setNodeState', change, { principal });
          return { subject: node, displaced };
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
      payload<MaintenancePayload>(
        context,
        async () => {
          const { start, end, reason, collisions, idempotencyKey } = input;
          const errors = [
            ...textErrors(reason, 'input', 'reason'),
            ...textErrors(idempotencyKey, 'input', 'idempotencyKey'),
          ];
          if (errors.length > 0) throw new Refused(errors);
          const nodes = input.nodes.map((id, index) => numberAt('ComputeNode', id, 'input', 'nodes', String(index)));
          const rows = await Promise.all(nodes.map((node) => context.read.node(node)));
          const absent = rows.indexOf(undefined);
          if (absent >= 0) {
            return refuse('NODE_NOT_FOUND', `Node ${nodes[absent]} does not exist.`, 'input', 'nodes', String(absent));
          }
          const { principal, services } = context;
          const terms = { nodes: [...new Set(nodes)], start, end };
          const keyed = idempotencyKey ? [principal.name, idempotencyKey, terms] : null;
          const maintenance = { name: await newMaintenanceName(reason, keyed), ...terms };
          const planned = { maintenance, collisions: collisions ?? 'REFUSE' };
          if (input.dryRun)
            return { plan: await services.leases.submit('rehearseMaintenance', planned, { principal }) };
          const { name, displaced } = await services.leases.submit('planMaintenance', planned, {
            principal,
            idempotencyKey: idempotencyKey ?? null,
          });
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
      payload<MaintenancePayload>(
        context,
        async () => {
          const name = maintenanceName(input.id);
          if (name === null) {
            const message = `${shown(input.id)} is not the id of maintenance. Use the value of its \`id\`.`;
            return refuse('INVALID_ID', message, 'input', 'id');
          }
          const { principal, services } = context;
          if (input.dryRun) {
            await services.leases.submit('rehearseEndMaintenance', { name }, { principal });
            return null;
          }
          await services.leases.submit('endMaintenance', { name }, { principal });
          return { subject: name, displaced: [] };
        },
        'input',
        'id',
      ),
  }),
}));
