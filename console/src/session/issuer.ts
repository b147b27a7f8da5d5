/** Sign-in at an OpenID Connect issuer: authorization code flow with PKCE. The server talks to the issuer. */
import { ApiError } from '../api/client.ts';

export interface BearerToken {
  readonly token: string;
  /** Milliseconds since the epoch; null if it does not expire or is not known. */
  readonly expiresAt: number | null;
  readonly refreshToken: string | null;
}

/** State stored in the browser while the user is at the issuer. */
interface Pending {
  readonly state: string;
  readonly verifier: string;
  readonly remember: boolean;
  /** The address at which the sign-in began. */
  readonly returnTo: string;
}

interface Answer {
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

const pendingKey = 'leasegraph.pending-sign-in';
const callbackPath = '/sign-in/callback';

/** The issuer of the site; null when people sign in with tokens only, or when the server cannot be asked. */
export async function findIssuer(): Promise<string | null> {
  const response = await fetch('/sign-in/options', { headers: { Accept: 'application/json' } });
  const { openIdConnect } = (await response.json()) as { openIdConnect: { issuer: string } | null };
  return openIdConnect?.issuer ?? null;
}

/** Leaves the console for the issuer. Throws ApiError. */
export async function goToIssuer(remember: boolean): Promise<void> {
  const begun = await post<{ url: string; state: string; verifier: string }>('authorization', {
    redirectUri: redirectUri(),
  });
  const pending: Pending = {
    state: begun.state,
    verifier: begun.verifier,
    remember,
    returnTo: `${location.pathname}${location.search}`,
  };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  location.assign(begun.url);
}

export interface Returned {
  readonly token: BearerToken;
  readonly remember: boolean;
}

/**
 * What the issuer sent the browser back with; null when the address is another. The console's own address is shown
 * again at once, so that a reload does not redeem the code twice. Rejects with ApiError.
 */
export function returnFromIssuer(): Promise<Returned> | null {
  if (location.pathname !== callbackPath) return null;
  const parameters = new URLSearchParams(location.search);
  const text = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  const pending = text === null ? null : (JSON.parse(text) as Pending);
  history.replaceState(null, '', pending?.returnTo ?? '/');
  return redeem(parameters, pending);
}

async function redeem(parameters: URLSearchParams, pending: Pending | null): Promise<Returned> {
  if (pending === null || parameters.get('state') !== pending.state) {
    throw new ApiError('FORBIDDEN', 'This sign-in was not begun in this tab. Sign in again.');
  }
  const code = parameters.get('code');
  if (code === null) {
    const reason = parameters.get('error_description') ?? parameters.get('error') ?? 'no code was sent';
    throw new ApiError('FORBIDDEN', `You were not signed in: ${reason}.`);
  }
  const token = await post<BearerToken>('token', {
    code,
    verifier: pending.verifier,
    redirectUri: redirectUri(),
  });
  return { token, remember: pending.remember };
}

/** Throws ApiError. */
export function renewToken(refreshToken: string): Promise<BearerToken> {
  return post<BearerToken>('token', { refreshToken }).then((renewed) => ({
    ...renewed,
    // If the issuer does not replace it, it can be used again.
    refreshToken: renewed.refreshToken ?? refreshToken,
  }));
}

/** Leaves the console to sign out at the issuer, where that is possible. Returns when it is not. Throws ApiError. */
export async function signOutAtIssuer(): Promise<void> {
  const { url } = await post<{ url: string | null }>('end', { redirectUri: `${location.origin}/` });
  if (url !== null) location.assign(url);
}

function redirectUri(): string {
  return `${location.origin}${callbackPath}`;
}

async function post<Result>(name: string, body: object): Promise<Result> {
  const response = await fetch(`/sign-in/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new ApiError('NETWORK', 'The server cannot be reached.');
  });
  const answer = (await response.json().catch(() => ({}))) as Result & Answer;
  const [error] = answer.errors ?? [];
  if (error) throw new ApiError(error.extensions.code, error.message);
  if (!response.ok) throw new ApiError('NETWORK', `The server answered with status ${response.status}.`);
  return answer;
}
