import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { ApiError } from './api/client.ts';
import { LiveProvider } from './live/live.tsx';
import { LeasePage } from './pages/lease.tsx';
import { LeasesPage } from './pages/leases.tsx';
import { NodesPage } from './pages/nodes.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { QueuePage } from './pages/queue.tsx';
import { forgetToken, type Session, SessionProvider, storedToken } from './session/session.tsx';
import { type SignedIn, SignIn, signIn } from './session/sign-in.tsx';
import { Shell } from './shell.tsx';
import { Page } from './ui/parts.tsx';

const SchedulePage = lazy(() => import('./pages/schedule.tsx'));
const AccessPage = lazy(() => import('./pages/access.tsx'));
const NewLeasePage = lazy(() => import('./pages/new-lease.tsx'));

type State =
  | { readonly kind: 'starting'; readonly token: string; readonly problem: string | null }
  | { readonly kind: 'signed-out'; readonly notice: string | null }
  | { readonly kind: 'signed-in'; readonly signedIn: SignedIn };

export function App() {
  const queries = useQueryClient();
  const [state, setState] = useState<State>(() => {
    const token = storedToken();
    return token === null ? { kind: 'signed-out', notice: null } : { kind: 'starting', token, problem: null };
  });

  const signOut = useCallback(
    (notice?: string) => {
      forgetToken();
      queries.clear();
      setState({ kind: 'signed-out', notice: notice ?? null });
    },
    [queries],
  );

  useEffect(() => {
    if (state.kind !== 'starting') return;
    const { token } = state;
    const timer = setTimeout(
      () =>
        signIn(token).then(
          (signedIn) => setState({ kind: 'signed-in', signedIn }),
          (error: unknown) => {
            if (error instanceof ApiError && error.retryable)
              setState({ kind: 'starting', token, problem: error.message });
            else signOut((error as Error).message);
          },
        ),
      state.problem === null ? 0 : 1_000,
    );
    return () => clearTimeout(timer);
  }, [state, signOut]);

  const session = useMemo<Session | null>(() => {
    if (state.kind !== 'signed-in') return null;
    const { token, viewer, clockOffset } = state.signedIn;
    return { token, site: viewer.site, viewer: viewer.viewer, clockOffset, signOut };
  }, [state, signOut]);

  if (state.kind === 'starting') {
    return (
      <main className="sign-in">
        <p role="status">{state.problem === null ? 'Signing in…' : `${state.problem} Trying again…`}</p>
      </main>
    );
  }
  if (session === null) {
    const notice = state.kind === 'signed-out' ? state.notice : null;
    return <SignIn notice={notice} onSignedIn={(signedIn) => setState({ kind: 'signed-in', signedIn })} />;
  }
  return (
    <SessionProvider session={session}>
      <LiveProvider>
        <Shell>
          <Suspense fallback={<p role="status">Loading…</p>}>
            <Switch>
              <Route path="/" component={OverviewPage} />
              <Route path="/schedule" component={SchedulePage} />
              <Route path="/leases" component={LeasesPage} />
              <Route path="/leases/new" component={NewLeasePage} />
              <Route path="/leases/:number">{({ number }) => <LeasePage number={Number(number)} />}</Route>
              <Route path="/nodes" component={NodesPage} />
              <Route path="/queue" component={QueuePage} />
              <Route path="/access" component={AccessPage} />
              <Route path="/overview">
                <Redirect to="/" replace />
              </Route>
              <Route>
                <Page title="Page not found">
                  <p>The console has no page at this address. The navigation lists all pages.</p>
                </Page>
              </Route>
            </Switch>
          </Suspense>
        </Shell>
      </LiveProvider>
    </SessionProvider>
  );
}
