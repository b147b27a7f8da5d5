import { hasRole, type Identity, sightOf, type Visibility, webhooksOf } from '../../identity/index.ts';
import { Prisma, type PrismaClient } from '../../store/prisma/client.ts';

/** What a principal may see, as conditions. Every statement that reads leases, or what belongs to them, applies it. */
export interface View {
  /** Equal for principals that see the same. */
  readonly key: string;
  /** A condition on the table `leases` under the alias `l`; null when every lease may be seen. */
  readonly leases: Prisma.Sql | null;
  /** A condition on the table `recurrences` under the alias `c`; null when every recurrence may be seen. */
  readonly recurrences: Prisma.Sql | null;
  /** A condition on the table `projects` under the alias `p`; null when every project may be seen. */
  readonly projects: Prisma.Sql | null;
  /** A condition on the table `webhooks` under the alias `h`; null when every webhook may be seen. */
  readonly webhooks: Prisma.Sql | null;
  /** Whether tokens and audit records may be seen. */
  readonly administration: boolean;
}

/** Where statements are sent, and what they may return. */
export interface Source {
  readonly prisma: PrismaClient;
  readonly view: View;
}

/** Translates the rights of src/identity into conditions. */
export function viewOf(identity: Identity, visibility: Visibility): View {
  const sight = sightOf(identity, visibility);
  const own = Prisma.sql`p.number = ANY (${[...identity.projects]}::int[])`;
  const projects = hasRole(identity, 'OPERATOR') ? null : own;
  const administration = hasRole(identity, 'ADMIN');
  const ofOwnProjects = (table: Prisma.Sql): Prisma.Sql | null =>
    sight === 'all'
      ? null
      : Prisma.sql`(${table}.owner = ${sight.owner} OR ${table}.project_number = ANY (${[...sight.projects]}::int[]))`;
  const leases = ofOwnProjects(Prisma.sql`l`);
  const recurrences = ofOwnProjects(Prisma.sql`c`);
  const ofProjects = webhooksOf(identity);
  const key = JSON.stringify([
    sight,
    projects === null ? 'all' : identity.projects,
    ofProjects,
    administration,
  ]);
  const webhooks =
    ofProjects === 'all' ? null : Prisma.sql`h.project_number = ANY (${[...ofProjects]}::int[])`;
  return { key, leases, recurrences, projects, webhooks, administration };
}
