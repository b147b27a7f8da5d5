import { createHash, randomBytes } from 'node:crypto';
import { discoverIssuer, type IssuerMetadata } from './discovery.ts';

/** Sign-in to the web console at an OpenID Connect issuer. */
export interface BrowserSignInOptions {
  readonly issuer: string;
  /** A public client of the issuer, without a secret. */
  readonly clientId: string;
  readonly scope: string;
  /** The resource indicator (RFC 8707) that some issuers require to issue JSON Web Tokens; null if none. */
  readonly resource: string | null;
}

/** The URL for the browser, and what it keeps until it returns. */
export interface Authorization {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

export interface IssuedTokens {
  /** Candidates for the bearer token: the access token, then the ID token. */
  readonly candidates: readonly string[];
  readonly refreshToken: string | null;
}

/** The issuer refused (REFUSED) or cannot be reached (UNAVAILABLE). The message is for people. */
export class BrowserSignInError extends Error {
  override readonly name = 'BrowserSignInError';

  constructor(
    readonly code: 'REFUSED' | 'UNAVAILABLE',
    message: string,
  ) {
    super(message);
  }
}

const requestTimeout = 10_000;

/**
 * The authorization code flow with PKCE (RFC 7636). The server redeems the code, so that the console connects to no
 * other host and the issuer needs no CORS rules. The server keeps no state between the calls.
 */
export class BrowserSignIn {
  private metadata: IssuerMetadata | null = null;

  /** `onFailure` receives the reason for an unreachable issuer. */
  constructor(
    private readonly options: BrowserSignInOptions,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  get issuer(): string {
    return this.options.issuer;
  }

  /** Throws BrowserSignInError. */
  async begin(redirectUri: string): Promise<Authorization> {
    const { clientId, scope, resource } = this.options;
    const endpoint = await this.endpoint('authorizationEndpoint');
    const state = randomBytes(24).toString('base64url');
    const verifier = randomBytes(48).toString('base64url');
    const url = new URL(endpoint);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(resource === null ? {} : { resource }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, state, verifier };
  }

  /** Redeems a code. Throws BrowserSignInError. */
  redeem(code: string, verifier: string, redirectUri: string): Promise<IssuedTokens> {
    return this.requestTokens({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    });
  }

  /** Throws BrowserSignInError. */
  renew(refreshToken: string): Promise<IssuedTokens> {
    return this.requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  /**
   * Where the browser goes to sign out at the issuer too, which sends it back to `redirectUri`; null when the issuer
   * offers no such place. Throws BrowserSignInError.
   */
  async end(redirectUri: string): Promise<string | null> {
    const { endSessionEndpoint } = await this.discovered();
    // A public client cannot keep an ID token as a hint: the issuer may ask the person.
    if (endSessionEndpoint === null || !/^https?:/.test(endSessionEndpoint)) return null;
    const url = new URL(endSessionEndpoint);
    url.searchParams.set('client_id', this.options.clientId);
    url.searchParams.set('post_logout_redirect_uri', redirectUri);
    return url.href;
  }

  private async requestTokens(grant: Readonly<Record<string, string>>): Promise<IssuedTokens> {
    const { issuer, clientId, resource } = this.options;
    const endpoint = await this.endpoint('tokenEndpoint');
    const response = await fetch(endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        ...grant,
        client_id: clientId,
        ...(resource === null ? {} : { resource }),
      }),
      // Rejects redirects: a public client must not send its code to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeout),
    }).catch((error: unknown) => this.unavailable(error));
    const answer = await response
      .json()
      .then((value) => value as Readonly<Record<string, unknown>>)
      .catch((error: unknown) => this.unavailable(error));
    const text = (name: string): string | null => {
      const value = answer[name];
      return typeof value === 'string' && value !== '' ? value : null;
    };
    if (response.status >= 500) this.unavailable(new Error(`${endpoint} answered ${response.status}`));
    if (!response.ok) {
      const reason = text('error_description') ?? text('error') ?? `status ${response.status}`;
      throw new BrowserSignInError('REFUSED', `${issuer} refused the sign-in: ${reason}.`);
    }
    return {
      candidates: [text('access_token'), text('id_token')].filter((token) => token !== null),
      refreshToken: text('refresh_token'),
    };
  }

  private async endpoint(name: 'authorizationEndpoint' | 'tokenEndpoint'): Promise<string> {
    const endpoint = (await this.discovered())[name];
    return endpoint ?? this.unavailable(new Error(`The discovery document has no ${name}.`));
  }

  private async discovered(): Promise<IssuerMetadata> {
    this.metadata ??= await discoverIssuer(this.options.issuer).catch((error: unknown) => this.unavailable(error));
    return this.metadata;
  }

  private unavailable(cause: unknown): never {
    this.metadata = null;
    this.onFailure(cause);
    throw new BrowserSignInError(
      'UNAVAILABLE',
      `${this.options.issuer} cannot be reached. Try again later, or sign in with a token.`,
    );
  }
}
