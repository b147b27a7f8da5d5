import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { ConsoleLeasesDocument } from '../api/generated/operations.ts';
import { useExecute, useHasRole } from '../session/session.tsx';
import { Page, Pager, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { LeaseFilters, leaseFilterOf, leaseOrderOf } from './lease-filters.tsx';
import { LeaseTable } from './lease-table.tsx';

const pageSize = 50;

/** All leases. Filters, order and page are in the address, so that a view can be shared. */
export function LeasesPage() {
  const execute = useExecute();
  const mayRequest = useHasRole('USER');
  const [search, setSearch] = useSearchParams();
  const { timeZone } = useSettings();
  const { filter, isFiltered } = leaseFilterOf(search, timeZone);
  const before = search.get('before');
  const after = search.get('after');
  const variables = {
    filter,
    orderBy: leaseOrderOf(search),
    ...(before === null ? { first: pageSize, after } : { last: pageSize, before }),
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
    // Typing into a filter adds no entry to the history.
    setSearch(next, { replace: changes.before === undefined && changes.after === undefined });
  };
  const leases = query.data?.leases;
  const rows = leases?.nodes ?? [];

  return (
    <Page
      title="Leases"
      actions={
        mayRequest && (
          <Link href="/leases/new" className="button primary">
            Request a lease
          </Link>
        )
      }
    >
      <LeaseFilters search={search} onChange={change} />
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={rows.length === 0}
        empty={
          !isFiltered ? (
            <p>
              There are no leases that you may see.
              {mayRequest && (
                <>
                  {' '}
                  <Link href="/leases/new">Request the first one</Link>.
                </>
              )}
            </p>
          ) : (
            <p>No lease matches these filters. Change or clear them.</p>
          )
        }
      >
        <LeaseTable leases={rows} label="Leases" />
        <Pager
          total={leases?.totalCount ?? 0}
          noun="lease"
          hasPrevious={leases?.pageInfo.hasPreviousPage ?? false}
          hasNext={leases?.pageInfo.hasNextPage ?? false}
          onPrevious={() => change({ before: leases?.pageInfo.startCursor ?? '' })}
          onNext={() => change({ after: leases?.pageInfo.endCursor ?? '' })}
        />
      </QueryState>
    </Page>
  );
}
