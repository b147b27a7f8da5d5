import type { ActionTarget } from '../../core/index.ts';
import { hasRole } from '../../identity/index.ts';
import type { Entries } from '../limits.ts';
import { type MeasuredRate, ratesOf } from '../rates.ts';
import { builder } from './builder.ts';
import { Action, ActionConnection, ComputeNode, Lease } from './refs.ts';

const ActionKindEnum = builder.enumType('ActionKind', {
  description: 'What hosts do.',
  values: {
    PREPARE: { description: 'Bring a disk image to a node.' },
    START: { description: 'Start a machine.' },
    SHUTDOWN: { description: 'Shut a machine down and remove it.' },
    SUSPEND: { description: 'Save the memory of a machine, and stop it.' },
    RESUME: { description: 'Continue a suspended machine.' },
    MIGRATE: { description: 'Move what a suspended machine has to another node.' },
    DESTROY: { description: 'Remove a machine in whatever state it is.' },
  } as const,
});

const ActionStateEnum = builder.enumType('ActionState', {
  description: 'The state of an action.',
  values: {
    PENDING: { description: 'Recorded; hosts work on it, or will be called.' },
    SUCCEEDED: { description: 'Carried out.' },
    FAILED: { description: 'It could not be carried out.' },
  } as const,
});

builder.objectFields(Action, (t) => ({
  kind: t.expose('kind', { type: ActionKindEnum, description: 'What hosts do.' }),
  state: t.expose('state', { type: ActionStateEnum, description: 'Its state.' }),
  lease: t.field({
    type: Lease,
    nullable: true,
    description: 'The lease for which it is.',
    resolve: ({ leaseNumber }, _args, { read }) => read.lease(leaseNumber),
  }),
  nodes: t.field({
    type: [ComputeNode],
    description: 'The nodes whose hosts are called.',
    extensions: { entries: 'nodes' satisfies Entries },
    resolve: async ({ targets }, _args, { read }) => {
      const numbers = [...new Set((targets as unknown as ActionTarget[]).map(({ node }) => node))];
      read.budget.take(numbers.length);
      const nodes = await Promise.all(numbers.map((number) => read.node(number)));
      return nodes.filter((node) => node !== undefined);
    },
  }),
  at: t.expose('at', { type: 'DateTime', description: 'When it was due.' }),
  deadline: t.expose('deadline', {
    type: 'DateTime',
    nullable: true,
    description: 'By when it should be done.',
  }),
  attempts: t.exposeInt('attempts', { description: 'How often hosts were called.' }),
  error: t.exposeString('error', {
    nullable: true,
    description: 'Why it failed; while it is pending, what it waits for.',
  }),
  output: t.exposeString('output', { nullable: true, description: 'What it printed.' }),
  startedAt: t.expose('startedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the first host was called.',
  }),
  finishedAt: t.expose('finishedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was decided.',
  }),
}));

const MeasuredRateType = builder.objectRef<MeasuredRate>('MeasuredRate').implement({
  description: 'How fast the host of a node carried out actions of a kind, in MB per second of real time.',
  fields: (t) => ({
    kind: t.expose('kind', {
      type: ActionKindEnum,
      description: 'SUSPEND and RESUME move memory, PREPARE an image, MIGRATE both.',
    }),
    count: t.exposeInt('count', { description: 'The number of actions.' }),
    min: t.exposeFloat('min', { description: 'Of the slowest one.' }),
    median: t.exposeFloat('median', { description: 'Of the one in the middle.' }),
  }),
});

builder.objectField(ComputeNode, 'measuredRates', (t) =>
  t.field({
    type: [MeasuredRateType],
    description:
      'How fast its host suspended, resumed, moved and prepared machines, from its last actions. For operators; empty for others.',
    extensions: { listSize: 4 },
    resolve: async (node, _args, { principal, read, services }) => {
      if (!hasRole(principal, 'OPERATOR')) return [];
      const { clockSpeed } = services.site;
      const actions = await read.measuredActions(node);
      return ratesOf(
        node.number,
        actions.map(({ kind, targets, startedAt, finishedAt }) => ({
          kind,
          targets: targets as unknown as readonly ActionTarget[],
          duration: (finishedAt.getTime() - startedAt.getTime()) / clockSpeed,
        })),
      );
    },
  }),
);

builder.objectField(ComputeNode, 'actions', (t) =>
  t.connection(
    {
      type: Action,
      description: 'What its host was told to do, for leases that the principal may see, newest last.',
      resolve: (node, page, { read }) => read.actionsOnNode(node, page),
    },
    ActionConnection,
  ),
);

builder.objectField(Lease, 'actions', (t) =>
  t.connection(
    {
      type: Action,
      description: 'What hosts were told to do for it, newest last.',
      resolve: (lease, page, { read }) => read.actionsOfLease(lease, page),
    },
    ActionConnection,
  ),
);
