import type { HostFacts, StrayMachine, UnremovedMachine } from '../../engine/ports.ts';
import { hasRole } from '../../identity/index.ts';
import { amountList } from '../amounts.ts';
import { hostFacts } from '../hosts.ts';
import { ResourceAmountType } from './amounts.ts';
import { builder } from './builder.ts';
import { Action, ComputeNode } from './refs.ts';

const MachineStatusEnum = builder.enumType('MachineStatus', {
  description: 'What a host says of a machine.',
  values: {
    PREPARED: { value: 'prepared', description: 'Its image is there, and it has not run.' },
    RUNNING: { value: 'running', description: 'It runs.' },
    SUSPENDED: { value: 'suspended', description: 'Its memory is saved.' },
    STOPPED: { value: 'stopped', description: 'It stopped by itself, and what is left of it is there.' },
  } as const,
});

const StrayMachineType = builder.objectRef<StrayMachine>('StrayMachine').implement({
  description: 'A machine on a host that belongs to no lease: it was found by two inspections in a row.',
  fields: (t) => ({
    leaseNumber: t.int({
      description: 'The number of a lease in its name. There may be no such lease.',
      resolve: ({ leaseId }) => leaseId,
    }),
    machine: t.exposeInt('machine', { description: 'The index of the machine in its name.' }),
    status: t.field({
      type: MachineStatusEnum,
      description: 'What its host says of it.',
      resolve: ({ status }) => (status === 'absent' ? 'stopped' : status),
    }),
    since: t.field({
      type: 'DateTime',
      description: 'When it was first found.',
      resolve: ({ since }) => since,
    }),
    isRemoved: t.exposeBoolean('isRemoved', {
      description: 'Whether the server removes it, as `hosts.removeStrays` configures; otherwise it stays.',
    }),
  }),
});

const UnremovedMachineType = builder.objectRef<UnremovedMachine>('UnremovedMachine').implement({
  description: 'A machine that could not be removed from its host, which is tried again.',
  fields: (t) => ({
    leaseNumber: t.int({ description: 'The number of its lease.', resolve: ({ leaseId }) => leaseId }),
    machine: t.exposeInt('machine', { description: 'Its index in the lease.' }),
    capacity: t.field({
      type: [ResourceAmountType],
      description: 'What it holds until it is known to be gone. Empty if only its files are left.',
      resolve: ({ capacity }) => amountList(capacity),
    }),
    action: t.field({
      type: Action,
      nullable: true,
      description: 'The action that removes it, for `recoverAction`.',
      resolve: ({ actionId }, _args, { read }) => read.action(actionId),
    }),
  }),
});

const HostHealthType = builder.objectRef<HostFacts>('HostHealth').implement({
  description: 'What the writer knows of the host of a node since it became the writer.',
  fields: (t) => ({
    lastAnswerAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it last answered. Null before its first answer.',
      resolve: ({ answeredAt }) => answeredAt,
    }),
    failures: t.exposeInt('failures', {
      description:
        'How many calls failed in a row because it did not answer; concurrent calls count once. 0 while it answers.',
    }),
    unreachableSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it stopped answering. Null while it answers.',
      resolve: ({ unreachableSince }) => unreachableSince,
    }),
    error: t.exposeString('error', { nullable: true, description: 'What the last of these failures said.' }),
    unremovedMachines: t.field({
      type: [UnremovedMachineType],
      description: 'Machines that could not be removed. They hold their capacity until they are known to be gone.',
      extensions: { listSize: 10 },
      resolve: ({ unremoved }, _args, { read }) => {
        read.budget.take(unremoved.length);
        return unremoved;
      },
    }),
    strayMachines: t.field({
      type: [StrayMachineType],
      description: 'Machines that belong to no lease, where the adapter can list machines.',
      extensions: { listSize: 10 },
      resolve: ({ strays }, _args, { read }) => {
        read.budget.take(strays.length);
        return strays;
      },
    }),
  }),
});

builder.objectField(ComputeNode, 'host', (t) =>
  t.field({
    type: HostHealthType,
    nullable: true,
    description: 'The health of its host. For operators; null for others, and while no writer can be asked.',
    resolve: (node, _args, context) =>
      hasRole(context.principal, 'OPERATOR') ? hostFacts(context, node.number) : null,
  }),
);
