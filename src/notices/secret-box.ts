/** Secrets of webhooks in the database: encrypted where the server has a key. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { PrismaClient } from '../store/prisma/client.ts';

/** What encrypted secrets begin with. Secrets themselves have no blanks. */
const prefix = 'aes-256-gcm ';
const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

/** The key of the server does not open a secret. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
  readonly code = 'SECRETS_KEY_WRONG';
}

export class SecretBox {
  /** `key`: 32 bytes; null: secrets are kept as they are. */
  constructor(private readonly key: Uint8Array | null) {}

  /** What is stored of a secret. */
  seal(secret: string): string {
    if (this.key === null) return secret;
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv(algorithm, this.key, iv, { authTagLength: tagLength });
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return prefix + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** The secret of which this is stored. Throws SecretKeyError. */
  open(stored: string): string {
    if (!isSealed(stored)) return stored;
    if (this.key === null) {
      throw new SecretKeyError(
        'The secrets of webhooks are encrypted: set LEASEGRAPH_SECRETS_KEY or LEASEGRAPH_SECRETS_KEY_FILE.',
      );
    }
    const bytes = Buffer.from(stored.slice(prefix.length), 'base64url');
    try {
      const iv = bytes.subarray(0, ivLength);
      const decipher = createDecipheriv(algorithm, this.key, iv, { authTagLength: tagLength });
      decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
      return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new SecretKeyError(
        'LEASEGRAPH_SECRETS_KEY is not the key with which the secrets of webhooks were encrypted.',
        { cause: error },
      );
    }
  }

  /** Checks the key with the secrets that are stored, and encrypts those that are not yet. Throws SecretKeyError. */
  async encryptStored(prisma: PrismaClient): Promise<void> {
    const webhooks = await prisma.webhook.findMany({ select: { number: true, secret: true } });
    for (const { secret } of webhooks) this.open(secret);
    if (this.key === null) return;
    for (const { number, secret } of webhooks) {
      if (isSealed(secret)) continue;
      await prisma.webhook.updateMany({ where: { number, secret }, data: { secret: this.seal(secret) } });
    }
  }
}

function isSealed(stored: string): boolean {
  return stored.startsWith(prefix);
}
