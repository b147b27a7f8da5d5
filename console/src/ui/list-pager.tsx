import { Pager } from './parts.tsx';
import type { Cursors } from './use-cursors.ts';

interface List {
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage?: boolean;
    readonly endCursor?: string | null;
    readonly hasPreviousPage?: boolean;
    readonly startCursor?: string | null;
  };
}

/** The pages of a list of the API. `newestFirst`: it is read from its end. */
export function ListPager({
  list,
  noun,
  pages,
  newestFirst = false,
}: {
  list: List | null | undefined;
  noun: string;
  pages: Cursors;
  newestFirst?: boolean;
}) {
  const { endCursor, hasNextPage, hasPreviousPage, startCursor } = list?.pageInfo ?? {};
  return (
    <Pager
      total={list?.totalCount ?? 0}
      noun={noun}
      hasPrevious={pages.hasPrevious}
      hasNext={(newestFirst ? hasPreviousPage : hasNextPage) ?? false}
      onPrevious={pages.previous}
      onNext={() => pages.next(newestFirst ? startCursor : endCursor)}
    />
  );
}
