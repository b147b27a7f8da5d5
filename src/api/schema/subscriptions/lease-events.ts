import { CommandError } from '../../../engine/ports.ts';
import { clientError } from '../../errors.ts';
import { numberOf } from '../../global-id.ts';
import { type Delivery, LeaseEventStream } from '../../lease-event-stream.ts';
import { builder } from '../builder.ts';
import { eventFilterOf, LeaseEventFilterInput } from '../event.ts';
import { unexpected } from '../mutations/payload.ts';
import { LeaseEvent } from '../refs.ts';

builder.subscriptionField('leaseEvents', (t) =>
  t.field({
    type: LeaseEvent,
    description:
      'Changes of state as they are committed. With `after`, all events since that sequence number come first; nothing is lost or repeated in between.',
    // Subscriptions that differ in this argument only share their results.
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
      return new LeaseEventStream(context, {
        after: after ?? null,
        leaseNumber,
        filter: eventFilterOf(filter),
      });
    },
    resolve: (delivery: Delivery) => {
      if ('event' in delivery) return delivery.event;
      throw asClientError(delivery.failure);
    },
  }),
);

function asClientError(failure: unknown): unknown {
  return failure instanceof CommandError && failure.code !== 'INTERNAL'
    ? clientError(failure.code, failure.message)
    : unexpected(failure);
}
