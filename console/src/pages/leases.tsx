import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import {
  ConsoleLeasesDocument,
  type LeaseOrder,
  type LeaseState,
  type LeaseType,
} from '../api/generated/operations.ts';
import { useExecute, useHasRole, useSession } from '../session/session.tsx';
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
const orders: Readonly<Record<string, { readonly label: string; readonly by: LeaseOrder }>> = {
  NEWEST: { label: 'Newest first', by: { field: 'NUMBER', direction: 'DESC' } },
  OLDEST: { label: 'Oldest first', by: { field: 'NUMBER', direction: 'ASC' } },
  START: { label: 'Start, latest first', by: { field: 'START', direction: 'DESC' } },
  ENDED: { label: 'End, latest first', by: { field: 'ENDED_AT', direction: 'DESC' } },
};
const types: readonly LeaseType[] = ['BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE'];

/** All leases. Filters, order and page are in the address, so that a view can be shared. */
export function LeasesPage() {
  const execute = useExecute();
  const { viewer } = useSession();
  const mayRequest = useHasRole('USER');
  const [search, setSearch] = useSearchParams();
  const group = search.get('state') ?? '';
  const type = (search.get('type') ?? '') as LeaseType | '';
  const name = search.get('name') ?? '';
  const project = search.get('project') ?? '';
  const order = orders[search.get('order') ?? ''] ?? orders.NEWEST;
  const before = search.get('before');
  const after = search.get('after');
  const variables = {
    filter: {
      ...(groups[group] ? { states: groups[group] } : {}),
      ...(type === '' ? {} : { types: [type] }),
      ...(name === '' ? {} : { name }),
      ...(project === '' ? {} : { projects: [project] }),
    },
    orderBy: order?.by ?? null,
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
    setSearch(next);
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
        {viewer.projects.length > 0 && (
          <label>
            <span>Project</span>
            <select value={project} onChange={(event) => change({ project: event.target.value })}>
              <option value="">All</option>
              {viewer.projects.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span>Name contains</span>
          <input type="search" value={name} onChange={(event) => change({ name: event.target.value })} />
        </label>
        <label>
          <span>Order</span>
          <select
            value={search.get('order') ?? 'NEWEST'}
            onChange={(event) => change({ order: event.target.value })}
          >
            {Object.entries(orders).map(([key, { label }]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </form>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={rows.length === 0}
        empty={
          group === '' && type === '' && name === '' && project === '' ? (
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
