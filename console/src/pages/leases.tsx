import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { ConsoleLeasesDocument, type LeaseState, type LeaseType } from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { formatEnum } from '../ui/format.ts';
import { Page, Pager, QueryState } from '../ui/parts.tsx';
import { LeaseTable } from './lease-table.tsx';

const pageSize = 50;

const groups: Readonly<Record<string, readonly LeaseState[]>> = {
  Running: ['ACTIVE', 'RESUMED_READY', 'RESUMING', 'SUSPENDING', 'MIGRATING'],
  Waiting: ['NEW', 'PENDING', 'QUEUED', 'SCHEDULED', 'PREPARING', 'READY'],
  Suspended: ['SUSPENDED_PENDING', 'SUSPENDED_QUEUED', 'SUSPENDED_SCHEDULED'],
  Ended: ['DONE', 'CANCELLED', 'FAILED', 'REJECTED', 'REJECTED_BY_USER'],
};
const types: readonly LeaseType[] = ['BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE'];

/** All leases, newest first. Filters and page are in the address, so that a view can be shared. */
export function LeasesPage() {
  const execute = useExecute();
  const [search, setSearch] = useSearchParams();
  const group = search.get('state') ?? '';
  const type = (search.get('type') ?? '') as LeaseType | '';
  const before = search.get('before');
  const after = search.get('after');
  const variables = {
    filter: {
      ...(groups[group] ? { states: groups[group] } : {}),
      ...(type === '' ? {} : { types: [type] }),
    },
    ...(after === null ? { last: pageSize, before } : { first: pageSize, after }),
  };
  const query = useQuery({
    queryKey: ['leases', variables],
    queryFn: ({ signal }) => execute(ConsoleLeasesDocument, variables, signal),
    placeholderData: keepPreviousData,
  });
  const change = (changes: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(search);
    for (const name of ['before', 'after']) next.delete(name);
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    setSearch(next);
  };
  const leases = query.data?.leases;
  const newestFirst = [...(leases?.nodes ?? [])].reverse();

  return (
    <Page
      title="Leases"
      actions={
        <Link href="/leases/new" className="button primary">
          Request a lease
        </Link>
      }
    >
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>State</span>
          <select value={group} onChange={(event) => change({ state: event.target.value })}>
            <option value="">All</option>
            {Object.keys(groups).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          <span>Type</span>
          <select value={type} onChange={(event) => change({ type: event.target.value })}>
            <option value="">All</option>
            {types.map((each) => (
              <option key={each} value={each}>
                {formatEnum(each)}
              </option>
            ))}
          </select>
        </label>
      </form>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={newestFirst.length === 0}
        empty={
          <p>
            No lease matches these filters. <Link href="/leases/new">Request a lease</Link> or change the
            filters.
          </p>
        }
      >
        <LeaseTable leases={newestFirst} caption="Leases" />
        <Pager
          total={leases?.totalCount ?? 0}
          noun="lease"
          hasPrevious={leases?.pageInfo.hasNextPage ?? false}
          hasNext={leases?.pageInfo.hasPreviousPage ?? false}
          onPrevious={() => change({ after: leases?.pageInfo.endCursor ?? '' })}
          onNext={() => change({ before: leases?.pageInfo.startCursor ?? '' })}
        />
      </QueryState>
    </Page>
  );
}
