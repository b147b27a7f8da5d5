import { ChangeLog } from './change-log.ts';
import { SchedulerError } from './errors.ts';
import { Journal } from './journal.ts';
import { GreedyMapper } from './mapping/greedy-mapper.ts';
import { ResourceSpace } from './model/capacity.ts';
import type { SchedulerConfig } from './model/config.ts';
import type { Lease, Mapping, Reservation, VmReservation } from './model/lease.ts';
import type { ActionTarget, Instant, LeaseState, SiteRecord, SiteSpec, StateReason } from './model/records.ts';
import { Quotas } from './policies/quotas.ts';
import { type ChosenPolicies, choosePolicies, type Policies } from './policies/registry.ts';
import { type SiteView, siteView } from './policies/views.ts';
import { ImageTransfers } from './preparation/image-transfer.ts';
import { unmanaged } from './preparation/unmanaged.ts';
import { RecurrenceBook } from './recurrence-book.ts';
import { NodeAvailability } from './slot-table/availability.ts';
import { OrderedIndex } from './slot-table/ordered-index.ts';
import { SlotTable } from './slot-table/slot-table.ts';
import { ChainBuilder } from './vm/chain.ts';
import { Estimates } from './vm/estimates.ts';
import { MigrationPlanner } from './vm/migration.ts';
import type { Planning } from './vm/plan.ts';

const noSite: SiteRecord = {
  lastLeaseId: 0,
  lastReservationId: 0,
  lastEventSequence: 0,
  lastActionId: 0,
  lastRecurrenceId: 0,
  lastRank: 0,
  cachedImages: [],
};

const counterNames = [
  'lastLeaseId',
  'lastReservationId',
  'lastEventSequence',
  'lastActionId',
  'lastRecurrenceId',
  'lastRank',
] as const;

export interface SchedulerOptions {
  /** A user's own, beside the built-in ones. */
  readonly policies?: Partial<Policies> | undefined;
  /**
   * When leases move forward into what was given back early: at once, within the command that gave it back, or lease by
   * lease in the next pass, so that no command takes long.
   */
  readonly reevaluation?: 'at-once' | 'in-pass';
}

/** Everything the scheduler holds, and the few ways in which it changes. What happens when is in lifecycle/. */
export class SchedulerState {
  readonly reevaluation: 'at-once' | 'in-pass';
  /** How to take back what is changed on trial. */
  readonly journal = new Journal();
  readonly space: ResourceSpace;
  readonly table: SlotTable;
  /** Which nodes may be used when. */
  readonly availability: NodeAvailability;
  readonly policies: ChosenPolicies;
  /** What projects may have at most. */
  readonly quotas: Quotas;
  /** Projects whose quotas were set, and not taken yet. */
  readonly changedQuotas = new Set<number>();
  readonly planning: Planning;
  readonly log: ChangeLog;
  siteView: SiteView;
  /** Nodes that were added or changed, and not taken yet. */
  readonly changedNodes = new Set<number>();
  /** Live leases by id, in the order in which they were requested. */
  readonly leases = new Map<number, Lease>();
  readonly pending = new Set<Lease>();
  readonly queue = new OrderedIndex<Lease>(
    (lease) => lease.submittedAt,
    (lease) => lease.queueRank as number,
  );
  /** Leases to which backfilling gave a reservation in the future. */
  readonly future = new Set<Lease>();
  /** Live leases with a deadline. */
  readonly withDeadline = new Set<Lease>();
  /** Leases that were promised a place, have lost it, and wait for another. */
  readonly withoutPlace = new Set<Lease>();
  readonly recurrences: RecurrenceBook;
  lastLeaseId: number;
  lastReservationId: number;
  /** Whether a pass could find something to do that the last one did not. */
  needsPass = false;
  /** Whether leases with a reservation in the future are to be looked at anew. */
  reevaluationDue = false;

  /** Leases that are running by the plan, and whose machines have not started yet. */
  notStarted: ReadonlySet<number> = new Set();

  /** Leases that the present command moved, suspended or requeued for another, or for a node. */
  readonly displaced = new Set<number>();

  readonly transfers: ImageTransfers;
  private reportedSite: SiteRecord;
  /** How many reservations in the future backfilling allows. */
  private readonly maxFuture: number;

