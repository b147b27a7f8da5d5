import { CommandError } from '../../../engine/ports.ts';
import type { LeaseEvent as LeaseEventRow } from '../../../store/prisma/client.ts';
import { type ApiContext, readAgain } from '../../context.ts';
import { clientError } from '../../errors.ts';
import { numberOf } from '../../global-id.ts';
import { eventRow } from '../../read/events.ts';
import { builder } from '../builder.ts';
import { unexpected } from '../mutations/payload.ts';
import { LeaseEvent } from '../refs.ts';

/**
 * An element of a subscription: an event, or the error that ends it. (An error that the source throws itself does not reach clients
 * equally over all transports.)
 */
type Delivery = { readonly event: LeaseEventRow } | { readonly failure: unknown };

builder.subscriptionField('leaseEvents', (t) =>
  t.field({
    type: LeaseEvent,
    description:
      'Changes of state as they are committed. With `after`, all events since that sequence number come first; nothing is lost or repeated in between.',
    args: {
      after: t.arg({
        type: 'Long',
        description:
          'The last sequence number seen; 0 for all events. EVENTS_EXPIRED if some of the events after it are no longer kept.',
      }),
      leaseId: t.arg.id({ description: 'Returns only events of this lease.' }),
    },
    subscribe: async (_root, { after, leaseId }, context) => {
      const leaseNumber = typeof leaseId === 'string' ? numberOf('Lease', leaseId) : null;
      if (leaseNumber !== null && (await context.read.lease(leaseNumber)) === undefined) {
        throw clientError('LEASE_NOT_FOUND', `Lease ${leaseNumber} does not exist.`);
      }
      return deliveries(context, after ?? null, leaseNumber);
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

/**
 * An iterator written by hand instead of an async generator: `return()` of a generator waits until its pending `next()` has ended,
 * which may be at the next event of the site; this one releases the engine's stream at once.
 */
function deliveries(
  context: ApiContext,
  after: number | null,
  leaseNumber: number | null,
): AsyncGenerator<Delivery, undefined, undefined> {
  const abandoned = new AbortController();
  let source: AsyncIterator<Parameters<typeof eventRow>[0]> | undefined;
  let over = false;

  const finish = async (): Promise<IteratorReturnResult<undefined>> => {
    over = true;
    abandoned.abort();
    await source?.return?.();
    return { done: true, value: undefined };
  };

  return {
    async next() {
      if (over) return { done: true, value: undefined };
      try {
        source ??= context.services.leases
          .events({ after, leaseNumber, signal: abandoned.signal })
          [Symbol.asyncIterator]();
        const { done, value } = await source.next();
        if (done) return await finish();
        readAgain(context);
        return { done: false, value: { event: eventRow(value) } };
      } catch (failure) {
        if (over) return { done: true, value: undefined };
        over = true;
        return { done: false, value: { failure } };
      }
    },
    return: finish,
    async throw(error) {
      await finish();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await finish();
    },
  };
}
