/** Pages of committed events: from the ring where it holds them, otherwise from the store. */
import type { LeaseEventRecord } from '../core/index.ts';
import { backoff, raceAbort } from './async.ts';
import type { EventFeed } from './event-feed.ts';
import { CommandError, type EventPage, StoreError } from './ports.ts';

export interface PageRequest {
  readonly after: number;
  readonly leaseNumber: number | null;
  readonly limit: number;
}

/** Whether the feed itself knows that all events after this sequence number are kept. */
export function isKnownToBeKept(feed: EventFeed, after: number): boolean {
  return after === feed.last || feed.fromRing(after + 1) !== undefined;
}

/** The next events after a sequence number. Rejects with CommandError. */
export function eventPage(feed: EventFeed, request: PageRequest, signal: AbortSignal): Promise<EventPage> {
  return isKnownToBeKept(feed, request.after)
    ? Promise.resolve(pageOfRing(feed, request))
    : readPage(feed, request, true, signal);
}

function pageOfRing(feed: EventFeed, { after, leaseNumber, limit }: PageRequest): EventPage {
  const events: LeaseEventRecord[] = [];
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
 * Reads a page from the store; waits while the database is out of reach. With `check`, a sequence number that is ahead
 * of all events is refused.
 */
export async function readPage(
  feed: EventFeed,
  request: PageRequest,
  check: boolean,
  signal: AbortSignal,
): Promise<EventPage> {
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

async function readOnce(
  feed: EventFeed,
  { after, leaseNumber, limit }: PageRequest,
  check: boolean,
): Promise<EventPage> {
  const { store, onReplayed } = feed.options;
  // All events up to here are in the store: a page that is not full has all of them that match.
  const known = feed.last;
  const events = await store.events(after, limit, leaseNumber);
  // Read first, checked afterwards: events may be deleted at any time, but never come back.
  if (events[0]?.sequence !== after + 1) await feed.assertKept(after);
  if (check && events.length === 0 && after > feed.last) await assertNotAhead(feed, after);
  onReplayed(events.length);
  const last = events.at(-1)?.sequence ?? after;
  return { events, upTo: events.length < limit ? Math.max(last, known) : last };
}

async function assertNotAhead(feed: EventFeed, after: number): Promise<void> {
  const newest = (await feed.options.store.eventRange())?.newest ?? feed.last;
  if (after <= newest) return;
  throw new CommandError(
    'INVALID_REQUEST',
    `Events after ${after} are requested, but the newest event has the sequence number ${Math.max(newest, feed.last)}.`,
    ['after'],
  );
}