  constructor(
    public site: SiteSpec,
    readonly config: SchedulerConfig,
    { policies, reevaluation = 'at-once' }: SchedulerOptions,
    stored: SiteRecord = noSite,
  ) {
    this.reevaluation = reevaluation;
    this.maxFuture = {
      off: 0,
      aggressive: 1,
      intermediate: config.backfillingReservations,
      conservative: Number.POSITIVE_INFINITY,
    }[config.backfilling];
    this.space = new ResourceSpace(site);
    this.table = new SlotTable(this.space, site, this.journal);
    this.table.lastRank = stored.lastRank;
    this.availability = new NodeAvailability(this.table, this.journal);
    this.policies = choosePolicies(config, policies);
    this.quotas = new Quotas(this.space, this.table.projects);
    this.log = new ChangeLog(this.space, this.journal, stored.lastEventSequence, stored.lastActionId);
    this.lastLeaseId = stored.lastLeaseId;
    this.lastReservationId = stored.lastReservationId;
    this.recurrences = new RecurrenceBook(this.journal, stored.lastRecurrenceId);
    this.siteView = siteView(site, config);
    this.transfers = this.imageTransfers(stored);
    this.reportedSite = this.siteRecord();
    const estimates = new Estimates(config);
    this.planning = {
      config,
      table: this.table,
      mapper: new GreedyMapper(this.space, this.table, this.policies.hostSelection, this.quotas),
      estimates,
      chains: new ChainBuilder(config, estimates),
      migrations: new MigrationPlanner(config, this.space),
      preparation: config.preparation === 'imagetransfer' ? this.transfers : unmanaged,
      preemption: this.policies.preemption,
      quotas: this.quotas,
      availability: this.availability,
      planned: () => this.leases.values(),
    };
  }

  /** Nodes were added or changed. */
  setSite(site: SiteSpec): void {
    this.site = site;
    this.siteView = siteView(site, this.config);
  }

  /** A new lease. */
  add(lease: Lease): void {
    const { lastLeaseId } = this;
    this.lastLeaseId = Math.max(lastLeaseId, lease.id);
    this.enter(lease);
    this.journal.record(() => {
      this.leave(lease);
      this.lastLeaseId = lastLeaseId;
    });
  }

  /** A lease is live from here on. */
  enter(lease: Lease): void {
    this.leases.set(lease.id, lease);
    if (lease.type === 'DEADLINE') this.withDeadline.add(lease);
  }

  private leave(lease: Lease): void {
    this.leases.delete(lease.id);
    this.withDeadline.delete(lease);
  }

  live(id: number): Lease {
    const lease = this.leases.get(id);
    if (lease) return lease;
    if (Number.isInteger(id) && id > 0 && id <= this.lastLeaseId) {
      throw new SchedulerError('LEASE_ENDED', `Lease ${id} has ended.`);
    }
    throw new SchedulerError('LEASE_NOT_FOUND', `Lease ${id} does not exist.`);
  }

  /** Whether backfilling allows one more reservation in the future (asked before each lease is scheduled). */
  get mayPlanFuture(): boolean {
    return this.future.size < this.maxFuture;
  }

  transition(lease: Lease, state: LeaseState, now: Instant, reason: StateReason | null = null): void {
    const from = lease.state;
    this.touch(lease);
    lease.become(state);
    lease.reason = reason;
    this.setMember(this.pending, lease, state === 'PENDING');
    this.log.event(now, lease, from, state, reason);
  }

  /** Into the queue: after those that were submitted at the same time. */
  enqueue(lease: Lease): void {
    this.touch(lease);
    this.journal.set(lease, 'queueRank', this.table.nextRank());
    this.queue.insert(lease);
    this.journal.record(() => this.queue.remove(lease));
    this.log.lease(lease);
    this.askForPass();
  }

  dequeue(lease: Lease): void {
    if (lease.queueRank === null) return;
    this.queue.remove(lease);
    this.journal.record(() => this.queue.insert(lease));
    // (Its place in the queue is needed when it is put back.)
    this.journal.set(lease, 'queueRank', null);
    this.log.lease(lease);
  }

  /** Where its machines run or will run, or where they are saved; null when nowhere. */
  place(lease: Lease, mapping: Mapping | null): void {
    if (lease.mapping === mapping) return;
    this.touch(lease);
    lease.mapping = mapping;
    this.log.place(lease);
  }

  setFuture(lease: Lease, isFuture: boolean): void {
    if (lease.isFuture === isFuture) return;
    this.touch(lease);
    lease.isFuture = isFuture;
    this.setMember(this.future, lease, isFuture);
    this.log.lease(lease);
  }

  setWithoutPlace(lease: Lease, isWithoutPlace: boolean): void {
    if (lease.isWithoutPlace === isWithoutPlace) return;
    this.touch(lease);
    lease.isWithoutPlace = isWithoutPlace;
    this.setMember(this.withoutPlace, lease, isWithoutPlace);
    this.log.lease(lease);
  }

  /**
   * To be called before a lease is changed, so that the change can be taken back: at the end of the attempt, once. What
   * other changes that are taken back before read of it is recorded where it changes.
   */
  touch(lease: Lease): void {
    const attempt = this.journal.attemptUnderWay;
    if (attempt === 0 || lease.savedIn === attempt) return;
    this.journal.record(lease.memento());
    lease.savedIn = attempt;
  }

