import type { Amounts, Instant } from '../../core/index.ts';
import type { Principal } from '../../engine/ports.ts';
import type {
  ComputeNode,
  LeaseEvent,
  LeaseMachine,
  PrismaClient,
  Reservation,
} from '../../store/prisma/client.ts';
import { Batches } from './batches.ts';
import { Budget } from './budget.ts';
import { countEventsOfLeases, eventOrder, eventsBySequence, eventsOfLeases } from './events.ts';
import type { Interval } from './interval.ts';
import {
  countLeases,
  countQueue,
  type LeaseFilter,
  type LeaseRow,
  leaseOrder,
  leasesByNumber,
  machinesByLease,
  queueOrder,
  queuePositions,
  readLeases,
  readQueue,
  runningSince,
} from './leases.ts';
import { countNodes, heldAt, nodeOrder, nodesByNumber, readNodes } from './nodes.ts';
import { type Connection, connection, type PageArguments } from './pages.ts';
import {
  countReservations,
  countReservationsOfLeases,
  countReservationsOfNodes,
  nodesOfReservations,
  readReservations,
  reservationOrder,
  reservationsByNumber,
  reservationsOfLeases,
  reservationsOfNodes,
} from './reservations.ts';
import { readUtilization, type Sample, type Steps } from './utilization.ts';
import { type Source, viewOf } from './view.ts';

/** The readers of one response for the principal that asked. */
export function readers(prisma: PrismaClient, principal: Principal): Readers {
  return new Readers({ prisma, view: viewOf(principal) }, principal);
}

/**
 * Everything that the schema reads. Objects are returned only if the principal may see them (view.ts). Methods that take an object
 * expect one that was read here.
 */
export class Readers {
  readonly budget = new Budget();
  private readonly batches: Batches;

  constructor(
    private readonly source: Source,
    private readonly principal: Principal,
  ) {
    this.batches = new Batches(source);
  }

  lease(number: number): Promise<LeaseRow | undefined> {
    return this.batches.load(leasesByNumber, number);
  }

  leases(filter: LeaseFilter, page: PageArguments): Connection<LeaseRow> {
    return connection(
      leaseOrder,
      page,
      (window) => readLeases(this.source, filter, window),
      () => countLeases(this.source, filter),
    );
  }

  queue(page: PageArguments): Connection<LeaseRow> {
    return connection(
      queueOrder,
      page,
      (window) => readQueue(this.source, window),
      () => countQueue(this.source),
    );
  }

  async queuePosition({ number, queueRank }: LeaseRow): Promise<number | null> {
    return queueRank === null ? null : ((await this.batches.load(queuePositions, number)) ?? null);
  }

  machines({ number, machineCount }: LeaseRow): Promise<LeaseMachine[]> {
    return this.budget.read(
      machineCount,
      async () => (await this.batches.load(machinesByLease, number)) ?? [],
    );
  }

  /** The VM reservation of the lease that is running. */
  runningVm({ number }: LeaseRow): Promise<{ readonly start: Date; readonly end: Date } | undefined> {
    return this.batches.load(runningSince, number);
  }

  reservationsOfLease({ number }: LeaseRow, page: PageArguments): Connection<Reservation> {
    return connection(
      reservationOrder,
      page,
      async (window) => (await this.batches.load(reservationsOfLeases, number, window)) ?? [],
      async () => (await this.batches.load(countReservationsOfLeases, number)) ?? 0,
    );
  }

  eventsOfLease({ number }: LeaseRow, page: PageArguments): Connection<LeaseEvent> {
    return connection(
      eventOrder,
      page,
      async (window) => (await this.batches.load(eventsOfLeases, number, window)) ?? [],
      async () => (await this.batches.load(countEventsOfLeases, number)) ?? 0,
    );
  }

  event(sequence: number): Promise<LeaseEvent | undefined> {
    return this.batches.load(eventsBySequence, sequence);
  }

  node(number: number): Promise<ComputeNode | undefined> {
    return this.batches.load(nodesByNumber, number);
  }

  nodes(page: PageArguments): Connection<ComputeNode> {
    return connection(
      nodeOrder,
      page,
      (window) => readNodes(this.source, window),
      () => countNodes(this.source),
    );
  }

  async heldOn({ number }: ComputeNode, at: Instant): Promise<readonly Amounts[]> {
    return (await this.batches.load(heldAt, number, at)) ?? [];
  }

  reservation(number: number): Promise<Reservation | undefined> {
    return this.batches.load(reservationsByNumber, number);
  }

  reservations(interval: Interval, page: PageArguments): Connection<Reservation> {
    return connection(
      reservationOrder,
      page,
      (window) => readReservations(this.source, interval, window),
      () => countReservations(this.source, interval),
    );
  }

  reservationsOnNode(
    { number }: ComputeNode,
    interval: Interval,
    page: PageArguments,
  ): Connection<Reservation> {
    return connection(
      reservationOrder,
      page,
      async (window) => (await this.batches.load(reservationsOfNodes, number, { ...interval, window })) ?? [],
      async () => (await this.batches.load(countReservationsOfNodes, number, interval)) ?? 0,
    );
  }

  async nodesOfReservation({ number }: Reservation): Promise<ComputeNode[]> {
    const numbers = (await this.batches.load(nodesOfReservations, number)) ?? [];
    this.budget.take(numbers.length);
    const nodes = await Promise.all(numbers.map((each) => this.node(each)));
    return nodes.filter((node) => node !== undefined);
  }

  /** Whether the principal has used an idempotency key. */
  async isKnownKey(key: string): Promise<boolean> {
    const where = { principal: this.principal.name, key };
    return (await this.source.prisma.idempotencyKey.count({ where })) > 0;
  }

  utilization(type: string, steps: Steps, signal: AbortSignal | null): Promise<Sample[]> {
    return readUtilization(this.source, type, steps, signal);
  }
}
