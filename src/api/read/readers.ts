import type { Amounts, Instant } from '../../core/index.ts';
import type { Identity, Visibility } from '../../identity/index.ts';
import type { LeaseEvent, LeaseMachine, PrismaClient, Project, Reservation } from '../../store/prisma/client.ts';
import { clientError } from '../errors.ts';
import { maxScheduled } from '../limits.ts';
import { type AccountingGroup, type AccountingRow, readAccounting } from './accounting.ts';
import {
  type ActionRow,
  actionOrder,
  actionsByNumber,
  actionsOfLeases,
  actionsOfNodes,
  countActionsOfLeases,
  countActionsOfNodes,
  type MeasuredRow,
  measuredActionsOfNodes,
} from './actions.ts';
import { countProjects, ownersByName, projectOrder, projectsByNumber, readProjects } from './administration.ts';
import { type Batch, Batches } from './batches.ts';
import { Budget } from './budget.ts';
import {
  countEvents,
  countEventsOfLeases,
  type EventFilter,
  eventOrder,
  eventsBySequence,
  eventsOfLeases,
  readEvents,
} from './events.ts';
import { plansOfLeases, plansOfNodes } from './fingerprints.ts';
import { type FreeCapacity, freeCapacity } from './free-capacity.ts';
import { IdentityReaders } from './identity-readers.ts';
import type { Interval } from './interval.ts';
import {
  countLeases,
  countLeasesOfGroups,
  countQueue,
  groupOrder,
  type LeaseFilter,
  type LeaseOrder,
  type LeaseRow,
  leaseOrder,
  leasesByNumber,
  leasesOfGroups,
  machinesByLease,
  plannedEnds,
  queueOrder,
  queuePositions,
  readLeases,
  readQueue,
  runningSince,
} from './leases.ts';
import { type MaintenanceRow, maintenanceByName, pagesOfMaintenance } from './maintenance.ts';
import {
  countNodes,
  heldAt,
  holdingsDuring,
  maxHoldings,
  type NodeFilter,
  type NodeRow,
  nodeOrder,
  nodesByNumber,
  readAllNodes,
  readNodes,
} from './nodes.ts';
import { NoticeReaders } from './notice-readers.ts';
import { paced } from './pace.ts';
import { type Connection, connection, type Order, type PageArguments, type Window } from './pages.ts';
import {
  countRecurrences,
  type RecurrenceFilter,
  type RecurrenceRow,
  readRecurrences,
  recurrenceOrder,
  recurrencesByNumber,
} from './recurrences.ts';
import {
  countReservations,
  countReservationsOfLeases,
  countReservationsOfNodes,
  nodesOfReservations,
  type ReservationFilter,
  readReservations,
  reservationOrder,
  reservationsByNumber,
  reservationsOfLeases,
  reservationsOfNodes,
} from './reservations.ts';
import { readSchedule } from './schedule.ts';
import { countLive, type SchedulerCounts } from './scheduler.ts';
import { readUtilization, type Sample, type Steps } from './utilization.ts';
import { type Source, viewOf } from './view.ts';

/** The readers of one response for its principal. */
export function readers(prisma: PrismaClient, principal: Identity, visibility: Visibility): Readers {
  return new Readers({ prisma, view: viewOf(principal, visibility) }, principal);
}

/**
 * All reads of the schema. Only visible objects are returned (view.ts). Methods that take an object expect one read
 * here.
 */
export class Readers {
  readonly budget = new Budget();
  readonly notices: NoticeReaders;
  readonly identity: IdentityReaders;
  private readonly batches: Batches;

  constructor(
    private readonly source: Source,
    private readonly principal: Identity,
  ) {
    this.batches = new Batches(source);
    this.notices = new NoticeReaders(source, this.batches);
    this.identity = new IdentityReaders(source, this.batches);
  }

  lease(number: number): Promise<LeaseRow | undefined> {
    return this.batches.load(leasesByNumber, number);
  }

  /** Whether an existing lease is visible. */
  async mayReadLease(number: number): Promise<boolean> {
    return this.source.view.leases === null || (await this.lease(number)) !== undefined;
  }

  leases(filter: LeaseFilter, by: LeaseOrder, page: PageArguments): Connection<LeaseRow> {
    const order = leaseOrder(by);
    return this.list(order, page, readLeases, countLeases, filter, order);
  }

