import type { Instant } from '../core/index.ts';
import type { Principal } from '../engine/ports.ts';

/** Each role includes the rights of the previous ones. */
export const roles = ['VIEWER', 'USER', 'OPERATOR', 'ADMIN'] as const;
export type Role = (typeof roles)[number];

/** An authenticated caller. */
export interface Identity extends Principal {
  readonly role: Role;
  /** Numbers of the projects of which the caller is a member. */
  readonly projects: readonly number[];
  /** Wall-clock instant at which the credentials expire; null for never. */
  readonly expiresAt: Instant | null;
  /** The number of the token in the database; null for the administrator's token and for OpenID Connect. */
  readonly token: number | null;
}

export function hasRole({ role }: Pick<Identity, 'role'>, required: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(required);
}

/** What users may see of others' leases: busy intervals of nodes, or everything. */
export type Visibility = 'projects' | 'all';
