import type { NoticeFacts } from '../../engine/ports.ts';
import type { Notice as NoticeRow } from '../../store/prisma/client.ts';
import { numberOf, numbersOf } from '../global-id.ts';
import type { NoticeFilter } from '../read/notices.ts';
import { isForOperators, readable, withoutReason } from '../read/sentences.ts';
import { builder } from './builder.ts';
import { Maintenance } from './maintenance.ts';
import { reasonOf, StateReasonType } from './reason.ts';
import { ComputeNode, knownValues, Lease, Notice, NoticeConnection, NoticeKindEnum, noticeKindOf } from './refs.ts';

function factsOf({ facts }: NoticeRow): NoticeFacts {
  return facts as NoticeFacts;
}

builder.objectFields(Notice, (t) => ({
  sequence: t.expose('sequence', {
    type: 'Long',
    description:
      'Counts up over the whole site, without gaps. Pass the last value seen to `notices(after:)` to receive everything since.',
  }),
  at: t.expose('at', { type: 'DateTime', description: 'When it was given.' }),
  kind: t.field({
    type: NoticeKindEnum,
    description: 'What it is about.',
    resolve: ({ kind }) => noticeKindOf(kind),
  }),
  message: t.string({
    description:
      'A sentence for people. It has no numbers of leases that the principal may not see. NODE_DOWN, NODE_UP: operators are told why.',
    resolve: (notice, _args, { principal, read }) =>
      isForOperators(notice, principal) ? withoutReason(notice.message) : readable(notice.message, read),
  }),
  reason: t.field({
    type: StateReasonType,
    nullable: true,
    description: 'Why, where the scheduler says so. NODE_DOWN, NODE_UP: for operators.',
    resolve: (notice, _args, { principal }) => (isForOperators(notice, principal) ? null : reasonOf(notice)),
  }),
  lease: t.field({
    type: Lease,
    nullable: true,
    description: 'The lease as it is now. Null for notices of nodes, and when it is no longer kept.',
    resolve: ({ leaseNumber }, _args, { read }) => (leaseNumber === null ? null : read.lease(leaseNumber)),
  }),
  node: t.field({
    type: ComputeNode,
    nullable: true,
    description: 'NODE_DOWN, NODE_UP: the node as it is now.',
    resolve: ({ nodeNumber }, _args, { read }) => (nodeNumber === null ? null : read.node(nodeNumber)),
  }),
  maintenance: t.field({
    type: Maintenance,
    nullable: true,
    description: 'MAINTENANCE_SOON: the maintenance as it is now.',
    resolve: ({ maintenance }, _args, { read }) => (maintenance === null ? null : read.maintenanceNamed(maintenance)),
  }),
  start: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'LEASE_MOVED, LEASE_LATE: the new start. MAINTENANCE_SOON: the first instant.',
    resolve: (notice) => factsOf(notice).start ?? null,
  }),
  previousStart: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'LEASE_MOVED, LEASE_LATE: the start that was planned before.',
    resolve: (notice) => factsOf(notice).previousStart ?? null,
  }),
  end: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'LEASE_ENDS_SOON: when the machines stop. MAINTENANCE_SOON: when it is over.',
    resolve: (notice) => factsOf(notice).end ?? null,
  }),
}));

export const NoticeFilterInput = builder.inputType('NoticeFilter', {
  description: 'Selects the notices that meet every given condition.',
  fields: (t) => ({
    kinds: t.field({ type: [NoticeKindEnum], description: 'Of one of these kinds.' }),
    leases: t.idList({ description: 'Of one of these leases.' }),
    project: t.id({ description: 'Of leases of this project.' }),
  }),
});

/** Converts the filter to database form. Throws INVALID_ID. */
export function noticeFilterOf(filter: typeof NoticeFilterInput.$inferInput | null | undefined): NoticeFilter {
  return {
    kinds: knownValues(filter?.kinds),
    leases: numbersOf('Lease', filter?.leases),
    project: typeof filter?.project === 'string' ? numberOf('Project', filter.project) : null,
  };
}

builder.queryField('notices', (t) =>
  t.connection(
    {
      type: Notice,
      nullable: true,
      description: 'Notices of nodes, and of leases that the principal may see, oldest first.',
      args: {
        filter: t.arg({ type: NoticeFilterInput, description: 'Conditions; without it, all notices.' }),
      },
      resolve: (_root, { filter, ...page }, { read }) => read.notices.pages(noticeFilterOf(filter), page),
    },
    NoticeConnection,
  ),
);
