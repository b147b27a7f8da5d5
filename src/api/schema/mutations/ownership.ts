import { hasRole, mayChange, mayUseProject } from '../../../identity/index.ts';
import type { ApiContext } from '../../context.ts';
import { numberAt, refuse } from './payload.ts';

/** Throws Refused: LEASE_NOT_FOUND for an invisible lease, FORBIDDEN for one that the principal may not change. */
export async function assertMayChange(
  { principal, read }: ApiContext,
  leaseNumber: number,
  ...path: readonly string[]
): Promise<void> {
  // The engine checks whether the lease exists.
  if (hasRole(principal, 'OPERATOR')) return;
  const lease = await read.lease(leaseNumber);
  if (lease === undefined) return refuse('LEASE_NOT_FOUND', `Lease ${leaseNumber} does not exist.`, ...path);
  if (!mayChange(principal, { owner: lease.owner, project: lease.projectNumber })) {
    refuse('FORBIDDEN', `Lease ${leaseNumber} belongs to another project.`, ...path);
  }
}

/**
 * The project of a request: the one it names, or the only one of the principal; null for a principal without projects.
 * Throws Refused.
 */
export async function projectOfRequest(
  { principal, read }: ApiContext,
  id: string | null | undefined,
  ...path: readonly string[]
): Promise<number | null> {
  if (typeof id !== 'string') {
    if (principal.projects.length > 1) {
      refuse(
        'PROJECT_REQUIRED',
        `The principal is a member of ${principal.projects.length} projects. Name one of them.`,
        ...path,
      );
    }
    return principal.projects[0] ?? null;
  }
  const number = numberAt('Project', id, ...path);
  if (!mayUseProject(principal, number) || (await read.project(number)) === undefined) {
    refuse('PROJECT_NOT_FOUND', `Project ${number} does not exist, or the principal is not a member.`, ...path);
  }
  return number;
}
