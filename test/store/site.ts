/** A small site and records to put into it. */
import { randomUUID } from 'node:crypto';
import type {
  ActionRecord,
  Changes,
  LeaseEventRecord,
  LeaseRecord,
  ReservationRecord,
  SiteSpec,
} from '../../src/core/index.ts';
import type { CommitBatch, Store, WriterTerm } from '../../src/engine/ports.ts';

export const site: SiteSpec = {
  resourceTypes: ['CPU', 'Memory'],
  nodes: [1, 2, 3, 4].map((number) => ({
    number,
    hostname: `node-${number}`,
    capacity: { CPU: [100, 100], Memory: 4096 },
  })),
};

export const noon = Date.UTC(2026, 5, 1, 12);

export function lease(id: number, fields: Partial<LeaseRecord> = {}): LeaseRecord {
  return {
    id,
    name: null,
    type: 'BEST_EFFORT',
    state: 'SCHEDULED',
    reason: null,
    submittedAt: noon,
    requestedStart: null,
    originalDuration: 3_600_000,
    duration: 3_600_000,
    knownDuration: null,
    accumulated: 0,
    restarts: 0,
    lostDuration: 0,
    preemptible: true,
    machines: [{ CPU: 100, Memory: 1024 }],
    image: null,
    actualStart: null,
    plannedStart: noon,
    endedAt: null,
    queueRank: null,
    isFuture: false,
    deadline: null,
    isWithoutPlace: false,
    preemptions: 0,
    owner: null,
    project: null,
    endNotice: null,
    occurrenceOf: null,
    mapping: { 1: 1 },
    memoryAt: {},
    diskAt: {},
    ...fields,
  };
}

export function reservation(id: number, leaseId: number, fields: Partial<ReservationRecord> = {}): ReservationRecord {
  return {
    id,
    leaseId,
    kind: 'VM',
    state: 'SCHEDULED',
    start: noon,
    end: noon + 3_600_000,
    amounts: { 1: { CPU: 100, Memory: 1024 } },
    machines: { 1: 1 },
    moves: null,
    waiting: null,
    targets: null,
    image: null,
    vmId: null,
    preemptor: null,
    chainIndex: 0,
    startRank: 1,
    endRank: 2,
    ...fields,
  };
}

export function event(sequence: number, leaseId: number, fields: Partial<LeaseEventRecord> = {}): LeaseEventRecord {
  return { sequence, at: noon, leaseId, from: 'NEW', to: 'PENDING', reason: null, ...fields };
}

export function action(id: number, leaseId: number, fields: Partial<ActionRecord> = {}): ActionRecord {
  return {
    id,
    kind: 'START',
    leaseId,
    reservationId: null,
    at: noon,
    deadline: null,
    targets: [{ leaseId, machine: 1, node: 1, toNode: null, capacity: { CPU: 100, Memory: 1024 }, image: null }],
    ...fields,
  };
}

export function batch(
  previous: string | null,
  changes: Partial<Changes> = {},
  rest: Partial<Omit<CommitBatch, 'changes' | 'previous'>> = {},
): CommitBatch {
  const { leases = [], reservations = [] } = changes;
  return {
    id: randomUUID(),
    previous,
    changes: {
      site: null,
      leases,
      placedLeases: leases.map(({ id }) => id),
      reservations,
      placedReservations: reservations.map(({ id }) => id),
      withdrawn: [],
      events: [],
      actions: [],
      nodes: [],
      maintenance: [],
      ...changes,
    },
    idempotency: [],
    outcomes: [],
    notices: [],
    audit: [],
    noticesGivenUntil: null,
    answers: [],
    ...rest,
  };
}

export async function writerOf(store: Store): Promise<WriterTerm> {
  const writer = await store.acquireWriter();
  if (writer === null) throw new Error('another process holds the lock');
  return writer;
}

/** A writer on a new site. */
export async function newSite(store: Store): Promise<WriterTerm> {
  const writer = await writerOf(store);
  await store.createSite('test', site, writer);
  return writer;
}
