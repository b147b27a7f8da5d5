/** Mutations of administrators: which nodes the site has. */
import type { ResourceAmount } from '../../amounts.ts';
import { amountsOf } from '../../amounts.ts';
import type { ApiContext } from '../../context.ts';
import { shown } from '../../errors.ts';
import { isRemoved } from '../../read/nodes.ts';
import { ResourceAmountInput } from '../amounts.ts';
import { builder } from '../builder.ts';
import { LabelInput } from '../node.ts';
import { ComputeNode } from '../refs.ts';
import { dryRunDescription, numberAt, payload, payloadType, Refused, refuse } from './payload.ts';
import { capacityErrors, textErrors } from './request-errors.ts';
import { type UserError, userError } from './user-error.ts';

/** Maximum number of nodes per mutation. */
export const maxNodes = 1_000;
const maxLabels = 100;

/** The number of a node that has not been removed. Throws Refused. */
export async function nodeAt({ read }: ApiContext, id: string): Promise<number> {
  const number = numberAt('ComputeNode', id, 'input', 'id');
  const node = await read.node(number);
  if (node !== undefined && !isRemoved(node)) return number;
  return refuse('NODE_NOT_FOUND', `Node ${number} does not exist.`, 'input', 'id');
}

const NewNodeInput = builder.inputType('NewNodeInput', {
  description: 'A new node.',
  fields: (t) => ({
    hostname: t.string({ required: true, description: 'Its unique host name.' }),
    capacity: t.field({
      type: [ResourceAmountInput],
      required: true,
      description: 'Its whole capacity; a type several times for several instances.',
    }),
    address: t.string({
      description: 'A name or an IP address under which its host is reached; without it, the host name.',
    }),
    labels: t.field({ type: [LabelInput], description: 'Free form, for filters and for people.' }),
  }),
});

const AddNodesInput = builder.inputType('AddNodesInput', {
  description: 'New nodes of the site.',
  fields: (t) => ({
    nodes: t.field({
      type: [NewNodeInput],
      required: true,
      description: `The nodes: 1 to ${maxNodes}. They are numbered in this order.`,
    }),
    idempotencyKey: t.string({
      description: 'Repeating a request with its key returns the same nodes; the key with another input is an error.',
    }),
    dryRun: t.boolean({
      description: 'Changes nothing: `userErrors` say why it would be refused, and the payload has no nodes.',
    }),
  }),
});

const UpdateNodeInput = builder.inputType('UpdateNodeInput', {
  description: 'Changes of a node. What is not given stays as it is.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    capacity: t.field({
      type: [ResourceAmountInput],
      description: 'Its new capacity. Nothing may run or be planned there.',
    }),
    address: t.string({
      description: 'The name or IP address under which its host is reached from now on; null: the host name.',
    }),
    labels: t.field({ type: [LabelInput], description: 'All its labels from now on.' }),
    dryRun: t.boolean({ description: dryRunDescription('node') }),
  }),
});

const RemoveNodeInput = builder.inputType('RemoveNodeInput', {
  description: 'The node to remove.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    dryRun: t.boolean({ description: dryRunDescription('node') }),
  }),
});

const AddNodesPayload = payloadType<readonly number[]>(
  'AddNodesPayload',
  'The new nodes, or why they were not added.',
  (t) => ({
    nodes: t.field({
      type: [ComputeNode],
      description: 'The new nodes, in the order of the input. Empty if there are errors.',
      extensions: { listSize: maxNodes },
      resolve: async ({ result }, _args, { read }) => {
        const nodes = await Promise.all((result ?? []).map((number) => read.node(number)));
        return nodes.filter((node) => node !== undefined);
      },
    }),
  }),
);

function nodePayload(name: string, description: string, node: string) {
  return payloadType<number>(name, description, (t) => ({
    node: t.field({
      type: ComputeNode,
      nullable: true,
      description: node,
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.node(result)),
    }),
  }));
}

const UpdateNodePayload = nodePayload(
  'UpdateNodePayload',
  'The node, or why it was not changed.',
  'The node. Null if there are errors.',
);
const RemoveNodePayload = nodePayload(
  'RemoveNodePayload',
  'The removed node, or why it was not removed.',
  'The node as leases that ran there show it from now on: without capacity. Null if there are errors.',
);

type Labels = readonly { readonly key: string; readonly value: string }[] | null | undefined;

function labelErrors(labels: Labels, ...path: readonly string[]): UserError[] {
  const given = labels ?? [];
  if (given.length > maxLabels) {
    const message = `The node has ${given.length} labels; the maximum is ${maxLabels}.`;
    return [userError('INVALID_REQUEST', message, ...path)];
  }
  const keys = new Set<string>();
  return given.flatMap(({ key, value }, index) => {
    const errors = [
      ...textErrors(key, ...path, String(index), 'key'),
      ...textErrors(value, ...path, String(index), 'value'),
    ];
    if (keys.has(key)) {
      const message = `The key ${shown(key)} is given twice. A node has one value for each key.`;
      errors.push(userError('INVALID_REQUEST', message, ...path, String(index), 'key'));
    }
    keys.add(key);
    return errors;
  });
}

