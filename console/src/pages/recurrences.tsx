import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import {
  type ConsoleRecurrenceFragment,
  ConsoleRecurrencesDocument,
  type RecurrenceState,
} from '../api/generated/operations.ts';
import { useExecute, useHasRole } from '../session/session.tsx';
import { formatDuration, formatEnum } from '../ui/format.ts';
import { ListPager } from '../ui/list-pager.tsx';
import { Instant, Page, QueryState } from '../ui/parts.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useCursors } from '../ui/use-cursors.ts';
import { describeRule } from './recurrence-rule.ts';

const pageSize = 50;

const tones: Readonly<Partial<Record<RecurrenceState, string>>> = { ACTIVE: 'running', ENDED: 'good' };

export function RecurrenceBadge({ state }: { state: RecurrenceState }) {
  return <span className={`badge ${tones[state] ?? 'neutral'}`}>{formatEnum(state)}</span>;
}

const columns: readonly Column<ConsoleRecurrenceFragment>[] = [
  {
    header: 'Number',
    kind: 'number',
    cell: ({ id, number }) => <Link href={`/recurrences/${encodeURIComponent(id)}`}>{number}</Link>,
  },
  { header: 'Name', kind: 'text', cell: ({ name }) => name ?? <span className="muted">unnamed</span> },
  { header: 'State', cell: ({ state }) => <RecurrenceBadge state={state} /> },
  { header: 'Recurs', kind: 'text', cell: ({ rule }) => describeRule(rule) },
  { header: 'Next start', cell: ({ upcoming }) => <Instant at={upcoming[0]?.start} seconds={false} /> },
  { header: 'Duration', cell: ({ duration }) => formatDuration(duration) },
  { header: 'Owner', kind: 'text', cell: ({ owner }) => owner?.name },
];

/** Advance reservations that recur. */
export default function RecurrencesPage() {
  const execute = useExecute();
  const mayRequest = useHasRole('USER');
  const [search, setSearch] = useSearchParams();
  const all = search.get('state') === 'all';
  const pages = useCursors();
  const before = pages.cursor;
  const query = useQuery({
    queryKey: ['recurrences', all, before],
    queryFn: ({ signal }) =>
      execute(ConsoleRecurrencesDocument, { ...(all ? {} : { live: true }), last: pageSize, before }, signal),
    placeholderData: keepPreviousData,
  });
  const found = query.data?.recurrences;
  return (
    <Page
      title="Recurrences"
      actions={
        mayRequest && (
          <Link href="/recurrences/new" className="button primary">
            New recurrence
          </Link>
        )
      }
    >
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>State</span>
          <select
            value={all ? 'all' : ''}
            onChange={(event) => {
              pages.reset();
              setSearch(event.target.value === '' ? {} : { state: event.target.value }, { replace: true });
            }}
          >
            <option value="">With occurrences to come</option>
            <option value="all">All</option>
          </select>
        </label>
      </form>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={found?.nodes.length === 0}
        empty={
          <p>
            There are no recurrences. A recurrence is a reservation that is made again and again, such as every Monday
            at nine.
          </p>
        }
      >
        <Table
          label="List of recurrences"
          columns={columns}
          rows={[...(found?.nodes ?? [])].reverse()}
          keyOf={({ id }) => id}
        />
        <ListPager list={found} noun="recurrence" pages={pages} newestFirst />
      </QueryState>
    </Page>
  );
}
