import type { Terminal } from '../terminal.ts';
import { plain } from '../text.ts';
import type { Client } from './client.ts';
import {
  FirstEventDocument,
  LeaseByNumberDocument,
  LeaseEventsDocument,
  type LeaseEventsSubscription,
  type LeaseRowFragment,
  type LeaseState,
} from './generated/operations.ts';
import { showInstant } from './show.ts';

/** One event in one line. */
export function showEvent({ at, from, to, reason, lease }: LeaseEventsSubscription['leaseEvents']): string {
  const why = reason ? ` (${reason.message} [${reason.code}])` : '';
  return `${showInstant(at)}  lease ${lease.number}: ${from} -> ${to}${plain(why)}`;
}

/** Waits until the lease is in a state that `isEnough`, printing each change to standard error. */
export async function followLease(
  client: Client,
  lease: LeaseRowFragment,
  isEnough: (state: LeaseState) => boolean,
  terminal: Terminal | null,
): Promise<LeaseRowFragment> {
  // From its first event on: nothing that happened before the subscription is missed, or waited for without end.
  const { lease: known } = await client.request(FirstEventDocument, { number: lease.number });
  const first = known?.events.nodes[0]?.sequence;
  if (first === undefined && isEnough(lease.state)) return lease;
  for await (const { leaseEvents: event } of client.subscribe(LeaseEventsDocument, {
    after: first === undefined ? null : first - 1,
    leaseId: lease.id,
  })) {
    terminal?.err(`${showEvent(event)}\n`);
    if (isEnough(event.to)) break;
  }
  return (await client.request(LeaseByNumberDocument, { number: lease.number })).lease ?? lease;
}
