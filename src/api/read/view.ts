import type { Principal } from '../../engine/ports.ts';
import type { Prisma, PrismaClient } from '../../store/prisma/client.ts';

/** What a principal may see. Every statement that reads leases, or what belongs to them, applies it. */
export interface View {
  /** Equal for principals that see the same. */
  readonly key: string;
  /** A condition on the table `leases` under the alias `l`; null when every lease may be seen. */
  readonly leases: Prisma.Sql | null;
}

/** Where statements are sent, and what they may return. */
export interface Source {
  readonly prisma: PrismaClient;
  readonly view: View;
}

const everything: View = { key: 'everything', leases: null };

export function viewOf(_principal: Principal): View {
  return everything;
}
