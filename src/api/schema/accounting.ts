import { clientError } from '../errors.ts';
import {
  type AccountingRow,
  type accountingGroups,
  maxAccountingGroups,
  type ResourceTime,
} from '../read/accounting.ts';
import { intervalOf } from '../read/interval.ts';
import { builder } from './builder.ts';
import { Lease, Project } from './refs.ts';
import { User } from './user.ts';

const AccountingGroupEnum = builder.enumType('AccountingGroup', {
  description: 'What accounting is grouped by.',
  values: {
    PROJECT: { description: 'By project.' },
    OWNER: { description: 'By the principal that requested the lease.' },
    LEASE: { description: 'By lease.' },
  } as const satisfies Record<(typeof accountingGroups)[number], object>,
});

const ResourceTimeType = builder.objectRef<ResourceTime>('ResourceTime').implement({
  description: 'An amount of a resource over time.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The type of resource.' }),
    hours: t.exposeFloat('hours', { description: 'Amount times hours.' }),
  }),
});

const Accounting = builder.objectRef<AccountingRow>('Accounting').implement({
  description: 'What the leases of a group asked for and used.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project of the group. Null for leases without one, and in other groupings.',
      resolve: ({ project }, _args, { read }) => (project === null ? null : read.project(project)),
    }),
    owner: t.field({
      type: User,
      nullable: true,
      description: 'The principal of the group. Null in other groupings.',
      resolve: ({ owner }, _args, { read }) => (owner === null ? null : read.owner(owner)),
    }),
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'The lease of the group. Null in other groupings.',
      resolve: ({ lease }, _args, { read }) => (lease === null ? null : read.lease(lease)),
    }),
    leases: t.exposeInt('leases', { description: 'The number of leases requested within the interval.' }),
    requested: t.field({
      type: [ResourceTimeType],
      description: 'What these leases requested: the amounts of their machines times their durations.',
      resolve: ({ requested }) => [...requested],
    }),
    used: t.field({
      type: [ResourceTimeType],
      description:
        'What running machines held within the interval, up to now, whenever their leases were requested.',
      resolve: ({ used }) => [...used],
    }),
    waiting: t.field({
      type: 'Duration',
      description: 'How long these leases waited for their (last) first start, added up.',
      resolve: ({ waiting }) => waiting,
    }),
    preemptions: t.exposeInt('preemptions', { description: 'How often these leases were preempted.' }),
    lost: t.field({
      type: [ResourceTimeType],
      description: 'Running time of these leases that was lost to preemption or failed hosts.',
      resolve: ({ lost }) => [...lost],
    }),
  }),
});

builder.queryField('accounting', (t) =>
  t.field({
    type: [Accounting],
    description: `What leases asked for and used, by group, as far as the principal may see them. At most ${maxAccountingGroups} groups.`,
    extensions: { listSize: maxAccountingGroups },
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'The start of the interval.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'The end of the interval.' }),
      by: t.arg({ type: AccountingGroupEnum, required: true, description: 'The grouping.' }),
    },
    resolve: async (_root, { from, to, by }, { read, services }) => {
      intervalOf(from, to);
      const rows = await read.accounting(from, to, by, services.leases.now());
      if (rows.length > maxAccountingGroups) {
        throw clientError(
          'OPERATION_TOO_LARGE',
          `There are more than ${maxAccountingGroups} groups. Use a shorter interval, or another grouping.`,
        );
      }
      return rows;
    },
  }),
);
