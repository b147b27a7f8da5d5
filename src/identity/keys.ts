import { createHash } from 'node:crypto';
import type { Prisma, PrismaClient } from '../store/prisma/client.ts';

/** A request under an idempotency key. Keys belong to their principal. */
export interface Keyed {
  readonly principal: string;
  readonly key: string;
  /** The request in canonical form; equal for a repeated request. */
  readonly request: unknown;
}

/** `number`: of the object created under the key. */
export type Known = { readonly number: number } | 'used for another request' | null;

/**
 * Idempotency keys of objects created outside the engine. They share the engine's table under separate principals, so
 * that writes of the API never conflict with a commit.
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

  /** Runs in the creating transaction. Rethrows its errors, including the one for a key that was taken meanwhile. */
  async within(
    transaction: Prisma.TransactionClient,
    { principal, key, request }: Keyed,
    number: number,
  ): Promise<void> {
    await transaction.idempotencyKey.create({
      data: { principal: ownerOf(principal), key, inputHash: hashOf(request), leaseNumber: number },
    });
  }

  /** Runs with the removal of the created object. */
  removal({ principal, key }: Pick<Keyed, 'principal' | 'key'>) {
    return this.prisma.idempotencyKey.deleteMany({ where: { principal: ownerOf(principal), key } });
  }
}

/** No principal name begins so: token names contain no colon, and OpenID Connect names begin with `oidc:`. */
function ownerOf(principal: string): string {
  return `api:${principal}`;
}

/** GraphQL gives the fields of an input in the order of the schema. */
function hashOf(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
