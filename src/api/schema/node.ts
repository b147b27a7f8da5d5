import type { Amounts, NodeStateCause } from '../../core/index.ts';
import { hasRole } from '../../identity/index.ts';
import { amountList, remaining } from '../amounts.ts';
import { checkComparable } from '../errors.ts';
import type { Entries } from '../limits.ts';
import type { FreeCapacity } from '../read/free-capacity.ts';
import { intervalOf } from '../read/interval.ts';
import { ResourceAmountType } from './amounts.ts';
import { builder } from './builder.ts';
import { intervalArgs } from './intervals.ts';
import {
  ComputeNode,
  ComputeNodeConnection,
  knownValues,
  NodeStateEnum,
  Reservation,
  ReservationConnection,
} from './refs.ts';

const Label = builder.objectRef<{ readonly key: string; readonly value: string }>('Label').implement({
  description: 'A property of a node that the site names.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Such as rack, site or model.' }),
    value: t.exposeString('value', { description: 'Its value.' }),
  }),
});

const NodeStateCauseEnum = builder.enumType('NodeStateCause', {
  description: 'What set the state of a node.',
  values: {
    OPERATOR: { description: 'A principal did.' },
    HOST: { description: 'Its host stopped answering, or answers again.' },
    HOST_DISABLED: {
      description: 'Its host takes no new machines, according to the host manager, or takes them again.',
    },
    START_FAILED: {
      description:
        'A machine could not be started on it and its lease was moved; nothing new starts on it for some time. Or that time is over.',
    },
  } as const,
});

const NodeStateChange = builder.objectRef<NodeStateCause>('NodeStateChange').implement({
  description: 'Who set the state of a node, when, and why.',
  fields: (t) => ({
    cause: t.field({
      type: NodeStateCauseEnum,
      description: 'What set the state.',
      resolve: ({ code }) => code,
    }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
    by: t.exposeString('by', {
      nullable: true,
      description: 'The name of the principal. Null if no principal set it.',
    }),
    reason: t.string({
      nullable: true,
      description: 'Why, for people.',
      resolve: ({ message }) => message,
    }),
  }),
});

const FreeCapacityType = builder.objectRef<FreeCapacity>('FreeCapacity').implement({
  description: 'The free capacity of a node, constant over [start, end).',
  fields: (t) => ({
    start: t.field({ type: 'DateTime', description: 'Its first instant.', resolve: ({ start }) => start }),
    end: t.field({ type: 'DateTime', description: 'The first instant after it.', resolve: ({ end }) => end }),
    capacity: t.field({
      type: [ResourceAmountType],
      description: 'What is free.',
      resolve: ({ amounts }) => amountList(amounts),
    }),
  }),
});

builder.objectFields(ComputeNode, (t) => ({
  number: t.exposeInt('number', { description: 'Counts up from 1 in the order of the site.' }),
  hostname: t.exposeString('hostname', { description: 'Its host name.' }),
  address: t.string({
    nullable: true,
    description: 'Where its host is reached, for operators. Null for others, and if it is reached under its host name.',
    resolve: ({ address }, _args, { principal }) => (hasRole(principal, 'OPERATOR') ? address : null),
  }),
  capacity: t.field({
    type: [ResourceAmountType],
    description: 'Its whole capacity.',
    resolve: ({ capacity }) => amountList(capacity as Amounts),
  }),
  state: t.expose('state', { type: NodeStateEnum, description: 'Whether it can be used.' }),
  stateChange: t.field({
    type: NodeStateChange,
    nullable: true,
    description: 'Who set its state, when, and why. For operators; null for others, and if nobody has set it.',
    resolve: ({ stateCause }, _args, { principal }) =>
      hasRole(principal, 'OPERATOR') ? (stateCause as NodeStateCause | null) : null,
  }),
  labels: t.field({
    type: [Label],
    description: 'Free form, for filters and for people.',
    resolve: ({ labels }) =>
      Object.entries((labels ?? {}) as Record<string, string>).map(([key, value]) => ({ key, value })),
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
  freeCapacity: t.field({
    type: [FreeCapacityType],
    description:
      'Its free capacity over an interval, past or planned, whatever leases hold the rest. Intervals are in order and touch each other.',
    extensions: { entries: 'holdings' satisfies Entries },
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'The start of the interval.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'The end of the interval.' }),
    },
    resolve: (node, { from, to }, { read }) => {
      intervalOf(from, to);
      return read.freeCapacity(node, from, to);
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
      resolve: (node, { from, to, ...page }, { read }) => read.reservationsOnNode(node, intervalOf(from, to), page),
    },
    ReservationConnection,
  ),
}));

export const LabelInput = builder.inputType('LabelInput', {
  description: 'A property of a node that the site names.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Such as rack, site or model.' }),
    value: t.string({ required: true, description: 'Its value.' }),
  }),
});

const NodeFilterInput = builder.inputType('NodeFilter', {
  description: 'Selects the nodes that meet every given condition.',
  fields: (t) => ({
    numbers: t.intList({ description: 'With one of these numbers.' }),
    hostname: t.string({ description: 'With this text in the host name, in any case.' }),
    states: t.field({ type: [NodeStateEnum], description: 'In one of these states.' }),
    labels: t.field({ type: [LabelInput], description: 'With all of these labels.' }),
  }),
});

builder.queryField('nodes', (t) =>
  t.connection(
    {
      type: ComputeNode,
      description: 'The nodes of the site, ordered by number.',
      args: { filter: t.arg({ type: NodeFilterInput, description: 'Conditions; without it, all nodes.' }) },
      resolve: (_root, { filter, ...page }, { read }) => {
        const labels = (filter?.labels ?? []).flatMap(({ key, value }) => [key, value]);
        checkComparable('filter.hostname', filter?.hostname);
        checkComparable('filter.labels', ...labels);
        return read.nodes({ ...filter, states: knownValues(filter?.states) }, page);
      },
    },
    ComputeNodeConnection,
  ),
);
