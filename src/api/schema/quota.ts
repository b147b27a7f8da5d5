/** Limits of a project. */
import type { Quota as QuotaRecord, QuotaState } from '../../core/index.ts';
import type { Project as ProjectRow } from '../../store/prisma/client.ts';
import { builder } from './builder.ts';
import { Project } from './refs.ts';

interface QuotaOfProject extends QuotaRecord {
  readonly project: number;
}

const QuotaUsage = builder.objectRef<QuotaState>('QuotaUsage').implement({
  description: 'How much of a quota is in use.',
  fields: (t) => ({
    amount: t.field({
      type: 'Long',
      description: 'What the leases of the project hold at this instant.',
      resolve: ({ held }) => held,
    }),
    amountHours: t.float({
      nullable: true,
      description: 'Amount times hours in the present period, used and planned. Null without `amountHours`.',
      resolve: ({ usedHours }) => usedHours,
    }),
    periodStart: t.expose('periodStart', {
      type: 'DateTime',
      nullable: true,
      description: 'When the present period began. Null without `amountHours`.',
    }),
    leases: t.exposeInt('leases', {
      description: 'Leases that have not ended and request some of the resource type.',
    }),
  }),
});

const Quota = builder.objectRef<QuotaOfProject>('Quota').implement({
  description:
    'What the leases of a project may have at most of one resource type. Its limits hold for leases that request some of the type; null: no limit.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The resource type.' }),
    amount: t.expose('amount', {
      type: 'Long',
      nullable: true,
      description: 'The amount that they may hold together at any instant, also in what is planned.',
    }),
    amountHours: t.exposeFloat('amountHours', {
      nullable: true,
      description: 'Amount times hours for which their machines may run within one period.',
    }),
    period: t.expose('period', {
      type: 'Duration',
      nullable: true,
      description: 'The length of the periods of `amountHours`. They begin at multiples of it since 1970.',
    }),
    maxDuration: t.expose('maxDuration', {
      type: 'Duration',
      nullable: true,
      description: 'The longest duration that a lease may request.',
    }),
    maxLeases: t.exposeInt('maxLeases', {
      nullable: true,
      description: 'How many leases may exist that have not ended.',
    }),
    usage: t.field({
      type: QuotaUsage,
      nullable: true,
      description: 'How much of it is in use now. Null if the quota has just been changed.',
      resolve: async ({ project, type }, _args, { principal, services }) => {
        const states = await services.leases.submit('quotas', { project }, { principal });
        return states.find(({ quota }) => quota.type === type) ?? null;
      },
    }),
  }),
});

/** The engine validated and wrote the column. */
function quotasOf({ number, quotas }: ProjectRow): QuotaOfProject[] {
  return (quotas as unknown as QuotaRecord[]).map((quota) => ({ ...quota, project: number }));
}

builder.objectField(Project, 'quotas', (t) =>
  t.field({
    type: [Quota],
    description: 'What its leases may have at most; at most one per resource type.',
    resolve: quotasOf,
  }),
);

export const QuotaInput = builder.inputType('QuotaInput', {
  description:
    'Limits for the leases of a project that request some of one resource type. What is not given has no limit.',
  fields: (t) => ({
    type: t.string({ required: true, description: 'The resource type.' }),
    amount: t.field({
      type: 'Long',
      description: 'The amount that they may hold together at any instant, also in what is planned.',
    }),
    amountHours: t.float({
      description: 'Amount times hours for which their machines may run within one `period`.',
    }),
    period: t.field({ type: 'Duration', description: 'With `amountHours`: an hour at least.' }),
    maxDuration: t.field({ type: 'Duration', description: 'The longest duration that a lease may request.' }),
    maxLeases: t.int({ description: 'How many leases may exist that have not ended.' }),
  }),
});

export function asQuotas(
  given: readonly (typeof QuotaInput.$inferInput)[] | null | undefined,
): readonly QuotaRecord[] | null {
  if (!given) return null;
  return given.map(({ amount, amountHours, maxDuration, maxLeases, period, type }) => ({
    type,
    amount: amount ?? null,
    amountHours: amountHours ?? null,
    period: period ?? null,
    maxDuration: maxDuration ?? null,
    maxLeases: maxLeases ?? null,
  }));
}
