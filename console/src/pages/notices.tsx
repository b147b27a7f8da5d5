import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { ConsoleNoticesDocument, type NoticeKind } from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { ListPager } from '../ui/list-pager.tsx';
import { Page, QueryState } from '../ui/parts.tsx';
import { useCursors } from '../ui/use-cursors.ts';
import { NoticeTable, noticeLabels } from './notice-list.tsx';

const pageSize = 50;
const kinds = Object.keys(noticeLabels) as NoticeKind[];

/** Notices: leases about to end, displaced, late or failed; lost nodes; maintenance. */
export default function NoticesPage() {
  const execute = useExecute();
  const [search, setSearch] = useSearchParams();
  const kind = kinds.find((each) => each === search.get('kind'));
  const pages = useCursors();
  const before = pages.cursor;
  const filter = kind === undefined ? null : { kinds: [kind] };
  const query = useQuery({
    queryKey: ['notices', kind, before],
    queryFn: ({ signal }) => execute(ConsoleNoticesDocument, { filter, last: pageSize, before }, signal),
    placeholderData: keepPreviousData,
  });
  const notices = query.data?.notices;
  return (
    <Page title="Notices">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Kind</span>
          <select
            value={kind ?? ''}
            onChange={(event) => {
              pages.reset();
              setSearch(event.target.value === '' ? {} : { kind: event.target.value }, { replace: true });
            }}
          >
            <option value="">All</option>
            {kinds.map((each) => (
              <option key={each} value={each}>
                {noticeLabels[each]}
              </option>
            ))}
          </select>
        </label>
      </form>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={notices?.nodes.length === 0}
        empty={
          <p>
            There are no notices{kind === undefined ? '' : ' of this kind'}. They tell of leases that end soon, are
            displaced, late or failed, of nodes that are lost, and of maintenance.
          </p>
        }
      >
        <NoticeTable notices={notices?.nodes ?? []} label="List of notices" />
        <ListPager list={notices} noun="notice" pages={pages} newestFirst />
      </QueryState>
    </Page>
  );
}
