/** Pages of committed events, from the ring if possible and otherwise from the store. */
import { backoff, raceAbort } from './async.ts';
import type { EventFeed, Sequenced } from './event-feed.ts';
import { CommandError, type Page, StoreError } from './ports.ts';

export interface PageRequest {
  readonly after: number;
  readonly leaseNumber: number | null;
  readonly limit: number;
}

/** Whether the feed knows without a read that all events after this sequence number are stored. */
export function isKnownToBeKept(feed: EventFeed<Sequenced>, after: number): boolean {
  return after === feed.last || feed.fromRing(after + 1) !== undefined;
}

/** The next events after a sequence number. Rejects with CommandError. */
export function eventPage<R extends Sequenced>(
  feed: EventFeed<R>,
  request: PageRequest,
  signal: AbortSignal,
): Promise<Page<R>> {
  return isKnownToBeKept(feed, request.after)
    ? Promise.resolve(pageOfRing(feed, request))
    : readPage(feed, request, true, signal);
}

function pageOfRing<R extends Sequenced>(feed: EventFeed<R>, { after, leaseNumber, limit }: PageRequest): Page<R> {
  const events: R[] = [];
  let upTo = after;
  while (events.length < limit) {
    const event = feed.fromRing(upTo + 1);
    if (event === undefined) break;
    upTo = event.sequence;
    if (leaseNumber === null || event.leaseId === leaseNumber) events.push(event);
  }
  return { events, upTo };
}

/**
 * Reads a page from the store; waits while the database is unreachable. With `check`, rejects a sequence number ahead
 * of all events.
 */
export async function readPage<R extends Sequenced>(
  feed: EventFeed<R>,
  request: PageRequest,
  check: boolean,
  signal: AbortSignal,
): Promise<Page<R>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const ended = (): Error => new Error('the subscription has ended');
      return await raceAbort(
        feed.reading(() => readOnce(feed, request, check)),
        signal,
        ended,
      );
    } catch (error) {
      if (signal.aborted || !(error instanceof StoreError) || error.kind === 'PERMANENT') throw error;
      await feed.options.sleep(backoff(attempt, 100, 2_000), signal);
      if (signal.aborted) throw error;
    }
  }
}

async function readOnce<R extends Sequenced>(
  feed: EventFeed<R>,
  { after, leaseNumber, limit }: PageRequest,
  check: boolean,
): Promise<Page<R>> {
  const { store, onReplayed } = feed.options;
  // All events up to here are in the store, so a page that is not full contains all matching events.
  const known = feed.last;
  const events = await store.events(after, limit, leaseNumber);
  // Read before checking: events may be deleted at any time but never reappear.
  if (events[0]?.sequence !== after + 1) await feed.assertKept(after);
  if (check && events.length === 0 && after > feed.last) await assertNotAhead(feed, after);
  onReplayed(events.length);
  const last = events.at(-1)?.sequence ?? after;
  return { events, upTo: events.length < limit ? Math.max(last, known) : last };
}

async function assertNotAhead(feed: EventFeed<Sequenced>, after: number): Promise<void> {
  const { noun } = feed.options;
  const newest = (await feed.options.store.eventRange())?.newest ?? feed.last;
  if (after <= newest) return;
  throw new CommandError(
    'INVALID_REQUEST',
    `The ${noun} after ${after} are requested, but the newest has the sequence number ${Math.max(newest, feed.last)}.`,
    ['after'],
  );
}
