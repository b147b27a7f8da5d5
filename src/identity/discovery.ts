/** Metadata of an OpenID Connect issuer (OpenID Connect Discovery 1.0). */
export interface IssuerMetadata {
  readonly jwksUri: string | null;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string | null;
  /** Where people sign out (OpenID Connect RP-Initiated Logout 1.0). */
  readonly endSessionEndpoint: string | null;
}

const discoveryTimeout = 5_000;

/** Rejects if the issuer is unreachable or names another issuer. */
export async function discoverIssuer(issuer: string): Promise<IssuerMetadata> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(address, { signal: AbortSignal.timeout(discoveryTimeout) });
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  const found = (await response.json()) as Readonly<Record<string, unknown>>;
  if (found.issuer !== issuer) throw new Error(`${address} names another issuer: ${String(found.issuer)}`);
  const text = (name: string): string | null => {
    const value = found[name];
    return typeof value === 'string' && URL.canParse(value) ? value : null;
  };
  return {
    jwksUri: text('jwks_uri'),
    authorizationEndpoint: text('authorization_endpoint'),
    tokenEndpoint: text('token_endpoint'),
    endSessionEndpoint: text('end_session_endpoint'),
  };
}
