import { setTimeout as sleep } from 'node:timers/promises';
import { DateTime } from 'luxon';
import type { Instant, Millis } from '../../core/index.ts';
import { applyOverheads } from '../../simulation/overheads.ts';
import type { Cancellation, Overheads, TraceLease } from '../../simulation/workload.ts';
import { assertAccepted, type Client, type SocketClient } from '../client/client.ts';
import {
  CancelLeaseDocument,
  LeaseByNumberDocument,
  RequestLeaseDocument,
  type RequestLeaseInput,
  SiteDocument,
} from '../client/generated/operations.ts';
import { leaseInput } from '../client/lease-input.ts';
import { CliError } from '../terminal.ts';

export interface Work {
  /** In order of arrival. */
  readonly leases: readonly TraceLease[];
  readonly cancellations: readonly Cancellation[];
  readonly overheads: Overheads;
}

/** What has been sent. */
export interface Sent {
  /** When the trace's time began, on the server's clock. */
  readonly start: Instant;
  /** The trace's number -> the server's. */
  readonly numbers: ReadonlyMap<number, number>;
  /** By how much a request went out too late at most, on the server's clock. */
  readonly lateness: Millis;
}

/** Real time from here to the trace's beginning. */
const lead: Millis = 500;

/**
 * Sends each request when its time has come on the clock of the server, without waiting for earlier answers, so that an
 * accelerated clock does not run away; the server takes them in this order.
 */
export async function feed(
  client: Client,
  work: Work,
  resourceTypes: readonly string[],
  onProgress: (sent: number, total: number) => void,
): Promise<Sent> {
  const clock = await ServerClock.of(client);
  const socket = client.socket();
  try {
    // The connection is made now.
    await socket.request(SiteDocument, {});
    const start = Math.ceil((clock.now() + lead * clock.speed) / 1_000) * 1_000;
    const sent = new Map<number, Promise<number>>();
    const cancelled: Promise<void>[] = [];
    let lateness = 0;
    let failed: unknown = null;
    const watched = <T>(answer: Promise<T>): Promise<T> => {
      answer.catch((error: unknown) => {
        failed ??= error;
      });
      return answer;
    };
    for (const step of timeline(work)) {
      await clock.until(start + step.at);
      if (failed !== null) throw failed;
      lateness = Math.max(lateness, clock.now() - start - step.at);
      if ('cancel' in step) {
        cancelled.push(watched(cancel(socket, sent.get(step.cancel))));
      } else {
        const { request } = step;
        const input = leaseInput(applyOverheads(request, work.overheads), start, resourceTypes);
        sent.set(request.id, watched(ask(socket, input)));
        onProgress(sent.size, work.leases.length);
      }
    }
    await Promise.all(cancelled);
    const numbers = new Map<number, number>();
    for (const [id, number] of sent) numbers.set(id, await number);
    return { start, numbers, lateness };
  } finally {
    await socket.dispose();
  }
}

type Step = { readonly at: Millis } & ({ readonly request: TraceLease } | { readonly cancel: number });

/** In order of time; at one instant cancellations come first, as in a simulation. */
function timeline({ leases, cancellations }: Work): Step[] {
  return [
    ...cancellations.map(({ at, leaseId }) => ({ at, cancel: leaseId })),
    ...leases.map((request) => ({ at: request.arrival, request })),
  ].sort((a, b) => a.at - b.at);
}

/** The clock of the server, as seen from here. */
class ServerClock {
  private constructor(
    private readonly read: Instant,
    private readonly readAt: number,
    readonly speed: number,
  ) {}

  static async of(client: Client): Promise<ServerClock> {
    // The first answer on a connection is slow; the second one is more precise.
    await client.request(SiteDocument, {});
    const before = performance.now();
    const { serverTime, site } = await client.request(SiteDocument, {});
    const read = DateTime.fromISO(serverTime).toMillis();
    return new ServerClock(read, (before + performance.now()) / 2, site.clockSpeed);
  }

  now(): Instant {
    return this.read + (performance.now() - this.readAt) * this.speed;
  }

  async until(instant: Instant): Promise<void> {
    for (let left = instant - this.now(); left > 0; left = instant - this.now()) {
      await sleep(Math.min(left / this.speed, 60_000));
    }
  }
}

async function ask(socket: SocketClient, input: RequestLeaseInput): Promise<number> {
  const { lease, userErrors } = (await socket.request(RequestLeaseDocument, { input })).requestLease;
  assertAccepted(userErrors);
  if (lease === null) throw new CliError('the server answered without a lease');
  return lease.number;
}

/** Leases that are not there yet, or have ended, are ignored, as in a simulation. */
async function cancel(socket: SocketClient, sent: Promise<number> | undefined): Promise<void> {
  if (sent === undefined) return;
  const { lease } = await socket.request(LeaseByNumberDocument, { number: await sent });
  if (lease === null) return;
  const { userErrors } = (await socket.request(CancelLeaseDocument, { id: lease.id })).cancelLease;
  assertAccepted(userErrors.filter(({ code }) => code !== 'LEASE_ENDED'));
}
