/** Projects, tokens and audit records. */
import type { Instant } from '../../core/index.ts';
import { type AuditEntry, Prisma, type Project, type Token } from '../../store/prisma/client.ts';
import type { Batch } from './batches.ts';
import type { Interval } from './interval.ts';
import { type Order, pageSql, type Window } from './pages.ts';
import { and, within } from './sql.ts';
import type { Source } from './view.ts';

/** A token without the hash of its secret. */
export type TokenRow = Omit<Token, 'hash'>;

export const projectOrder: Order<Project> = {
  name: 'projects',
  columns: [{ sql: Prisma.sql`p.number`, kind: 'number', value: ({ number }) => number }],
};

const projectColumns = Prisma.sql`p.number, p.name, p.quotas, p.quota_usage AS "quotaUsage", p.created_at AS "createdAt"`;

export function readProjects({ prisma, view }: Source, window: Window): Promise<Project[]> {
  const page = pageSql(projectOrder, window);
  return prisma.$queryRaw`
    SELECT ${projectColumns} FROM projects p
    WHERE ${and([view.projects, ...page.conditions])} ${page.orderAndLimit}`;
}

export async function countProjects({ prisma, view }: Source): Promise<number> {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM projects p WHERE ${and([view.projects])}`;
  return row?.count ?? 0;
}

export const projectsByNumber: Batch<number, Project> = async ({ prisma, view }, numbers) => {
  const rows = await prisma.$queryRaw<Project[]>`
    SELECT ${projectColumns} FROM projects p
    WHERE ${and([Prisma.sql`p.number = ANY (${[...numbers]}::int[])`, view.projects])}`;
  return new Map(rows.map((row) => [row.number, row]));
};

export const tokenOrder: Order<TokenRow> = {
  name: 'tokens',
  columns: [{ sql: Prisma.sql`t.number`, kind: 'number', value: ({ number }) => number }],
};

const tokenColumns = Prisma.sql`t.number, t.name, t.prefix, t.role::text, t.projects, t.created_at AS "createdAt",
  t.last_used_at AS "lastUsedAt", t.expires_at AS "expiresAt", t.revoked_at AS "revokedAt"`;

function tokenConditions({ view }: Source) {
  return view.administration ? null : Prisma.sql`FALSE`;
}

export function readTokens(source: Source, window: Window): Promise<TokenRow[]> {
  const page = pageSql(tokenOrder, window);
  return source.prisma.$queryRaw`
    SELECT ${tokenColumns} FROM tokens t
    WHERE ${and([tokenConditions(source), ...page.conditions])} ${page.orderAndLimit}`;
}

export async function countTokens(source: Source): Promise<number> {
  return source.view.administration ? source.prisma.token.count() : 0;
}

export const tokensByNumber: Batch<number, TokenRow> = async (source, numbers) => {
  const rows = await source.prisma.$queryRaw<TokenRow[]>`
    SELECT ${tokenColumns} FROM tokens t
    WHERE ${and([Prisma.sql`t.number = ANY (${[...numbers]}::int[])`, tokenConditions(source)])}`;
  return new Map(rows.map((row) => [row.number, row]));
};

/** Roles and projects of the owners' tokens, for leases already read. */
export const ownersByName: Batch<string, Pick<Token, 'name' | 'role' | 'projects'>> = async ({ prisma }, names) => {
  const rows = await prisma.token.findMany({
    where: { name: { in: [...names] } },
    select: { name: true, role: true, projects: true },
  });
  return new Map(rows.map((row) => [row.name, row]));
};

export interface AuditFilter {
  readonly principals?: readonly string[] | null | undefined;
  readonly mutations?: readonly string[] | null | undefined;
  readonly outcomes?: readonly string[] | null | undefined;
  readonly subjects?: readonly string[] | null | undefined;
  readonly at?: { readonly start: Instant; readonly end: Instant } | null | undefined;
}

export const auditOrder: Order<AuditEntry> = {
  name: 'audit',
  columns: [{ sql: Prisma.sql`a.number`, kind: 'number', value: ({ number }) => Number(number) }],
};

function auditConditions({ view }: Source, filter: AuditFilter) {
  const interval: Interval = { from: filter.at?.start ?? null, to: filter.at?.end ?? null };
  const oneOf = (column: Prisma.Sql, values: readonly string[] | null | undefined) =>
    values && Prisma.sql`${column} = ANY (${[...values]}::text[])`;
  return [
    view.administration ? null : Prisma.sql`FALSE`,
    oneOf(Prisma.sql`a.principal`, filter.principals),
    oneOf(Prisma.sql`a.mutation`, filter.mutations),
    oneOf(Prisma.sql`a.outcome`, filter.outcomes),
    oneOf(Prisma.sql`a.subject`, filter.subjects),
    ...within(interval, Prisma.sql`a.at`),
  ];
}

export function readAudit(source: Source, filter: AuditFilter, window: Window): Promise<AuditEntry[]> {
  const page = pageSql(auditOrder, window);
  return source.prisma.$queryRaw`
    SELECT a.number, a.at, a.principal, a.role::text, a.mutation, a.subject, a.outcome, a.request_id AS "requestId"
    FROM audit_entries a
    WHERE ${and([...auditConditions(source, filter), ...page.conditions])} ${page.orderAndLimit}`;
}

export async function countAudit(source: Source, filter: AuditFilter): Promise<number> {
  const [row] = await source.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM audit_entries a WHERE ${and(auditConditions(source, filter))}`;
  return row?.count ?? 0;
}