  queue(page: PageArguments): Connection<LeaseRow> {
    return this.list(queueOrder, page, readQueue, countQueue);
  }

  async queuePosition({ number, queueRank }: LeaseRow): Promise<number | null> {
    return queueRank === null ? null : ((await this.batches.load(queuePositions, number)) ?? null);
  }

  machines({ number, machineCount }: LeaseRow): Promise<LeaseMachine[]> {
    return this.budget.read(machineCount, async () => (await this.batches.load(machinesByLease, number)) ?? []);
  }

  /** The running VM reservation of the lease. */
  runningVm({ number }: LeaseRow): Promise<{ readonly start: Date; readonly end: Date } | undefined> {
    return this.batches.load(runningSince, number);
  }

  reservationsOfLease({ number }: LeaseRow, page: PageArguments): Connection<Reservation> {
    return this.ofParent(reservationOrder, page, number, reservationsOfLeases, countReservationsOfLeases);
  }

  /** A fingerprint of the lease's plan. */
  async planOfLease({ number }: LeaseRow): Promise<string | null> {
    return (await this.batches.load(plansOfLeases, number)) ?? null;
  }

  eventsOfLease({ number }: LeaseRow, page: PageArguments): Connection<LeaseEvent> {
    return this.ofParent(eventOrder, page, number, eventsOfLeases, countEventsOfLeases);
  }

  /** When the nodes of the lease are planned to be free again. */
  async plannedEnd({ number }: LeaseRow): Promise<Date | null> {
    return (await this.batches.load(plannedEnds, number)) ?? null;
  }

  events(filter: EventFilter, page: PageArguments): Connection<LeaseEvent> {
    return this.list(eventOrder, page, readEvents, countEvents, filter);
  }

  event(sequence: number): Promise<LeaseEvent | undefined> {
    return this.batches.load(eventsBySequence, sequence);
  }

  node(number: number): Promise<NodeRow | undefined> {
    return this.batches.load(nodesByNumber, number);
  }

  /** Nodes (null: all), each with a fingerprint of its plans. */
  async nodesWithPlans(number: number | null): Promise<{
    readonly nodes: readonly NodeRow[];
    readonly plans: ReadonlyMap<number, string>;
  }> {
    const [nodes, plans] = await Promise.all([
      number === null ? readAllNodes(this.source) : this.node(number).then((node) => (node ? [node] : [])),
      this.batches.load(plansOfNodes, number ?? 0),
    ]);
    return { nodes, plans: plans ?? new Map() };
  }

  nodes(filter: NodeFilter, page: PageArguments): Connection<NodeRow> {
    return this.list(nodeOrder, page, readNodes, countNodes, filter);
  }

  async heldOn({ number }: NodeRow, at: Instant): Promise<readonly Amounts[]> {
    return (await this.batches.load(heldAt, number, at)) ?? [];
  }

  /** Throws OPERATION_TOO_LARGE if too many reservations would be read. */
  async freeCapacity(node: NodeRow, from: Instant, to: Instant): Promise<FreeCapacity[]> {
    const holdings = (await this.batches.load(holdingsDuring, node.number, { from, to })) ?? [];
    if (holdings.length > maxHoldings) {
      throw clientError(
        'OPERATION_TOO_LARGE',
        `Node ${node.number} has more than ${maxHoldings} reservations in this interval. Use a shorter interval.`,
      );
    }
    this.budget.take(holdings.length);
    return freeCapacity(node.capacity as Amounts, holdings, from, to);
  }

  reservation(number: number): Promise<Reservation | undefined> {
    return this.batches.load(reservationsByNumber, number);
  }

  reservations(filter: ReservationFilter, page: PageArguments): Connection<Reservation> {
    return this.list(reservationOrder, page, readReservations, countReservations, filter);
  }

  reservationsOnNode({ number }: NodeRow, interval: Interval, page: PageArguments): Connection<Reservation> {
    return connection(
      reservationOrder,
      page,
      async (window) => (await this.batches.load(reservationsOfNodes, number, { ...interval, window })) ?? [],
      async () => (await this.batches.load(countReservationsOfNodes, number, interval)) ?? 0,
    );
  }

