import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ConsoleQueueDocument } from '../api/generated/operations.ts';
import { useExecute, useSchedulerNow } from '../session/session.tsx';
import { formatDuration, formatRelative } from '../ui/format.ts';
import { Page, QueryState, ScrollArea, StateBadge } from '../ui/parts.tsx';
import { Start } from './lease-table.tsx';

/** What waits for its first or next run, in the order in which it is considered. */
export function QueuePage() {
  const execute = useExecute();
  const now = useSchedulerNow();
  const query = useQuery({
    queryKey: ['queue'],
    queryFn: ({ signal }) => execute(ConsoleQueueDocument, { first: 100 }, signal),
  });
  const leases = query.data?.queue.nodes ?? [];
  return (
    <Page title="Queue">
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={leases.length === 0}
        empty={<p>No lease waits in the queue. Leases that can start at once do not appear here.</p>}
      >
        <ScrollArea label="Queue">
          <table>
            <caption className="visually-hidden">Leases in the order in which they are considered</caption>
            <thead>
              <tr>
                <th scope="col" className="number">
                  Position
                </th>
                <th scope="col" className="number">
                  Number
                </th>
                <th scope="col">Name</th>
                <th scope="col">State</th>
                <th scope="col">Waiting</th>
                <th scope="col">Estimated start</th>
                <th scope="col">Duration</th>
              </tr>
            </thead>
            <tbody>
              {leases.map((lease) => (
                <tr key={lease.id}>
                  <td className="number">{lease.queuePosition ?? '–'}</td>
                  <td className="number">
                    <Link href={`/leases/${lease.number}`}>{lease.number}</Link>
                  </td>
                  <td className="name">{lease.name ?? <span className="muted">unnamed</span>}</td>
                  <td>
                    <StateBadge state={lease.state} />
                  </td>
                  <td>{formatRelative(lease.submittedAt, now()).replace(' ago', '')}</td>
                  <td>
                    <Start lease={{ ...lease, actualStart: null }} />
                  </td>
                  <td>{formatDuration(lease.requestedDuration)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
        {query.data?.queue.pageInfo.hasNextPage && (
          <p className="muted">The first 100 of {query.data.queue.totalCount} leases.</p>
        )}
      </QueryState>
    </Page>
  );
}
