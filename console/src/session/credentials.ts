import { ApiError } from '../api/client.ts';
import { type BearerToken, renewToken } from './issuer.ts';

const storageKey = 'leasegraph.credentials';
/** A token is renewed when it is valid for less than this. */
const renewBeforeMs = 30_000;

/**
 * The bearer token of the session. A token of an OpenID Connect issuer is renewed before it expires, as long as the
 * issuer allows.
 */
export class Credentials {
  private renewal: Promise<BearerToken> | null = null;

  private constructor(
    private held: BearerToken,
    private storage: Storage | null,
  ) {}

  /** Stored only when `keep` is called. */
  static of(held: BearerToken): Credentials {
    return new Credentials(held, null);
  }

  /** Credentials stored by an earlier visit in this tab or browser; null if there are none. */
  static stored(): Credentials | null {
    for (const storage of [sessionStorage, localStorage]) {
      const held = read(storage);
      if (held) return new Credentials(held, storage);
    }
    return null;
  }

  /** Whether an OpenID Connect issuer has issued them: tokens of the site do not expire here, and are not renewed. */
  get isOfIssuer(): boolean {
    return this.held.expiresAt !== null;
  }

  /** Keeps them for the tab, or in the browser if asked. */
  keep(remember: boolean): void {
    forgetCredentials();
    this.storage = remember ? localStorage : sessionStorage;
    this.write();
  }

  /** A token that is valid now. Throws ApiError when it has expired and cannot be renewed. */
  async token(): Promise<string> {
    if (!this.needsRenewal()) return this.held.token;
    // Another tab may have renewed it. A refresh token can be used only once with many issuers.
    const stored = this.storage && read(this.storage);
    if (stored) this.held = stored;
    if (!this.needsRenewal() || this.held.refreshToken === null) return this.held.token;
    this.renewal ??= renewToken(this.held.refreshToken).finally(() => {
      this.renewal = null;
    });
    try {
      this.held = await this.renewal;
    } catch (error) {
      if (error instanceof ApiError && error.retryable) throw error;
      throw new ApiError('UNAUTHENTICATED', 'Your session has expired. Sign in again.');
    }
    this.write();
    return this.held.token;
  }

  private needsRenewal(): boolean {
    return this.held.expiresAt !== null && this.held.expiresAt - Date.now() < renewBeforeMs;
  }

  private write(): void {
    this.storage?.setItem(storageKey, JSON.stringify(this.held));
  }
}

export function forgetCredentials(): void {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(storageKey);
}

function read(storage: Storage): BearerToken | null {
  const text = storage.getItem(storageKey);
  return text === null ? null : (JSON.parse(text) as BearerToken);
}
