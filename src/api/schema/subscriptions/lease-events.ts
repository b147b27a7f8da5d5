import type { LeaseEventRecord } from '../../../core/index.ts';
import { clientError } from '../../errors.ts';
import { type Delivery, eventFeed, FeedStream } from '../../feed-stream.ts';
import { numberOf } from '../../global-id.ts';
import { eventRow, passes } from '../../read/events.ts';
import { builder } from '../builder.ts';
import { eventFilterOf, LeaseEventFilterInput } from '../event.ts';
import { LeaseEvent } from '../refs.ts';
import { recordOf } from './delivery.ts';

builder.subscriptionField('leaseEvents', (t) =>
  t.field({
    type: LeaseEvent,
    description:
      'Changes of state as they are committed. With `after`, all events since that sequence number come first; nothing is lost or repeated in between.',
    // Subscriptions that differ only in this argument share their results.
    extensions: { cursorArgument: 'after' },
    args: {
      after: t.arg({
        type: 'Long',
        description:
          'The last sequence number seen; 0 for all events. EVENTS_EXPIRED if some of the events after it are no longer kept.',
      }),
      leaseId: t.arg.id({ description: 'Returns only events of this lease.' }),
      filter: t.arg({ type: LeaseEventFilterInput, description: 'Returns only events that meet it.' }),
    },
    subscribe: async (_root, { after, leaseId, filter }, context) => {
      const leaseNumber = typeof leaseId === 'string' ? numberOf('Lease', leaseId) : null;
      if (leaseNumber !== null && (await context.read.lease(leaseNumber)) === undefined) {
        throw clientError('LEASE_NOT_FOUND', `Lease ${leaseNumber} does not exist.`);
      }
      const conditions = eventFilterOf(filter);
      return new FeedStream<LeaseEventRecord>(context, {
        name: 'events',
        feed: eventFeed(context.services.leases),
        after: after ?? null,
        leaseNumber,
        shown: async (events, read) => {
          const passing = events.filter((event) => passes(event, conditions));
          const visible = await Promise.all(passing.map((event) => read.mayReadLease(event.leaseId)));
          return passing.filter((_event, index) => visible[index]);
        },
      });
    },
    resolve: (delivery: Delivery<LeaseEventRecord>) => eventRow(recordOf(delivery)),
  }),
);
