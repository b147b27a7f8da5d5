import { CommandError } from '../../engine/ports.ts';
import type { LeaseEvent as LeaseEventRow } from '../../store/prisma/client.ts';
import { builder } from '../builder.ts';
import { clientError } from '../client-error.ts';
import { type ApiContext, forgetWhatWasRead } from '../context.ts';
import { numberOf } from '../global-id.ts';
import { leasesByNumber } from '../lease/rows.ts';
import { LeaseEvent } from '../nouns.ts';
import { unexpected } from '../user-error.ts';
import { rowOf } from './rows.ts';

/** What a subscription delivers: an event, or the error that ends it. (An error that the source throws itself would not reach clients alike over all transports.) */
type Delivery = { readonly event: LeaseEventRow } | { readonly failure: unknown };

builder.subscriptionField('leaseEvents', (t) =>
  t.field({
    type: LeaseEvent,
    description:
      'State changes as they are committed. With `after`, first everything since that sequence number: nothing is lost or repeated in between.',
    args: {
      after: t.arg({
        type: 'Long',
        description:
          'The last sequence number that was seen; 0 for everything from the first event on. EVENTS_EXPIRED when some of what follows it is no longer kept.',
      }),
      leaseId: t.arg.id({ description: 'Only events of this lease.' }),
    },
    subscribe: async (_root, { after, leaseId }, context) => {
      const leaseNumber = typeof leaseId === 'string' ? numberOf('Lease', leaseId) : null;
      if (leaseNumber !== null && (await context.loaders.load(leasesByNumber, leaseNumber)) === undefined) {
        throw clientError('LEASE_NOT_FOUND', `There is no lease ${leaseNumber}.`);
      }
      return deliveries(context, after ?? null, leaseNumber);
    },
    resolve: (delivery: Delivery) => {
      if ('event' in delivery) return delivery.event;
      throw asClientError(delivery.failure);
    },
  }),
);

const asClientError = (failure: unknown): unknown =>
  failure instanceof CommandError && failure.code !== 'INTERNAL'
    ? clientError(failure.code, failure.message)
    : unexpected(failure);

/**
 * An iterator by hand rather than an async generator: `return()` on a generator waits until its pending `next()` has ended, which may be
 * at the next event of the site; this one lets go of the engine at once.
 */
function deliveries(
  context: ApiContext,
  after: number | null,
  leaseNumber: number | null,
): AsyncGenerator<Delivery, undefined, undefined> {
  const abandoned = new AbortController();
  let source: AsyncIterator<Parameters<typeof rowOf>[0]> | undefined;
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
        forgetWhatWasRead(context);
        return { done: false, value: { event: rowOf(value) } };
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
