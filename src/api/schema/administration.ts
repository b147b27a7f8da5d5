/** Projects, tokens and the audit log. */
import type { AuditEntry as AuditEntryRow } from '../../store/prisma/client.ts';
import { checkComparable } from '../errors.ts';
import { intervalOf } from '../read/interval.ts';
import { builder } from './builder.ts';
import { IntervalInput } from './intervals.ts';
import { Project, ProjectConnection, RoleEnum, Token, TokenConnection, totalCount } from './refs.ts';

builder.objectFields(Project, (t) => ({
  name: t.exposeString('name', { description: 'Its unique name.' }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
}));

builder.objectFields(Token, (t) => ({
  name: t.exposeString('name', { description: 'The unique name of the principal that it stands for.' }),
  prefix: t.exposeString('prefix', {
    description: 'The first characters of its secret, by which people recognize it.',
  }),
  role: t.expose('role', { type: RoleEnum, description: 'What its holder may do.' }),
  projects: t.field({
    type: [Project],
    description: 'The projects of which its holder is a member.',
    resolve: ({ projects }, _args, { read }) => read.projectsOf(projects),
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  lastUsedAt: t.expose('lastUsedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was last used, to the minute.',
  }),
  expiresAt: t.expose('expiresAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it expires. Null: never.',
  }),
  revokedAt: t.expose('revokedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was revoked.',
  }),
}));

const AuditEntry = builder.objectRef<AuditEntryRow>('AuditEntry').implement({
  description: 'A record of one mutation.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it ended, by the wall clock.' }),
    principal: t.exposeString('principal', { description: 'The name of the principal that sent it.' }),
    role: t.expose('role', { type: RoleEnum, description: 'The role of the principal then.' }),
    mutation: t.exposeString('mutation', { description: 'The mutation, such as requestLease.' }),
    subject: t.exposeString('subject', {
      nullable: true,
      description: 'The global id of what it changed, or was to change.',
    }),
    outcome: t.exposeString('outcome', { description: 'OK, DRY_RUN, or the code of the first error.' }),
    requestId: t.exposeString('requestId', { description: 'Names the request in the log.' }),
  }),
});

const AuditEntryConnection = builder.connectionObject(
  {
    type: AuditEntry,
    name: 'AuditEntryConnection',
    description: 'A page of audit records.',
    fields: totalCount,
  },
  { name: 'AuditEntryEdge', description: 'An audit record and its position in the list.' },
);

const AuditFilterInput = builder.inputType('AuditFilter', {
  description: 'Selects the audit records that meet every given condition.',
  fields: (t) => ({
    principals: t.stringList({ description: 'Of one of these principals, by name.' }),
    mutations: t.stringList({ description: 'Of one of these mutations.' }),
    outcomes: t.stringList({ description: 'With one of these outcomes.' }),
    subjects: t.idList({ description: 'Of one of these objects.' }),
    at: t.field({ type: IntervalInput, description: 'Within this interval.' }),
  }),
});

builder.queryFields((t) => ({
  projects: t.connection(
    {
      type: Project,
      description: 'The projects of which the principal is a member; all for operators.',
      resolve: (_root, page, { read }) => read.projects(page),
    },
    ProjectConnection,
  ),
  tokens: t.connection(
    {
      type: Token,
      description: 'All tokens, revoked ones included. For administrators.',
      resolve: (_root, page, { read }) => read.identity.tokens(page),
    },
    TokenConnection,
  ),
  auditLog: t.connection(
    {
      type: AuditEntry,
      description: 'Records of mutations, oldest first. For administrators.',
      args: {
        filter: t.arg({ type: AuditFilterInput, description: 'Conditions; without it, all records.' }),
      },
      resolve: (_root, { filter, ...page }, { read }) => {
        if (filter?.at) intervalOf(filter.at.start, filter.at.end);
        for (const field of ['principals', 'mutations', 'outcomes', 'subjects'] as const) {
          checkComparable(`filter.${field}`, ...(filter?.[field] ?? []));
        }
        return read.identity.auditLog(filter ?? {}, page);
      },
    },
    AuditEntryConnection,
  ),
}));
