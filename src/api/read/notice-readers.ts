import type { Notice } from '../../store/prisma/client.ts';
import type { Batches } from './batches.ts';
import { type NoticeFilter, noticesBySequence, pagesOfNotices } from './notices.ts';
import type { Connection, PageArguments } from './pages.ts';
import type { Source } from './view.ts';

/** What the schema reads of notices. */
export class NoticeReaders {
  constructor(
    private readonly source: Source,
    private readonly batches: Batches,
  ) {}

  pages(filter: NoticeFilter, page: PageArguments): Connection<Notice> {
    return pagesOfNotices(this.source, filter, page);
  }

  notice(sequence: number): Promise<Notice | undefined> {
    return this.batches.load(noticesBySequence, sequence);
  }
}
