import { hasRole, type Identity, sightOf, type Visibility, webhooksOf } from '../../identity/index.ts';
import { Prisma, type PrismaClient } from '../../store/prisma/client.ts';

/** Visibility of a principal, as SQL conditions. Every statement that reads leases or their data applies them. */
export interface View {
  /** Equal for principals with equal visibility. */
  readonly key: string;
  /** Condition on `leases l`; null if all leases are visible. */
  readonly leases: Prisma.Sql | null;
  /** Condition on `recurrences c`; null if all recurrences are visible. */
  readonly recurrences: Prisma.Sql | null;
  /** Condition on `projects p`; null if all projects are visible. */
  readonly projects: Prisma.Sql | null;
  /** Condition on `webhooks h`; null if all webhooks are visible. */
  readonly webhooks: Prisma.Sql | null;
  /** Whether tokens and audit records are visible. */
  readonly administration: boolean;
}

/** The database and the visibility of its results. */
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
  const key = JSON.stringify([sight, projects === null ? 'all' : identity.projects, ofProjects, administration]);
  const webhooks = ofProjects === 'all' ? null : Prisma.sql`h.project_number = ANY (${[...ofProjects]}::int[])`;
  return { key, leases, recurrences, projects, webhooks, administration };
}
