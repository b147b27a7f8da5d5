import { badInput, clientError } from '../errors.ts';
import {
  type AccountingRow,
  type accountingGroups,
  maxAccountingGroups,
  maxAccountingPeriods,
  maxAccountingRows,
  type ResourceTime,
} from '../read/accounting.ts';
import { intervalOf } from '../read/interval.ts';
import { sampleCount } from '../read/utilization.ts';
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
  description: 'What the leases of a group asked for and used in a period.',
  fields: (t) => ({
    start: t.field({
      type: 'DateTime',
      description: 'The first instant of the period.',
      resolve: ({ start }) => start,
    }),
    end: t.field({
      type: 'DateTime',
      description: 'The first instant after the period.',
      resolve: ({ end }) => end,
    }),
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
    leases: t.exposeInt('leases', { description: 'The number of leases requested within the period.' }),
    requested: t.field({
      type: [ResourceTimeType],
      description: 'What these leases requested: the amounts of their machines times their durations.',
      resolve: ({ requested }) => [...requested],
    }),
    used: t.field({
      type: [ResourceTimeType],
      description: 'What running machines held within the period, up to now, whenever their leases were requested.',
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

interface AccountingArguments {
  readonly from: number;
  readonly to: number;
  readonly step?: number | null;
}

/** The maximum number of elements. */
function maxRows({ from, to, step }: AccountingArguments): number {
  if (typeof step !== 'number') return maxAccountingGroups;
  const periods = step > 0 ? Math.max(sampleCount({ from, to, step }), 0) : 0;
  return Math.min(periods * maxAccountingGroups, maxAccountingRows);
}

builder.queryField('accounting', (t) =>
  t.field({
    type: [Accounting],
    description: `What leases asked for and used, by group, as far as the principal may see them. At most ${maxAccountingGroups} groups; with \`step\` at most ${maxAccountingRows} over all periods.`,
    extensions: { listSize: maxRows },
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'The start of the interval.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'The end of the interval.' }),
      by: t.arg({ type: AccountingGroupEnum, required: true, description: 'The grouping.' }),
      step: t.arg({
        type: 'Duration',
        description:
          'The length of a period (the last one may be shorter): groups are returned per period, ordered by its start, where there is something to count. Without it the interval is one period.',
      }),
    },
    resolve: async (_root, { from, to, by, step }, { read, services }) => {
      intervalOf(from, to);
      const periods = { from, to, step: step ?? to - from };
      if (step === 0) throw badInput('`step` must be longer than 0.');
      const count = sampleCount(periods);
      if (count > maxAccountingPeriods) {
        throw badInput(
          `The result would have ${count} periods; the maximum is ${maxAccountingPeriods}. Use a longer step or a shorter interval.`,
        );
      }
      const limit = maxRows({ from, to, step: step ?? null });
      const rows = await read.accounting(periods, by, services.leases.now(), limit);
      if (rows.length > limit) {
        throw clientError(
          'OPERATION_TOO_LARGE',
          `There are more than ${limit} groups${step == null ? '' : ' over all periods'}. Use a shorter interval, ${step == null ? '' : 'a longer step, '}or another grouping.`,
        );
      }
      return rows;
    },
  }),
);
