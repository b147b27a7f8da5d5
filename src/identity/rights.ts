/**
 * The rights matrix: which role may call which root field, and which leases a caller may see and change. It is the only
 * place that decides this. docs/api.md prints the matrix; one test compares both, and another walks the schema for
 * missing fields.
 */
import { hasRole, type Identity, type Role, type Visibility } from './identity.ts';

/** The minimum role for a root field. */
export const requiredRole: Readonly<Record<string, Role>> = {
  'Query.node': 'VIEWER',
  'Query.objects': 'VIEWER',
  'Query.lease': 'VIEWER',
  'Query.leases': 'VIEWER',
  'Query.queue': 'VIEWER',
  'Query.nodes': 'VIEWER',
  'Query.reservations': 'VIEWER',
  'Query.schedule': 'VIEWER',
  'Query.events': 'VIEWER',
  'Query.notices': 'VIEWER',
  'Query.webhooks': 'USER',
  'Query.utilization': 'VIEWER',
  'Query.availability': 'VIEWER',
  'Query.accounting': 'VIEWER',
  'Query.maintenance': 'VIEWER',
  'Query.recurrence': 'VIEWER',
  'Query.recurrences': 'VIEWER',
  'Query.site': 'VIEWER',
  'Query.scheduler': 'VIEWER',
  'Query.serverTime': 'VIEWER',
  'Query.viewer': 'VIEWER',
  'Query.projects': 'VIEWER',
  'Query.tokens': 'ADMIN',
  'Query.auditLog': 'ADMIN',
  'Mutation.requestLease': 'USER',
  'Mutation.updateLease': 'USER',
  'Mutation.endLease': 'USER',
  'Mutation.cancelLease': 'USER',
  'Mutation.discardLease': 'OPERATOR',
  'Mutation.createWebhook': 'USER',
  'Mutation.updateWebhook': 'USER',
  'Mutation.deleteWebhook': 'USER',
  'Mutation.testWebhook': 'USER',
  'Mutation.recoverAction': 'OPERATOR',
  'Mutation.addNodes': 'ADMIN',
  'Mutation.updateNode': 'ADMIN',
  'Mutation.removeNode': 'ADMIN',
  'Mutation.setNodeState': 'OPERATOR',
  'Mutation.planMaintenance': 'OPERATOR',
  'Mutation.endMaintenance': 'OPERATOR',
  'Mutation.createRecurrence': 'USER',
  'Mutation.updateRecurrence': 'USER',
  'Mutation.cancelRecurrence': 'USER',
  'Mutation.createProject': 'ADMIN',
  'Mutation.updateProject': 'ADMIN',
  'Mutation.createToken': 'ADMIN',
  'Mutation.updateToken': 'ADMIN',
  'Mutation.revokeToken': 'ADMIN',
  'Subscription.leaseEvents': 'VIEWER',
  'Subscription.leaseChanged': 'VIEWER',
  'Subscription.nodeChanged': 'VIEWER',
  'Subscription.queueChanged': 'VIEWER',
  'Subscription.notices': 'VIEWER',
};

/** Paths besides GraphQL; of /readyz, the details. */
export const requiredRoleOfPath = { '/metrics': 'OPERATOR', '/readyz': 'OPERATOR' } as const;

/** Also false for a field that is not in the matrix. */
export function mayCall(identity: Identity, field: string): boolean {
  const required = requiredRole[field];
  return required !== undefined && hasRole(identity, required);
}

/** Leases visible to a caller: all, or those of an owner and of projects. */
export type Sight = 'all' | { readonly owner: string; readonly projects: readonly number[] };

export function sightOf(identity: Identity, visibility: Visibility): Sight {
  return visibility === 'all' || hasRole(identity, 'OPERATOR') ? 'all' : ownSight(identity);
}

function ownSight({ name, projects }: Identity): Exclude<Sight, 'all'> {
  return { owner: name, projects };
}

/** An owned object: a lease or a request for one. */
export interface Owned {
  readonly owner: string | null;
  readonly project: number | null;
}

/** Whether a caller may change a lease. */
export function mayChange(identity: Identity, { owner, project }: Owned): boolean {
  return (
    hasRole(identity, 'OPERATOR') ||
    owner === identity.name ||
    (project !== null && identity.projects.includes(project))
  );
}

/** Whether a caller may request leases for a project. */
export function mayUseProject(identity: Identity, project: number): boolean {
  return hasRole(identity, 'OPERATOR') || identity.projects.includes(project);
}

/** Webhooks that a caller may see and change: all, or those of projects. */
export function webhooksOf(identity: Identity): 'all' | readonly number[] {
  if (hasRole(identity, 'OPERATOR')) return 'all';
  return hasRole(identity, 'USER') ? identity.projects : [];
}
