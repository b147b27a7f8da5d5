import type { PrismaClient } from '../store/prisma/client.ts';
import { clientError } from './client-error.ts';
import { mostMachines } from './lease/validation.ts';
import type { Batch, Loaders } from './loaders.ts';

/** Machines, targets of reservations and the like that one response may have: five leases of any size, or thousands of usual ones. */
export const mostMembers = 5 * mostMachines;

const taken = new WeakMap<Loaders, number>();

/**
 * Lists without pages have as many members as a request asked for: what that costs is known only now. Throws OPERATION_TOO_LARGE when
 * a response gets more than the server can make without letting others wait.
 */
export function take(loaders: Loaders, members: number): void {
  const total = (taken.get(loaders) ?? 0) + members;
  taken.set(loaders, total);
  if (total > mostMembers) throw tooLarge(total);
}

const tooLarge = (members: number) =>
  clientError(
    'OPERATION_TOO_LARGE',
    `${members} machines, or nodes of reservations, are asked for; at most ${mostMembers} are given at once. Ask for smaller pages.`,
  );

/** How many machines leases have, before these are read. Empty for so few leases that it does not matter. */
export const countMachines: Batch<number, number, 'of one response'> = async (
  prisma: PrismaClient,
  leases,
) => {
  if (leases.length * mostMachines <= mostMembers) return new Map();
  // Indexes count from 1 without gaps, so the last one says how many there are.
  const counts = await prisma.$queryRaw<{ lease: number; machines: number }[]>`
    SELECT lease, (SELECT max(index) FROM lease_machines WHERE lease_number = lease) AS machines
    FROM unnest(${[...leases]}::int[]) AS lease`;
  const total = counts.reduce((sum, { machines }) => sum + (machines ?? 0), 0);
  if (total > mostMembers) throw tooLarge(total);
  return new Map(counts.map(({ lease, machines }) => [lease, machines]));
};
