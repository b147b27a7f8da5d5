import type { Instant, Quota, Scheduler } from '../core/index.ts';
import type { TraceLease, UserQuota } from './workload.ts';

/**
 * Gives users of a trace their quotas, each as a project of its own, and says which project is whose. Leases without a
 * user belong to no project. Throws INVALID_REQUEST.
 */
export function quotasOfUsers(
  scheduler: Scheduler,
  start: Instant,
  leases: readonly TraceLease[],
  quotas: readonly UserQuota[],
): ReadonlyMap<string, number> {
  const projects = new Map<string, number>();
  if (quotas.length === 0) return projects;
  const users = new Set(leases.flatMap(({ user }) => user ?? []));
  for (const user of users) {
    const own = quotas.filter((quota) => quota.user === user);
    const general = quotas.filter((quota) => quota.user === '*' && !own.some(({ type }) => type === quota.type));
    const limits = [...own, ...general].map(({ user: _, ...quota }): Quota => quota);
    if (limits.length === 0) continue;
    const project = projects.size + 1;
    projects.set(user, project);
    scheduler.setQuotas(start, project, limits);
  }
  return projects;
}
