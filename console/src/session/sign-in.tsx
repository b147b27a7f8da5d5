import { type FormEvent, useState } from 'react';
import { execute } from '../api/client.ts';
import { ConsoleViewerDocument, type ConsoleViewerQuery } from '../api/generated/operations.ts';
import { storeToken } from './session.tsx';

export interface SignedIn {
  readonly token: string;
  readonly viewer: ConsoleViewerQuery;
  readonly clockOffset: number;
}

/** Asks the server whether it accepts the token. Throws ApiError. */
export async function signIn(token: string): Promise<SignedIn> {
  const before = Date.now();
  const viewer = await execute(token, ConsoleViewerDocument, {});
  const clockOffset = Date.parse(viewer.serverTime) - (before + Date.now()) / 2;
  return { token, viewer, clockOffset };
}

export function SignIn({
  notice,
  onSignedIn,
}: {
  notice: string | null;
  onSignedIn: (signedIn: SignedIn) => void;
}) {
  const [token, setToken] = useState('');
  const [remember, setRemember] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(notice);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const signedIn = await signIn(token.trim());
      storeToken(token.trim(), remember);
      onSignedIn(signedIn);
    } catch (cause) {
      setError((cause as Error).message);
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form className="card" onSubmit={submit}>
        <h1>Leasegraph</h1>
        <p className="muted">Sign in to see and request leases of this site.</p>
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
          The first start of the server prints the admin token. It is also in <code>data/admin-token</code>.
        </p>
        <label className="check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          <span>Keep me signed in on this device</span>
        </label>
        <p role="alert" className="error" hidden={error === null}>
          {error}
        </p>
        <button type="submit" className="primary" disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
