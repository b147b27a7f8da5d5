import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ConsoleQueueDocument } from '../api/generated/operations.ts';
import { useExecute, useSchedulerNow } from '../session/session.tsx';
import { formatDuration, formatRelative } from '../ui/format.ts';
import { ListPager } from '../ui/list-pager.tsx';
import { Page, QueryState, StateBadge } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useCursors } from '../ui/use-cursors.ts';
import { LeaseLink, type LeaseRow, Start } from './lease-table.tsx';

const pageSize = 100;

/** Leases that wait for their first or next run, in the order in which they are considered. */
export function QueuePage() {
  const execute = useExecute();
  const now = useSchedulerNow();
  const pages = useCursors();
  const query = useQuery({
    queryKey: ['queue', pages.cursor],
    queryFn: ({ signal }) => execute(ConsoleQueueDocument, { first: pageSize, after: pages.cursor }, signal),
    placeholderData: keepPreviousData,
  });
  const queue = query.data?.queue;
  const leases = queue?.nodes ?? [];
  const columns: readonly Column<LeaseRow>[] = [
    { header: 'Position', kind: 'number', cell: ({ queuePosition }) => queuePosition ?? '–' },
    { header: 'Number', kind: 'number', cell: ({ number }) => <LeaseLink number={number} /> },
    { header: 'Name', kind: 'text', cell: ({ name }) => name ?? <span className="muted">unnamed</span> },
    { header: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { header: 'Waiting', cell: ({ submittedAt }) => formatRelative(submittedAt, now()).replace(' ago', '') },
    { header: 'Estimated start', cell: (lease) => <Start lease={{ ...lease, actualStart: null }} /> },
    { header: 'Duration', cell: ({ requestedDuration }) => formatDuration(requestedDuration) },
  ];
  return (
    <Page title="Queue">
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={leases.length === 0 && !pages.hasPrevious}
        empty={<p>No lease waits in the queue. Leases that can start at once do not appear here.</p>}
      >
        <Table label="Waiting leases" columns={columns} rows={leases} keyOf={({ id }) => id} />
        <ListPager list={queue} noun="lease" pages={pages} />
      </QueryState>
    </Page>
  );
}
