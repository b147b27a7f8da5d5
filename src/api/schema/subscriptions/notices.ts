import type { NoticeRecord } from '../../../engine/ports.ts';
import { type Delivery, FeedStream } from '../../feed-stream.ts';
import { numberOf } from '../../global-id.ts';
import { noticeRow, passesNotice } from '../../read/notices.ts';
import { builder } from '../builder.ts';
import { NoticeFilterInput, noticeFilterOf } from '../notice.ts';
import { Notice } from '../refs.ts';
import { recordOf } from './delivery.ts';

builder.subscriptionField('notices', (t) =>
  t.field({
    type: Notice,
    description:
      'Notices of nodes, and of leases that the principal may see, as they are committed. With `after`, all notices since that sequence number come first; nothing is lost or repeated in between.',
    extensions: { cursorArgument: 'after' },
    args: {
      after: t.arg({
        type: 'Long',
        description:
          'The last sequence number seen; 0 for all notices. EVENTS_EXPIRED if some of the notices after it are no longer kept.',
      }),
      project: t.arg.id({ description: 'Returns only notices of leases of this project.' }),
      filter: t.arg({ type: NoticeFilterInput, description: 'Returns only notices that meet it.' }),
    },
    subscribe: (_root, { after, project, filter }, context) => {
      const conditions = noticeFilterOf(filter);
      const number = typeof project === 'string' ? numberOf('Project', project) : null;
      return new FeedStream<NoticeRecord>(context, {
        name: 'notices',
        feed: context.services.leases.notices,
        after: after ?? null,
        leaseNumber: null,
        shown: async (notices, read) => {
          const passing = notices.filter(
            (notice) => passesNotice(notice, conditions) && (number === null || notice.project === number),
          );
          const visible = await Promise.all(
            passing.map(({ leaseId }) => leaseId === null || read.mayReadLease(leaseId)),
          );
          return passing.filter((_notice, index) => visible[index]);
        },
      });
    },
    resolve: (delivery: Delivery<NoticeRecord>) => noticeRow(recordOf(delivery)),
  }),
);
