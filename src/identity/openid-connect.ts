import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { discoverIssuer } from './discovery.ts';
import { type Identity, type Role, roles } from './identity.ts';
import type { Projects } from './projects.ts';
import type { IdentifyExternal } from './service.ts';

export interface OpenIdConnectOptions {
  /** As in the claim `iss`. Its keys are found by discovery, unless `jwksUri` names them. */
  readonly issuer: string;
  /** As in the claim `aud`. */
  readonly audience: string;
  readonly jwksUri: string | null;
  /** Claims by path, such as `realm_access.roles`. */
  readonly nameClaim: string;
  readonly roleClaim: string;
  readonly projectClaim: string | null;
  /** Values of the role claim -> role. The highest role applies. */
  readonly roles: Readonly<Record<string, Role>>;
  /** The role of a principal without a mapped value; null refuses it. */
  readonly defaultRole: Role | null;
}

/** Asymmetric only: a public key must not be usable as a shared secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Seconds by which clocks may differ. */
const clockTolerance = 5;
/** Milliseconds for which a verified token is cached. */
const trustFor = 60_000;
const maxCached = 10_000;

/**
 * Identifies bearers of JSON Web Tokens from an OpenID Connect issuer. Names begin with `oidc:`, unlike token names.
 * Keys are read again when a token names an unknown one. An unreachable issuer is reported to `onFailure`, and its
 * tokens are refused.
 */
export function openIdConnect(
  options: OpenIdConnectOptions,
  onFailure: (error: unknown) => void,
  clock: () => number = Date.now,
): IdentifyExternal {
  const verified = new Map<string, { readonly identity: Identity; readonly until: number }>();
  let keys: Promise<JWTVerifyGetKey> | null = null;

  const verify = async (token: string): Promise<JWTPayload | null> => {
    try {
      keys ??= keysOf(options);
      const { payload } = await jwtVerify(token, await keys, {
        issuer: options.issuer,
        audience: options.audience,
        algorithms,
        clockTolerance,
        requiredClaims: ['exp'],
        currentDate: new Date(clock()),
      });
      return payload;
    } catch (error) {
      const isInvalidToken =
        error instanceof errors.JOSEError &&
        !(error instanceof errors.JWKSTimeout) &&
        error.code !== 'ERR_JOSE_GENERIC';
      if (isInvalidToken) return null;
      keys = null;
      onFailure(error);
      return null;
    }
  };

  return async (token, projects) => {
    // A JSON Web Token has three parts.
    if (token.split('.').length !== 3) return null;
    const now = clock();
    const known = verified.get(token);
    if (known && known.until > now) return known.identity;
    verified.delete(token);
    const payload = await verify(token);
    const identity = payload && (await identityOf(payload, options, projects));
    if (!identity) return null;
    const [oldest] = verified.keys();
    if (oldest !== undefined && verified.size >= maxCached) verified.delete(oldest);
    verified.set(token, { identity, until: Math.min(now + trustFor, identity.expiresAt ?? now) });
    return identity;
  };
}

async function keysOf({ issuer, jwksUri }: OpenIdConnectOptions): Promise<JWTVerifyGetKey> {
  const address = jwksUri ?? (await discoverIssuer(issuer)).jwksUri;
  if (address === null) throw new Error(`The discovery document of ${issuer} has no jwks_uri.`);
  return createRemoteJWKSet(new URL(address));
}

async function identityOf(
  payload: JWTPayload,
  options: OpenIdConnectOptions,
  projects: Projects,
): Promise<Identity | null> {
  const [name] = textsAt(payload, options.nameClaim);
  if (name === undefined || name === '') return null;
  const mapped = textsAt(payload, options.roleClaim).flatMap((value) =>
    Object.hasOwn(options.roles, value) ? (options.roles[value] ?? []) : [],
  );
  const role = roles.findLast((each) => mapped.includes(each)) ?? options.defaultRole;
  if (role === null) return null;
  const names = options.projectClaim === null ? [] : textsAt(payload, options.projectClaim);
  return {
    name: `oidc:${name}`,
    role,
    projects: await projects.numbersOf(names),
    expiresAt: (payload.exp ?? 0) * 1_000,
    token: null,
  };
}

/** The strings of a claim: one or a list. */
function textsAt(payload: JWTPayload, path: string): readonly string[] {
  let value: unknown = payload;
  for (const key of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === 'string');
}
