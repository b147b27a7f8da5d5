/** Who belongs to a project. */
import { Prisma, type Token } from '../../store/prisma/client.ts';
import { type Batch, type Batches, grouped } from './batches.ts';
import { type Connection, connection, type Order, type PageArguments, pageSql, type Window } from './pages.ts';
import { and } from './sql.ts';

/** The holder of a token. */
export type MemberRow = Pick<Token, 'number' | 'name' | 'role' | 'projects'>;

const memberOrder: Order<MemberRow> = {
  name: 'members',
  columns: [{ sql: Prisma.sql`t.number`, kind: 'number', value: ({ number }) => number }],
};

/** Tokens expire by the wall clock, which the database has. */
const isValid = Prisma.sql`t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`;

const membersOfProjects: Batch<number, MemberRow[], Window> = async ({ prisma }, projects, window) => {
  const page = pageSql(memberOrder, window);
  const rows = await prisma.$queryRaw<(MemberRow & { readonly project: number })[]>`
    SELECT project, page.* FROM unnest(${[...projects]}::int[]) AS project CROSS JOIN LATERAL (
      SELECT t.number, t.name, t.role::text, t.projects FROM tokens t
      WHERE ${and([Prisma.sql`project = ANY (t.projects)`, isValid, ...page.conditions])}
      ${page.orderAndLimit}
    ) AS page`;
  return grouped(rows, ({ project }) => project);
};

const countMembersOfProjects: Batch<number, number> = async ({ prisma }, projects) => {
  const rows = await prisma.$queryRaw<{ project: number; count: number }[]>`
    SELECT project, count(*)::int AS count FROM unnest(${[...projects]}::int[]) AS project
    JOIN tokens t ON project = ANY (t.projects) WHERE ${isValid} GROUP BY project`;
  return new Map(rows.map(({ project, count }) => [project, count]));
};

/** Of a project already read, which is visible: whoever sees a project sees its members. */
export function pagesOfMembers(batches: Batches, project: number, page: PageArguments): Connection<MemberRow> {
  return connection(
    memberOrder,
    page,
    async (window) => (await batches.load(membersOfProjects, project, window)) ?? [],
    async () => (await batches.load(countMembersOfProjects, project)) ?? 0,
  );
}
