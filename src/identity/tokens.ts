import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Prisma, type PrismaClient, type Token } from '../store/prisma/client.ts';
import type { RecordWithin } from './audit.ts';
import type { Identity, Role } from './identity.ts';

/** Cache time of tokens in milliseconds. A token revoked by another server stays valid this much longer. */
const trustFor = 2_000;
/** Minimum interval in milliseconds between updates of a token's last use. */
const recordUseEvery = 60_000;
const maxCached = 10_000;
const secretPattern = /^lg_[A-Za-z0-9_-]{43}$/;
const prefixLength = 9;

export class NameTaken extends Error {
  override readonly name = 'NameTaken';
}

interface Cached {
  readonly token: Token | null;
  readonly readAt: number;
}

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly projects: readonly number[];
  readonly expiresAt: Date | null;
}

/** What is not given stays as it is. */
export interface TokenChanges {
  readonly role?: Role | undefined;
  /** All its projects from now on; otherwise those that it has, with some more and without others. */
  readonly projects?: readonly number[] | undefined;
  readonly addProjects?: readonly number[] | undefined;
  readonly removeProjects?: readonly number[] | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** Tokens in the database. Secrets are never stored: a token is found by the SHA-256 hash of its secret. */
export class Tokens {
  /** Called when a token was changed or revoked here. */
  onChange: () => void = () => {};
  private readonly cache = new Map<string, Cached>();

  constructor(
    private readonly prisma: PrismaClient,
    private readonly clock: () => number = Date.now,
  ) {}

  /** The result is the only place with the secret. Throws NameTaken. */
  async create(
    { projects, ...token }: NewToken,
    record?: RecordWithin,
  ): Promise<{ readonly token: Token; readonly secret: string }> {
    const secret = `lg_${randomBytes(32).toString('base64url')}`;
    const hash = hashOf(secret);
    try {
      const data = { ...token, projects: [...projects], prefix: secret.slice(0, prefixLength), hash };
      const created = await this.prisma.$transaction(async (transaction) => {
        const made = await transaction.token.create({ data });
        await record?.(transaction, made.number);
        return made;
      });
      this.cache.delete(hash);
      return { token: created, secret };
    } catch (error) {
      if (isUniqueViolation(error)) throw new NameTaken(token.name);
      throw error;
    }
  }

  /** Null when there is no such token. Revoking twice changes nothing. */
  async revoke(number: number, record?: RecordWithin): Promise<Token | null> {
    const found = await this.prisma.token.findUnique({ where: { number } });
    if (found === null) return null;
    const revokedAt = found.revokedAt ?? new Date(this.clock());
    const revoked = await this.prisma.$transaction(async (transaction) => {
      await record?.(transaction, number);
      return transaction.token.update({ where: { number }, data: { revokedAt } });
    });
    this.cache.delete(found.hash);
    this.onChange();
    return revoked;
  }

  /** Null when there is no such token; 'revoked' when it has been revoked, and has not changed. */
  async update(number: number, changes: TokenChanges, record?: RecordWithin): Promise<Token | 'revoked' | null> {
    const { role, addProjects = [], removeProjects = [], expiresAt } = changes;
    const updated = await this.prisma.$transaction(async (transaction) => {
      // Locked, so that changes of its projects that are made side by side are all kept.
      await transaction.$queryRaw`SELECT number FROM tokens WHERE number = ${number} FOR UPDATE`;
      const found = await transaction.token.findUnique({ where: { number } });
      if (found === null) return null;
      if (found.revokedAt !== null) return 'revoked';
      const projects = [...new Set([...(changes.projects ?? found.projects), ...addProjects])].filter(
        (project) => !removeProjects.includes(project),
      );
      await record?.(transaction, number);
      return transaction.token.update({
        where: { number },
        data: { projects, ...(role && { role }), ...(expiresAt !== undefined && { expiresAt }) },
      });
    });
    if (updated === null || updated === 'revoked') return updated;
    this.cache.delete(updated.hash);
    this.onChange();
    return updated;
  }

  /** The identity of a secret; null if unknown, revoked or expired. */
  async identify(secret: string): Promise<Identity | null> {
    if (!secretPattern.test(secret)) return null;
    const hash = hashOf(secret);
    const now = this.clock();
    let cached = this.cache.get(hash);
    if (cached === undefined || now - cached.readAt >= trustFor) {
      cached = { token: await this.prisma.token.findUnique({ where: { hash } }), readAt: now };
      this.remember(hash, cached);
    }
    const { token } = cached;
    if (token === null || !isValid(token, now)) return null;
    this.recordUse(token, now);
    return {
      name: token.name,
      role: token.role,
      projects: token.projects,
      expiresAt: token.expiresAt?.getTime() ?? null,
      token: token.number,
    };
  }

  /** What their holders may do, of those of the tokens that are valid. */
  async valid(numbers: readonly number[]): Promise<ReadonlyMap<number, Pick<Identity, 'role' | 'projects'>>> {
    const found = await this.prisma.token.findMany({ where: { number: { in: [...numbers] } } });
    const now = this.clock();
    return new Map(found.filter((token) => isValid(token, now)).map((token) => [token.number, token]));
  }

  private remember(hash: string, cached: Cached): void {
    const [oldest] = this.cache.keys();
    if (oldest !== undefined && this.cache.size >= maxCached) this.cache.delete(oldest);
    this.cache.set(hash, cached);
  }

  /** Best effort: a use that cannot be recorded does not fail the request. */
  private recordUse(token: Token, now: number): void {
    if (now - (token.lastUsedAt?.getTime() ?? 0) < recordUseEvery) return;
    token.lastUsedAt = new Date(now);
    this.prisma.token
      .updateMany({ where: { number: token.number }, data: { lastUsedAt: token.lastUsedAt } })
      .catch(() => {});
  }
}

function isValid({ revokedAt, expiresAt }: Token, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > now);
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Constant-time comparison. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(hashOf(expected)));
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
