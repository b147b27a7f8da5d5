/** An OpenID Connect issuer at which a person signs in by a name, without a password. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider from 'oidc-provider';

export interface IssuerOptions {
  readonly audience: string;
  readonly clientId: string;
  /** Seconds for which access tokens are valid. */
  readonly accessTokenTtl: number;
  /** The value of the claim `roles` of each person. */
  readonly roles: Readonly<Record<string, string>>;
}

export class SignInIssuer {
  /** Grant types of the token requests that it granted. */
  readonly granted: string[] = [];
  private readonly server: Server;
  private provider: Provider | null = null;

  constructor(private readonly options: IssuerOptions) {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** `redirectUri`: the console's address after a sign-in; `signedOutUri`: that after a sign-out. */
  async serve(redirectUri: string, signedOutUri: string): Promise<void> {
    const { audience, clientId, accessTokenTtl, roles } = this.options;
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key: JWK = { ...(await exportJWK(privateKey)), kid: 'key', alg: 'RS256', use: 'sig' };
    this.provider = new Provider(this.issuer, {
      jwks: { keys: [key as never] },
      cookies: { keys: ['a-key-for-tests'] },
      clients: [
        {
          client_id: clientId,
          token_endpoint_auth_method: 'none',
          redirect_uris: [redirectUri],
          post_logout_redirect_uris: [signedOutUri],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      ttl: {
        ...{ Interaction: 600, Grant: 600, Session: 600, RefreshToken: 600, IdToken: 600 },
        AccessToken: accessTokenTtl,
      },
      pkce: { required: () => true },
      findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      issueRefreshToken: async () => true,
      rotateRefreshToken: true,
      // Whoever has signed in agrees.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid profile');
        grant.addResourceScope(audience, 'lease');
        await grant.save();
        return grant;
      },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: 'lease',
            audience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: accessTokenTtl,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
      extraTokenClaims: (_context, token) => ({
        roles: 'accountId' in token ? [roles[token.accountId as string] ?? 'none'] : [],
      }),
    });
    this.provider.on('grant.success', ({ oidc }) => this.granted.push(String(oidc.params?.grant_type)));
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) return void this.provider?.callback()(request, response);
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html');
      response.end('<form method="post"><label>Name <input name="name"></label><button>Log in</button></form>');
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const accountId = new URLSearchParams(body).get('name') ?? '';
    const result = accountId === '' ? { error: 'access_denied' } : { login: { accountId } };
    await this.provider?.interactionFinished(request, response, result);
  }
}