interface Described {
  readonly hostname?: string;
  readonly capacity?: readonly ResourceAmount[] | null | undefined;
  readonly address?: string | null | undefined;
  readonly labels?: Labels;
}

/** Allowed characters of a host name or address, since adapters use them in URIs and program arguments. */
const hostPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/;

function hostErrors(host: string | null | undefined, ...path: readonly string[]): UserError[] {
  if (host === null || host === undefined || hostPattern.test(host)) return [];
  const message = `${shown(host)} is not a host name or an IP address. Use letters, digits and . _ - : only.`;
  return [userError('INVALID_REQUEST', message, ...path)];
}

/** Throws Refused. */
function check(context: ApiContext, node: Described, ...path: readonly string[]): void {
  const { address, capacity, hostname, labels } = node;
  const { resourceTypes } = context.services.site;
  const errors = [
    ...hostErrors(hostname, ...path, 'hostname'),
    ...(capacity ? capacityErrors(capacity, resourceTypes, ...path, 'capacity') : []),
    ...hostErrors(address, ...path, 'address'),
    ...labelErrors(labels, ...path, 'labels'),
  ];
  if (errors.length > 0) throw new Refused(errors);
}

function labelsOf(labels: NonNullable<Labels>): Record<string, string> {
  return Object.fromEntries(labels.map(({ key, value }) => [key, value]));
}

builder.mutationFields((t) => ({
  addNodes: t.field({
    type: AddNodesPayload,
    description: 'Adds nodes to the site, all or none. Leases that wait may use them at once. For administrators.',
    args: { input: t.arg({ type: AddNodesInput, required: true, description: 'The nodes.' }) },
    resolve: (_root, { input }, context) =>
      payload(
        context,
        async () => {
          const { length } = input.nodes;
          if (length < 1 || length > maxNodes) {
            const message = `There are ${length} nodes; the minimum is 1, and the maximum ${maxNodes}.`;
            return refuse('INVALID_REQUEST', message, 'input', 'nodes');
          }
          const errors = textErrors(input.idempotencyKey, 'input', 'idempotencyKey');
          if (errors.length > 0) throw new Refused(errors);
          for (const [index, node] of input.nodes.entries()) {
            check(context, node, 'input', 'nodes', String(index));
          }
          const nodes = input.nodes.map(({ hostname, capacity, address, labels }) => ({
            hostname,
            capacity: amountsOf(capacity),
            ...(address ? { address } : {}),
            ...(labels && labels.length > 0 ? { labels: labelsOf(labels) } : {}),
          }));
          const { principal, services } = context;
          const idempotencyKey = input.idempotencyKey ?? null;
          if (input.dryRun) {
            await services.leases.submit('rehearseAddNodes', { nodes }, { principal, idempotencyKey });
            return [];
          }
          const { numbers } = await services.leases.submit('addNodes', { nodes }, { principal, idempotencyKey });
          return numbers;
        },
        'input',
        'nodes',
      ),
  }),
  updateNode: t.field({
    type: UpdateNodePayload,
    description: 'Changes the capacity, address or labels of a node. For administrators.',
    args: { input: t.arg({ type: UpdateNodeInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input }, context) =>
      payload<number>(
        context,
        async () => {
          const node = await nodeAt(context, input.id);
          check(context, input, 'input');
          const { address, capacity, labels } = input;
          const update = {
            node,
            ...(capacity ? { capacity: amountsOf(capacity) } : {}),
            ...(address !== undefined ? { address } : {}),
            ...(labels ? { labels: labelsOf(labels) } : {}),
          };
          const { principal, services } = context;
          const command = input.dryRun ? 'rehearseUpdateNode' : 'updateNode';
          await services.leases.submit(command, update, { principal });
          return input.dryRun ? null : node;
        },
        'input',
        'id',
      ),
  }),
  removeNode: t.field({
    type: RemoveNodePayload,
    description:
      'Removes a node on which nothing runs or is planned. Its number is not used again. For administrators.',
    args: { input: t.arg({ type: RemoveNodeInput, required: true, description: 'The node.' }) },
    resolve: (_root, { input }, context) =>
      payload<number>(
        context,
        async () => {
          const node = await nodeAt(context, input.id);
          const { principal, services } = context;
          await services.leases.submit(input.dryRun ? 'rehearseRemoveNode' : 'removeNode', { node }, { principal });
          return input.dryRun ? null : node;
        },
        'input',
        'id',
      ),
  }),
}));
