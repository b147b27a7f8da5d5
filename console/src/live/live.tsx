import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import {
  ConsoleEventsDocument,
  type ConsoleEventsSubscription,
  ConsoleNewNoticesDocument,
  type ConsoleNewNoticesSubscription,
} from '../api/generated/operations.ts';
import { useSession } from '../session/session.tsx';
import { follow, type LiveStatus, type Stream } from './live-events.ts';

const LiveContext = createContext<LiveStatus>('connecting');

/** Whether what the page shows is kept up to date. */
export const useLiveStatus = (): LiveStatus => useContext(LiveContext);

const events: Stream<ConsoleEventsSubscription> = {
  query: ConsoleEventsDocument,
  sequenceOf: ({ leaseEvents }) => leaseEvents.sequence,
};
/** Some are of time that has passed, or of nodes, without an event of a lease. */
const notices: Stream<ConsoleNewNoticesSubscription> = {
  query: ConsoleNewNoticesDocument,
  sequenceOf: (data) => data.notices.sequence,
};

/** At most so often are queries on the page read again, however many events arrive. */
const refreshIntervalMs = 750;

/** Follows the site's events and notices, and has the queries that the page shows read again when something has changed. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { credentials } = useSession();
  const queries = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');

  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const refreshSoon = () => {
      timer ??= setTimeout(() => {
        timer = null;
        // What-if questions are asked again by themselves, less often: each takes a turn of the scheduler.
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'plan' });
      }, refreshIntervalMs);
    };
    void follow({
      url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
      token: () => credentials.token(),
      streams: [events, notices],
      onMessage: refreshSoon,
      onGap: refreshSoon,
      onStatus: setStatus,
      signal: controller.signal,
    });
    return () => {
      controller.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, [credentials, queries]);

  return <LiveContext.Provider value={status}>{children}</LiveContext.Provider>;
}
