import { BrowserSignInError, type IdentityService, type IssuedTokens } from '../../identity/index.ts';
import { type Answer, failure, json } from './answer.ts';
import type { Body } from './body.ts';

/** Paths below this prefix need no token. */
export const signInPath = '/sign-in/';

/**
 * Sign-in of the web console at an OpenID Connect issuer.
 *
 * - `GET options`: whether there is one, `{ issuer }`
 * - `POST authorization` `{ redirectUri }`: where to send the browser
 * - `POST end` `{ redirectUri }`: where to send the browser to sign out at the issuer too; null: nowhere
 * - `POST token` `{ code, verifier, redirectUri }` or `{ refreshToken }`: a bearer token
 */
export async function signIn(
  { browserSignIn, authenticate }: IdentityService,
  method: string,
  name: string,
  readBody: () => Promise<Body>,
): Promise<Answer> {
  if (name === 'options' && method === 'GET') {
    return json({ openIdConnect: browserSignIn && { issuer: browserSignIn.issuer } });
  }
  if (browserSignIn === null || method !== 'POST' || !['authorization', 'end', 'token'].includes(name)) {
    return failure(404, 'NOT_FOUND', 'There is nothing here, or this site has no OpenID Connect sign-in.');
  }
  const body = await readBody();
  if ('refusal' in body) return body.refusal;
  const { redirectUri, code, verifier, refreshToken } = (body.value ?? {}) as Readonly<Record<string, unknown>>;
  try {
    if (name === 'authorization') {
      if (!isRedirectUri(redirectUri)) return invalid('redirectUri');
      return json(await browserSignIn.begin(redirectUri));
    }
    if (name === 'end') {
      if (!isRedirectUri(redirectUri)) return invalid('redirectUri');
      return json({ url: await browserSignIn.end(redirectUri) });
    }
    let issued: IssuedTokens;
    if (typeof refreshToken === 'string') issued = await browserSignIn.renew(refreshToken);
    else if (typeof code === 'string' && typeof verifier === 'string' && isRedirectUri(redirectUri))
      issued = await browserSignIn.redeem(code, verifier, redirectUri);
    else return invalid('code, verifier and redirectUri, or refreshToken');
    // Issuers differ in which of their tokens name the audience.
    for (const token of issued.candidates) {
      const identity = await authenticate(`Bearer ${token}`);
      if (identity === null) continue;
      return json({ token, expiresAt: identity.expiresAt, refreshToken: issued.refreshToken });
    }
    return failure(
      403,
      'FORBIDDEN',
      `${browserSignIn.issuer} signed you in, but this site does not accept its token: you may lack a role here, ` +
        'or the audience differs. Ask an administrator of the site.',
    );
  } catch (error) {
    if (!(error instanceof BrowserSignInError)) throw error;
    return error.code === 'REFUSED'
      ? failure(403, 'FORBIDDEN', error.message)
      : failure(503, 'UNAVAILABLE', error.message);
  }
}

function isRedirectUri(value: unknown): value is string {
  return typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value);
}

function invalid(what: string): Answer {
  return failure(400, 'BAD_REQUEST', `The body must have ${what}, as JSON.`);
}
