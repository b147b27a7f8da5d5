import { type FormEvent, useEffect, useState } from 'react';
import { execute } from '../api/client.ts';
import { ConsoleViewerDocument, type ConsoleViewerQuery } from '../api/generated/operations.ts';
import { Credentials } from './credentials.ts';
import { findIssuer, goToIssuer } from './issuer.ts';

export interface SignedIn {
  readonly credentials: Credentials;
  readonly viewer: ConsoleViewerQuery;
  readonly clockOffset: number;
}

/** Asks the server whether it accepts the credentials. Throws ApiError. */
export async function signIn(credentials: Credentials): Promise<SignedIn> {
  const token = await credentials.token();
  const before = Date.now();
  const viewer = await execute(token, ConsoleViewerDocument, {});
  const clockOffset = Date.parse(viewer.serverTime) - (before + Date.now()) / 2;
  return { credentials, viewer, clockOffset };
}

export function SignIn({ notice, onSignedIn }: { notice: string | null; onSignedIn: (signedIn: SignedIn) => void }) {
  const [token, setToken] = useState('');
  const [remember, setRemember] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(notice);
  const [issuer, setIssuer] = useState<string | null>(null);

  useEffect(() => {
    // Without an answer, the token remains.
    findIssuer().then(setIssuer, () => {});
  }, []);

  const attempt = async (action: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await action();
    } catch (cause) {
      setError((cause as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      const credentials = Credentials.of({ token: token.trim(), expiresAt: null, refreshToken: null });
      const signedIn = await signIn(credentials);
      credentials.keep(remember);
      onSignedIn(signedIn);
    });
  };

  return (
    <main className="sign-in">
      <form className="card" onSubmit={submit}>
        <h1>Leasegraph</h1>
        <p className="muted">Sign in to see and request leases of this site.</p>
        {issuer !== null && (
          <>
            <button
              type="button"
              className="primary"
              disabled={busy}
              onClick={() => void attempt(() => goToIssuer(remember))}
            >
              Continue with {new URL(issuer).host}
            </button>
            <p className="divider">or</p>
          </>
        )}
        <label className="field">
          <span>Token</span>
          <input
            type="password"
            name="token"
            autoComplete="current-password"
            spellCheck={false}
            required
            value={token}
            onChange={(event) => setToken(event.target.value)}
            aria-describedby="token-help"
          />
        </label>
        <p id="token-help" className="hint">
          The first start of the server prints the admin token and keeps it in <code>data/admin-token</code>.
          Administrators create tokens for others.
        </p>
        <label className="check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          <span>Keep me signed in on this device</span>
        </label>
        <p role="alert" className="error" hidden={error === null}>
          {error}
        </p>
        <button type="submit" className={issuer === null ? 'primary' : undefined} disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
