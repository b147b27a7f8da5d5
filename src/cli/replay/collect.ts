import { DateTime, Duration } from 'luxon';
import type { Instant } from '../../core/index.ts';
import { isFinal } from '../../core/index.ts';
import type { EventResult, LeaseResult, ReservationResult, SimulationResult } from '../../simulation/result.ts';
import type { TraceLease } from '../../simulation/workload.ts';
import { allPages, type Client } from '../client/client.ts';
import {
  FirstEventDocument,
  LeaseEventsDocument,
  LeaseHistoryDocument,
  type LeaseHistoryQuery,
} from '../client/generated/operations.ts';
import { known, scheduledState } from '../client/known.ts';
import { CliError } from '../terminal.ts';
import type { Sent } from './feed.ts';

/** What became of the leases that were sent, in the form of a simulation's result. Waits until they have ended. */
export async function collect(
  client: Client,
  leases: readonly TraceLease[],
  { start, numbers }: Sent,
  onProgress: (ended: number, total: number) => void,
): Promise<SimulationResult> {
  const traceNumbers = new Map([...numbers].map(([id, number]) => [number, id]));
  const events = await eventsUntilTheEnd(client, start, traceNumbers, onProgress);
  const results: LeaseResult[] = [];
  for (const lease of leases) {
    results.push(await history(client, start, lease, numbers.get(lease.id) ?? 0, traceNumbers));
  }
  return {
    summary: { end: events.at(-1)?.[0] ?? 0 },
    leases: results.sort((a, b) => a.id - b.id),
    events,
    unfinished: [],
    commands: [],
    maintenance: [],
  };
}

/** Whole seconds from the trace's beginning. */
function seconds(start: Instant, instant: string): number {
  return Math.round((DateTime.fromISO(instant).toMillis() - start) / 1_000);
}

function length(duration: string): number {
  return Math.round(Duration.fromISO(duration).as('seconds'));
}

/** All events of these leases, from the first on: those that have been missed meanwhile come first. */
async function eventsUntilTheEnd(
  client: Client,
  start: Instant,
  traceNumbers: ReadonlyMap<number, number>,
  onProgress: (ended: number, total: number) => void,
): Promise<EventResult[]> {
  let first = Number.POSITIVE_INFINITY;
  for (const number of traceNumbers.keys()) first = Math.min(first, number);
  if (traceNumbers.size === 0) return [];
  const { lease } = await client.request(FirstEventDocument, { number: first });
  const sequence = lease?.events.nodes[0]?.sequence;
  if (sequence === undefined) throw new CliError(`the server has no events of lease ${first}`);
  const events: EventResult[] = [];
  let ended = 0;
  for await (const { leaseEvents: event } of client.subscribe(LeaseEventsDocument, { after: sequence - 1 })) {
    const id = traceNumbers.get(event.lease.number);
    if (id === undefined) continue;
    const to = scheduledState(event.to);
    events.push([seconds(start, event.at), id, scheduledState(event.from), to]);
    if (!isFinal(to)) continue;
    ended += 1;
    onProgress(ended, traceNumbers.size);
    if (ended === traceNumbers.size) return events;
  }
  throw new CliError(`the server ended the subscription when ${ended} of ${traceNumbers.size} leases had ended`);
}

type History = NonNullable<LeaseHistoryQuery['lease']>;
type HistoricReservation = History['reservations']['nodes'][number];

async function history(
  client: Client,
  start: Instant,
  lease: TraceLease,
  number: number,
  traceNumbers: ReadonlyMap<number, number>,
): Promise<LeaseResult> {
  let found: History | null = null;
  const executed: ReservationResult[] = [];
  const pages = allPages(async (after, first) => {
    found = (await client.request(LeaseHistoryDocument, { number, first, after })).lease;
    if (found === null) throw new CliError(`the server does not know lease ${number} any more`);
    return found.reservations;
  });
  for await (const each of pages) {
    if (each.state !== 'SCHEDULED') executed.push(reservation(start, each, traceNumbers));
  }
  const { state, submittedAt, actualStart, endedAt, accumulatedDuration, stateReason } = found as unknown as History;
  return {
    id: lease.id,
    type: lease.type,
    state: scheduledState(state),
    submit: seconds(start, submittedAt),
    start: actualStart === null ? null : seconds(start, actualStart),
    end: state === 'DONE' && endedAt !== null ? seconds(start, endedAt) : null,
    accumulated: length(accumulatedDuration),
    requested: Math.round(lease.duration / 1_000),
    requestedStart: lease.start === null ? null : Math.round(lease.start / 1_000),
    deadline: lease.deadline === null ? null : Math.round(lease.deadline / 1_000),
    originalDuration: Math.round(lease.duration / 1_000),
    duration: Math.round(lease.duration / 1_000),
    machines: lease.machines.length,
    image: lease.image,
    reason: stateReason?.message ?? null,
    reservations: executed,
  };
}

function reservation(
  from: Instant,
  { kind, start, end, targets }: HistoricReservation,
  traceNumbers: ReadonlyMap<number, number>,
): ReservationResult {
  const times = { kind: known(kind), start: seconds(from, start), end: seconds(from, end) };
  if (kind === 'IMAGE_TRANSFER') {
    const served: Record<string, [number, number][]> = {};
    for (const { node, lease, machine } of targets) {
      const id = traceNumbers.get(lease?.number ?? 0);
      if (node === null || id === undefined) continue;
      served[node.number] = [...(served[node.number] ?? []), [id, machine]];
    }
    return { ...times, targets: served };
  }
  if (kind === 'MEMORY_MIGRATION' || kind === 'DISK_MIGRATION') {
    return {
      ...times,
      moves: Object.fromEntries(
        targets.map(({ machine, from: origin, node }) => [machine, [origin?.number ?? 0, node?.number ?? 0] as const]),
      ),
    };
  }
  return {
    ...times,
    nodes: Object.fromEntries(targets.map(({ machine, node }) => [machine, node?.number ?? 0])),
  };
}
