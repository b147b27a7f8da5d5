/** Against a real issuer, run in the test. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdentity } from '../../src/identity/index.ts';
import { type OpenIdConnectOptions, openIdConnect } from '../../src/identity/openid-connect.ts';
import { apiOnNewDatabase } from '../api/fixture.ts';

const audience = 'https://leasegraph.example';

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

/** An issuer whose keys can be replaced while it runs. */
class Issuer {
  private server: Server | null = null;
  private provider: Provider | null = null;
  issuer = '';

  async start(): Promise<void> {
    this.server = createServer((request, response) => void this.provider?.callback()(request, response));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    await this.rotate('first');
  }

  async rotate(kid: string): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key: JWK = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
    this.provider = new Provider(this.issuer, {
      jwks: { keys: [key as never] },
      clients: [
        {
          client_id: 'cluster',
          client_secret: 'secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          getResourceServerInfo: () => ({
            scope: 'lease',
            audience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
      extraTokenClaims: () => ({ realm: { roles: ['staff', 'leases'] }, groups: ['genomics', 'unknown'] }),
    });
    this.provider.on('server_error', (_context, error) => {
      throw error;
    });
  }

  async token(): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa('cluster:secret')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

const issuer = new Issuer();
beforeAll(async () => {
  await issuer.start();
  await api.prisma.project.create({ data: { name: 'genomics' } });
});
afterAll(() => issuer.stop());

const options = (changes: Partial<OpenIdConnectOptions> = {}): OpenIdConnectOptions => ({
  issuer: issuer.issuer,
  audience,
  jwksUri: null,
  nameClaim: 'client_id',
  roleClaim: 'realm.roles',
  projectClaim: 'groups',
  roles: { leases: 'USER', staff: 'VIEWER', admins: 'ADMIN' },
  defaultRole: null,
  ...changes,
});

const identityWith = (changes: Partial<OpenIdConnectOptions> = {}, failures: unknown[] = []) =>
  createIdentity({
    prisma: api.prisma,
    adminToken: 'admin-token',
    external: openIdConnect(options(changes), (error) => failures.push(error)),
  });

describe('a bearer token of an issuer', () => {
  it('has the name, the highest role and the known projects of its claims', async () => {
    const { authenticate } = identityWith();
    const identity = await authenticate(`Bearer ${await issuer.token()}`);
    const project = await api.prisma.project.findFirstOrThrow({ where: { name: 'genomics' } });
    expect(identity).toEqual({
      name: 'oidc:cluster',
      role: 'USER',
      projects: [project.number],
      expiresAt: expect.any(Number),
      token: null,
    });
    const left = (identity?.expiresAt ?? 0) - Date.now();
    expect(left > 500_000 && left <= 601_000).toBe(true);
  });

  it.each([
    ['another audience', { audience: 'https://other.example' }],
    ['no mapped role', { roles: { admins: 'ADMIN' } }],
    ['no name', { nameClaim: 'missing' }],
  ] as const)('is refused with %s', async (_what, changes) => {
    expect(await identityWith(changes).authenticate(`Bearer ${await issuer.token()}`)).toBeNull();
  });

  it('is refused when its issuer is another, even if a key that holds signed it', async () => {
    const failures: unknown[] = [];
    const token = await issuer.token();
    const jwksUri = `${issuer.issuer}/jwks`;
    const { authenticate } = identityWith({ jwksUri, issuer: 'https://other.example' }, failures);
    expect(await authenticate(`Bearer ${token}`)).toBeNull();
    const exact = identityWith({ jwksUri, issuer: `${issuer.issuer}/` }, failures);
    expect(await exact.authenticate(`Bearer ${token}`)).toBeNull();
    const right = identityWith({ jwksUri }, failures);
    expect(await right.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'oidc:cluster', role: 'USER' });
    expect(failures).toEqual([]);
  });

  it('has the default role without a mapped one', async () => {
    const { authenticate } = identityWith({ roles: {}, defaultRole: 'VIEWER' });
    expect(await authenticate(`Bearer ${await issuer.token()}`)).toMatchObject({ role: 'VIEWER' });
  });

  it('is refused when another key signed it, when it expired, and when it is not signed', async () => {
    const { authenticate } = identityWith();
    const { privateKey } = await generateKeyPair('RS256');
    const claims = { client_id: 'cluster', realm: { roles: ['admins'] } };
    const forged = new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'first' })
      .setIssuer(issuer.issuer)
      .setAudience(audience)
      .setExpirationTime('1h');
    expect(await authenticate(`Bearer ${await forged.sign(privateKey)}`)).toBeNull();
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const unsigned = `${part({ alg: 'none' })}.${part({ ...claims, iss: issuer.issuer, aud: audience, exp })}.`;
    expect(await authenticate(`Bearer ${unsigned}`)).toBeNull();
    const token = await issuer.token();
    const later = openIdConnect(
      options(),
      () => {},
      () => Date.now() + 700_000,
    );
    const { projects } = createIdentity({ prisma: api.prisma, adminToken: 'x' });
    expect(await later(token, projects)).toBeNull();
  });

  it('is accepted after the issuer has replaced its keys', async () => {
    const { authenticate } = identityWith();
    const before = await issuer.token();
    await issuer.rotate('second');
    const after = await issuer.token();
    expect(await authenticate(`Bearer ${after}`)).not.toBeNull();
    expect(await authenticate(`Bearer ${before}`)).toBeNull();
  });

  it('is refused while the issuer cannot be reached, and accepted when it can', async () => {
    const failures: unknown[] = [];
    const { authenticate } = identityWith({ issuer: 'http://127.0.0.1:1' }, failures);
    expect(await authenticate(`Bearer ${await issuer.token()}`)).toBeNull();
    expect(failures).toHaveLength(1);
    expect(await authenticate('Bearer no-json-web-token')).toBeNull();
    expect(failures).toHaveLength(1);
  });
});