  async nodesOfReservation({ number }: Reservation): Promise<NodeRow[]> {
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

  /** Reservations that overlap [from, to), and whether the list is complete. Throws OPERATION_TOO_LARGE. */
  async schedule(from: Instant, to: Instant) {
    const rows = await readSchedule(this.source, from, to, maxScheduled + 1);
    const reservations = rows.slice(0, maxScheduled);
    this.budget.take(reservations.reduce((sum, { nodes }) => sum + nodes.length, 0));
    return { reservations, isComplete: rows.length === reservations.length };
  }

  utilization(type: string, steps: Steps, signal: AbortSignal | null): Promise<Sample[]> {
    return readUtilization(this.source, type, steps, signal);
  }

  action(number: number): Promise<ActionRow | undefined> {
    return this.batches.load(actionsByNumber, number);
  }

  actionsOfLease({ number }: LeaseRow, page: PageArguments): Connection<ActionRow> {
    return this.ofParent(actionOrder, page, number, actionsOfLeases, countActionsOfLeases);
  }

  actionsOnNode({ number }: NodeRow, page: PageArguments): Connection<ActionRow> {
    return this.ofParent(actionOrder, page, number, actionsOfNodes, countActionsOfNodes);
  }

  async measuredActions({ number }: NodeRow): Promise<readonly MeasuredRow[]> {
    const actions = (await this.batches.load(measuredActionsOfNodes, number)) ?? [];
    this.budget.take(actions.length);
    return actions;
  }

  /** At most one row more than the limit. */
  accounting(periods: Steps, by: AccountingGroup, now: Instant, limit: number): Promise<AccountingRow[]> {
    return readAccounting(this.source, periods, by, now, limit);
  }

  async maintenanceNamed(name: string): Promise<MaintenanceRow | null> {
    return (await this.batches.load(maintenanceByName, name)) ?? null;
  }

  maintenance(interval: Interval, page: PageArguments): Connection<MaintenanceRow> {
    return pagesOfMaintenance(this.source, interval, page);
  }

  recurrence(number: number): Promise<RecurrenceRow | undefined> {
    return this.batches.load(recurrencesByNumber, number);
  }

  recurrences(filter: RecurrenceFilter, page: PageArguments): Connection<RecurrenceRow> {
    return this.list(recurrenceOrder, page, readRecurrences, countRecurrences, filter);
  }

  schedulerCounts(): Promise<SchedulerCounts> {
    return countLive(this.source);
  }

  project(number: number): Promise<Project | undefined> {
    return this.batches.load(projectsByNumber, number);
  }

  /** The leases of a project or of a recurrence. */
  leasesOfGroup(by: 'projectNumber' | 'recurrenceNumber', number: number, filter: LeaseFilter, page: PageArguments) {
    return connection(
      groupOrder,
      page,
      async (window) => (await this.batches.load(leasesOfGroups, number, { by, filter, window })) ?? [],
      async () => (await this.batches.load(countLeasesOfGroups, number, { by, filter })) ?? 0,
    );
  }

  /** Existing visible ones, in the order of the numbers. */
  async projectsOf(numbers: readonly number[]): Promise<Project[]> {
    const found = await Promise.all(numbers.map((number) => this.project(number)));
    return found.filter((project) => project !== undefined);
  }

  projects(page: PageArguments): Connection<Project> {
    return this.list(projectOrder, page, readProjects, countProjects);
  }

  /** The owner of a visible lease. For a principal without a token, only the name is known. */
  async owner(name: string): Promise<Pick<Identity, 'name' | 'role' | 'projects'>> {
    if (name === 'admin') return { name, role: 'ADMIN', projects: [] };
    return (await this.batches.load(ownersByName, name)) ?? { name, role: 'USER', projects: [] };
  }

  private list<Row, Filter extends readonly unknown[]>(
    order: Order<Row>,
    page: PageArguments,
    read: (source: Source, ...rest: [...Filter, Window]) => Promise<readonly Row[]>,
    count: (source: Source, ...filter: Filter) => Promise<number>,
    ...filter: Filter
  ): Connection<Row> {
    return connection(
      order,
      page,
      (window) => paced(read(this.source, ...filter, window)),
      () => count(this.source, ...filter),
    );
  }

  /** A page of the list of an object already read, batched with others. */
  private ofParent<Row>(
    order: Order<Row>,
    page: PageArguments,
    parent: number,
    rows: Batch<number, Row[], Window>,
    count: Batch<number, number>,
  ): Connection<Row> {
    return connection(
      order,
      page,
      async (window) => (await this.batches.load(rows, parent, window)) ?? [],
      async () => (await this.batches.load(count, parent)) ?? 0,
    );
  }
}
