import type { Quota } from '../core/index.ts';
import type { PrismaClient, Project } from '../store/prisma/client.ts';
import type { RecordWithin } from './audit.ts';
import type { Keyed, Keys } from './keys.ts';
import { isUniqueViolation, NameTaken } from './tokens.ts';

/** Projects in the database. They are never deleted, since leases reference them. */
export class Projects {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly keys: Keys,
  ) {}

  /** Throws NameTaken. */
  async create(name: string, quotas: readonly Quota[], record?: RecordWithin): Promise<Project> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const made = await transaction.project.create({
          data: { name, quotas: quotas.map((quota) => ({ ...quota })) },
        });
        await record?.(transaction, made.number);
        return made;
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new NameTaken(name);
      throw error;
    }
  }

  /** Removes a new, unreferenced project together with its idempotency key. */
  async remove(number: number, key: Pick<Keyed, 'principal' | 'key'> | null): Promise<void> {
    await this.prisma.$transaction([
      this.prisma.project.deleteMany({ where: { number } }),
      ...(key === null ? [] : [this.keys.removal(key)]),
    ]);
  }

  /** Null when there is no such project. Throws NameTaken. */
  async rename(number: number, name: string, record?: RecordWithin): Promise<Project | null> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const [changed] = await transaction.project.updateManyAndReturn({
          where: { number },
          data: { name },
        });
        if (changed) await record?.(transaction, number);
        return changed ?? null;
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new NameTaken(name);
      throw error;
    }
  }

  /** The numbers without a project. */
  async unknown(numbers: readonly number[]): Promise<readonly number[]> {
    if (numbers.length === 0) return [];
    const found = await this.prisma.project.findMany({
      where: { number: { in: [...numbers] } },
      select: { number: true },
    });
    const known = new Set(found.map(({ number }) => number));
    return numbers.filter((number) => !known.has(number));
  }

  /** The numbers of projects by name, for claims of OpenID Connect. Unknown names are left out. */
  async numbersOf(names: readonly string[]): Promise<readonly number[]> {
    if (names.length === 0) return [];
    const found = await this.prisma.project.findMany({
      where: { name: { in: [...names] } },
      select: { number: true },
      orderBy: { number: 'asc' },
    });
    return found.map(({ number }) => number);
  }
}
