import { createHash } from 'node:crypto';
import type { Prisma, PrismaClient } from '../store/prisma/client.ts';

/** A request under an idempotency key. Keys belong to their principal. */
export interface Keyed {
  readonly principal: string;
  readonly key: string;
  /** What is asked for: equal for a repetition. */
  readonly request: unknown;
}

/** `number`: of what was made under the key. */
export type Known = { readonly number: number } | 'used for another request' | null;

/**
 * Idempotency keys of what the engine does not make. They share the table with those of the engine, under principals of
 * their own: what the API writes must not get in the way of a commit.
 */
export class Keys {
  constructor(private readonly prisma: PrismaClient) {}

  async find({ principal, key, request }: Keyed): Promise<Known> {
    const found = await this.prisma.idempotencyKey.findUnique({
      where: { principal_key: { principal: ownerOf(principal), key } },
    });
    if (found === null) return null;
    return found.inputHash === hashOf(request) ? { number: found.leaseNumber } : 'used for another request';
  }

  /** In the transaction of what is made. Throws what the transaction throws, also for a key that is in use by now. */
  async within(
    transaction: Prisma.TransactionClient,
    { principal, key, request }: Keyed,
    number: number,
  ): Promise<void> {
    await transaction.idempotencyKey.create({
      data: { principal: ownerOf(principal), key, inputHash: hashOf(request), leaseNumber: number },
    });
  }

  /** To be carried out with the removal of what was made. */
  removal({ principal, key }: Pick<Keyed, 'principal' | 'key'>) {
    return this.prisma.idempotencyKey.deleteMany({ where: { principal: ownerOf(principal), key } });
  }
}

/** No name of a principal begins so: names of tokens have no colon, and those of OpenID Connect begin with `oidc:`. */
function ownerOf(principal: string): string {
  return `api:${principal}`;
}

/** GraphQL gives the fields of an input in the order of the schema. */
function hashOf(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
