import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { ApiError, execute, type Operation } from '../api/client.ts';
import type { ConsoleViewerQuery, Role } from '../api/generated/operations.ts';
import type { Credentials } from './credentials.ts';

export interface Session {
  readonly credentials: Credentials;
  readonly site: ConsoleViewerQuery['site'];
  readonly viewer: ConsoleViewerQuery['viewer'];
  /** Milliseconds by which the scheduler's clock was ahead of the browser's when the session began. */
  readonly clockOffset: number;
  signOut(reason?: string): void;
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession is used outside of a SessionProvider.');
  return session;
}

const ranks = ['VIEWER', 'USER', 'OPERATOR', 'ADMIN'];

/** Whether the user has at least this role. The server decides; this only hides what it would refuse. */
export function useHasRole(role: Role): boolean {
  const { viewer } = useSession();
  return ranks.indexOf(viewer.role) >= ranks.indexOf(role);
}

/** Whether the user may change leases and recurrences like this one, by the same rules as the server. */
export function useMayChange(): (owned: Owned) => boolean {
  const { viewer } = useSession();
  const isUser = useHasRole('USER');
  const isOperator = useHasRole('OPERATOR');
  return ({ owner, project }) =>
    isOperator ||
    (isUser &&
      (owner?.name === viewer.name || (project !== null && viewer.projects.some(({ id }) => id === project.id))));
}

interface Owned {
  readonly owner: { readonly name: string } | null;
  readonly project: { readonly id: string } | null;
}

/** The present instant of the scheduler, which may run faster than the wall clock. */
export function useSchedulerNow(): () => number {
  const { site, clockOffset } = useSession();
  const [began] = useState(() => Date.now());
  return useCallback(
    () => Date.now() + clockOffset + (Date.now() - began) * (site.clockSpeed - 1),
    [began, clockOffset, site.clockSpeed],
  );
}

export type Execute = <Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
) => Promise<Result>;

/** Executes an operation as the current user. */
export function useExecute(): Execute {
  const withToken = useWithToken();
  return useMemo(
    () => (operation, variables, signal) => withToken((token) => execute(token, operation, variables, signal)),
    [withToken],
  );
}

type WithToken = <Result>(action: (token: string) => Promise<Result>) => Promise<Result>;

/** Runs work with the token of the session. A token that is no longer accepted ends the session. */
export function useWithToken(): WithToken {
  const { credentials, signOut } = useSession();
  return useMemo(
    () =>
      async <Result,>(action: (token: string) => Promise<Result>): Promise<Result> => {
        try {
          return await action(await credentials.token());
        } catch (error) {
          if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') signOut(error.message);
          throw error;
        }
      },
    [credentials, signOut],
  );
}