  /** A pass could find something to do. */
  askForPass(): void {
    this.journal.set(this, 'needsPass', true);
  }

  /** A round of looking at them anew begins. */
  reevaluationBegins(): void {
    this.journal.set(this, 'reevaluationDue', false);
  }

  /** Something was given back: leases with a reservation in the future are to be looked at anew (R44). */
  askForReevaluation(): void {
    this.journal.set(this, 'reevaluationDue', true);
  }

  /** A command moves, suspends or requeues a lease for another, or for a node. */
  noteDisplaced({ id }: Lease): void {
    if (this.displaced.has(id)) return;
    this.displaced.add(id);
    this.journal.record(() => this.displaced.delete(id));
  }

  private setMember(set: Set<Lease>, lease: Lease, isMember: boolean): void {
    if (set.has(lease) === isMember) return;
    if (isMember) set.add(lease);
    else set.delete(lease);
    this.journal.record(() => (isMember ? set.delete(lease) : set.add(lease)));
  }

  /** The lease has reached a final state: nothing of it is kept. */
  forget(lease: Lease, now: Instant): void {
    this.touch(lease);
    lease.endedAt = now;
    lease.vm = null;
    lease.later = [];
    this.setWithoutPlace(lease, false);
    this.dequeue(lease);
    this.setFuture(lease, false);
    this.transfers.cleanUp(lease);
    lease.memoryAt.clear();
    this.leave(lease);
    this.journal.record(() => this.enter(lease));
    this.log.lease(lease);
    this.askForPass();
  }

  /** Machines no longer run: what they have used stays counted towards the quotas of their project. */
  settle({ kind, lease, start, end }: Reservation): void {
    if (kind === 'VM') this.table.projects.settle(lease, start, end);
  }

  identify(reservation: Reservation): void {
    this.lastReservationId += 1;
    this.journal.record(() => {
      this.lastReservationId -= 1;
    });
    reservation.id = this.lastReservationId;
    this.log.reservation(reservation);
  }

  targets(vm: VmReservation, machines: readonly number[]): ActionTarget[] {
    return machines.map((machine) => this.target(vm.lease, machine, vm.mapping[machine] as number));
  }

  target(lease: Lease, machine: number, node: number, toNode: number | null = null): ActionTarget {
    return {
      leaseId: lease.id,
      machine,
      node,
      toNode,
      capacity: lease.terms.machines[machine - 1] ?? {},
      image: lease.image,
    };
  }

  siteRecord(cachedImages = this.transfers.cachedImages()): SiteRecord {
    return {
      lastLeaseId: this.lastLeaseId,
      lastReservationId: this.lastReservationId,
      lastEventSequence: this.log.lastEventSequence,
      lastActionId: this.log.lastActionId,
      lastRecurrenceId: this.recurrences.lastId,
      lastRank: this.table.lastRank,
      cachedImages,
    };
  }

  /** The site's record if it changed since this was last asked; null otherwise. */
  takeSiteRecord(): SiteRecord | null {
    const before = this.reportedSite;
    const cachesChanged = this.transfers.takeChanged();
    const site = this.siteRecord(cachesChanged ? this.transfers.cachedImages() : before.cachedImages);
    let changed = cachesChanged;
    for (const name of counterNames) changed ||= before[name] !== site[name];
    if (!changed) return null;
    this.reportedSite = site;
    return site;
  }

  private imageTransfers(stored: SiteRecord): ImageTransfers {
    const events = {
      changes: (lease: Lease) => this.touch(lease),
      planned: (transfer: Reservation) => this.identify(transfer),
      changed: (transfer: Reservation) => this.log.reservation(transfer),
      dropped: (transfer: Reservation, now: Instant) => this.stop(transfer, now),
      preparing: (lease: Lease, now: Instant) => this.transition(lease, 'PREPARING', now),
      ready: (lease: Lease, now: Instant) => this.transition(lease, 'READY', now),
    };
    return new ImageTransfers(
      this.config.imageTransfer,
      this.space,
      this.table,
      events,
      this.journal,
      stored.cachedImages,
    );
  }

  /**
   * A reservation that is out of the slot table before its end: cut short if it was running, otherwise as if it had
   * never been.
   */
  stop(reservation: Reservation, now: Instant): void {
    if (reservation.state === 'ACTIVE') {
      this.journal.save(reservation);
      reservation.state = 'CANCELLED';
      reservation.end = Math.max(reservation.start, now);
      // Its machines never ran: the time that it held its nodes is no running time.
      if (reservation.kind === 'VM' && this.notStarted.has(reservation.lease.id)) {
        if (reservation.lease.actualStart === reservation.start) reservation.lease.actualStart = null;
        reservation.start = reservation.end;
      }
      this.settle(reservation);
      this.log.reservation(reservation);
    } else if (reservation.state === 'SCHEDULED') {
      this.log.withdraw(reservation);
    }
  }
}
