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
import { Credentials, forgetCredentials } from './session/credentials.ts';
import { returnFromIssuer, signOutAtIssuer } from './session/issuer.ts';
import { type Session, SessionProvider } from './session/session.tsx';
import { type SignedIn, SignIn, signIn } from './session/sign-in.tsx';
import { Shell } from './shell.tsx';
import { Page } from './ui/parts.tsx';

const SchedulePage = lazy(() => import('./pages/schedule.tsx'));
const AccessPage = lazy(() => import('./pages/access.tsx'));
const AccountingPage = lazy(() => import('./pages/accounting.tsx'));
const NodePage = lazy(() => import('./pages/node.tsx'));
const NoticesPage = lazy(() => import('./pages/notices.tsx'));
const ProjectsPage = lazy(() => import('./pages/projects.tsx'));
const RecurrencesPage = lazy(() => import('./pages/recurrences.tsx'));
const RecurrencePage = lazy(() => import('./pages/recurrence.tsx'));
const NewRecurrencePage = lazy(() => import('./pages/new-recurrence.tsx'));
const WebhooksPage = lazy(() => import('./pages/webhooks.tsx'));
const NewLeasePage = lazy(() => import('./pages/new-lease.tsx'));

type State =
  | { readonly kind: 'starting'; readonly credentials: Credentials; readonly problem: string | null }
  | { readonly kind: 'returning' }
  | { readonly kind: 'signed-out'; readonly notice: string | null }
  | { readonly kind: 'signed-in'; readonly signedIn: SignedIn };

// Once per load of the page: a code can be redeemed only once.
const returned = returnFromIssuer();

function firstState(): State {
  if (returned) return { kind: 'returning' };
  const credentials = Credentials.stored();
  return credentials ? { kind: 'starting', credentials, problem: null } : { kind: 'signed-out', notice: null };
}

export function App() {
  const queries = useQueryClient();
  const [state, setState] = useState<State>(firstState);

  const signOut = useCallback(
    (notice?: string) => {
      forgetCredentials();
      queries.clear();
      setState({ kind: 'signed-out', notice: notice ?? null });
    },
    [queries],
  );

  useEffect(() => {
    returned?.then(
      ({ token, remember }) => {
        const credentials = Credentials.of(token);
        credentials.keep(remember);
        setState({ kind: 'starting', credentials, problem: null });
      },
      (error: Error) => setState({ kind: 'signed-out', notice: error.message }),
    );
  }, []);

  useEffect(() => {
    if (state.kind !== 'starting') return;
    const { credentials } = state;
    const timer = setTimeout(
      () =>
        signIn(credentials).then(
          (signedIn) => setState({ kind: 'signed-in', signedIn }),
          (error: unknown) => {
            if (error instanceof ApiError && error.retryable)
              setState({ kind: 'starting', credentials, problem: error.message });
            else signOut((error as Error).message);
          },
        ),
      state.problem === null ? 0 : 1_000,
    );
    return () => clearTimeout(timer);
  }, [state, signOut]);

  const session = useMemo<Session | null>(() => {
    if (state.kind !== 'signed-in') return null;
    const { credentials, viewer, clockOffset } = state.signedIn;
    const leave = (notice?: string) => {
      signOut(notice);
      // A session that the server ended has ended at the issuer as well, or continues there for other sites.
      if (notice === undefined && credentials.isOfIssuer) {
        signOutAtIssuer().catch(() =>
          signOut('You are signed out here. The issuer cannot be reached: you may still be signed in there.'),
        );
      }
    };
    return { credentials, site: viewer.site, viewer: viewer.viewer, clockOffset, signOut: leave };
  }, [state, signOut]);

  if (state.kind === 'starting' || state.kind === 'returning') {
    const problem = state.kind === 'starting' ? state.problem : null;
    return (
      <main className="sign-in">
        <p role="status">{problem === null ? 'Signing in…' : `${problem} Trying again…`}</p>
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
              <Route path="/recurrences" component={RecurrencesPage} />
              <Route path="/recurrences/new" component={NewRecurrencePage} />
              <Route path="/recurrences/:id">{({ id }) => <RecurrencePage id={decodeURIComponent(id)} />}</Route>
              <Route path="/nodes" component={NodesPage} />
              <Route path="/nodes/:number">{({ number }) => <NodePage number={Number(number)} />}</Route>
              <Route path="/queue" component={QueuePage} />
              <Route path="/notices" component={NoticesPage} />
              <Route path="/accounting" component={AccountingPage} />
              <Route path="/webhooks" component={WebhooksPage} />
              <Route path="/projects" component={ProjectsPage} />
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
