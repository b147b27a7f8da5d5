import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import {
  ConsoleEventsDocument,
  type ConsoleEventsSubscription,
  ConsoleNewNoticesDocument,
  type ConsoleNewNoticesSubscription,
  ConsoleNodeChangedDocument,
} from '../api/generated/operations.ts';
import { useSession } from '../session/session.tsx';
import { follow, type LiveStatus, type Stream, Watches } from './live-events.ts';

const LiveContext = createContext<LiveStatus>('connecting');
const WatchesContext = createContext<Watches | null>(null);

/** Whether the page is kept up to date. */
export const useLiveStatus = (): LiveStatus => useContext(LiveContext);

/**
 * Keeps a page up to date with all nodes (null) or with one, whose states change without an event of a lease. Undefined
 * is one that is not known yet.
 */
export function useNodeChanges(id: string | null | undefined): void {
  const watches = useContext(WatchesContext);
  useEffect(() => {
    if (id === undefined) return;
    return watches?.add({ query: ConsoleNodeChangedDocument, variables: { id } });
  }, [watches, id]);
}

const events: Stream<ConsoleEventsSubscription> = {
  query: ConsoleEventsDocument,
  sequenceOf: ({ leaseEvents }) => leaseEvents.sequence,
};
/** Some notices depend on time or nodes and have no event of a lease. */
const notices: Stream<ConsoleNewNoticesSubscription> = {
  query: ConsoleNewNoticesDocument,
  sequenceOf: (data) => data.notices.sequence,
};

/** Minimum time between refreshes of the page's queries, however many events arrive. */
const refreshIntervalMs = 750;

/** Follows the site's events and notices, and refreshes the queries of the page after changes. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { credentials } = useSession();
  const queries = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  const watches = useMemo(() => new Watches(), []);

  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const refreshSoon = () => {
      timer ??= setTimeout(() => {
        timer = null;
        // Dry runs refresh themselves, less often: each takes a turn of the scheduler.
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'plan' });
      }, refreshIntervalMs);
    };
    void follow({
      url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
      token: () => credentials.token(),
      streams: [events, notices],
      watches,
      onMessage: refreshSoon,
      onGap: refreshSoon,
      onStatus: setStatus,
      signal: controller.signal,
    });
    return () => {
      controller.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, [credentials, queries, watches]);

  return (
    <WatchesContext.Provider value={watches}>
      <LiveContext.Provider value={status}>{children}</LiveContext.Provider>
    </WatchesContext.Provider>
  );
}
