import type { Journal } from './journal.ts';
import type { ResourceSpace } from './model/capacity.ts';
import type { Changes } from './model/changes.ts';
import type { Lease, Reservation } from './model/lease.ts';
import type {
  ActionKind,
  ActionRecord,
  ActionTarget,
  Instant,
  LeaseEventRecord,
  LeaseState,
  SiteRecord,
  StateReason,
} from './model/records.ts';
import { leaseRecord, reservationRecord } from './snapshot.ts';

/**
 * Collects changes until they are taken. Records are created at that time, so that an object that changes twice is
 * written once.
 */
export class ChangeLog {
  private readonly leases = new Set<Lease>();
  private readonly placed = new Set<Lease>();
  private readonly reservations = new Set<Reservation>();
  private readonly withdrawn: number[] = [];
  /** Reservations that were handed out before; only these need to be withdrawn. */
  private readonly known = new Set<number>();
  private discarded: number[] = [];
  private events: LeaseEventRecord[] = [];
  private actions: ActionRecord[] = [];
  /** Approximate number of rows to store; may include reservations withdrawn since. */
  rows = 0;

  constructor(
    private readonly space: ResourceSpace,
    private readonly journal: Journal,
    public lastEventSequence: number,
    public lastActionId: number,
  ) {}

  lease(lease: Lease): void {
    if (this.leases.has(lease)) return;
    this.leases.add(lease);
    this.rows += 1;
    this.journal.record(() => {
      this.leases.delete(lease);
      this.rows -= 1;
    });
  }

  /** Its machines are new or were assigned to other nodes. */
  place(lease: Lease): void {
    this.lease(lease);
    if (this.placed.has(lease)) return;
    this.placed.add(lease);
    this.journal.record(() => this.placed.delete(lease));
    this.addRows(lease.machineCount);
  }

  reservation(reservation: Reservation): void {
    if (this.reservations.has(reservation)) return;
    this.reservations.add(reservation);
    const rows = this.known.has(reservation.id) ? 1 : 1 + reservation.amounts.size;
    this.rows += rows;
    this.journal.record(() => {
      this.reservations.delete(reservation);
      this.rows -= rows;
    });
  }

  /** A reservation from a snapshot, which is already stored. */
  stored(reservation: Reservation): void {
    this.known.add(reservation.id);
  }

  /** The reservation was withdrawn before it started. */
  withdraw(reservation: Reservation): void {
    const { id } = reservation;
    if (this.reservations.delete(reservation)) this.journal.record(() => this.reservations.add(reservation));
    if (!this.known.delete(id)) return;
    this.withdrawn.push(id);
    this.journal.record(() => {
      this.withdrawn.pop();
      this.known.add(id);
    });
    this.addRows(1 + reservation.amounts.size);
  }

  event(at: Instant, lease: Lease, from: LeaseState, to: LeaseState, reason: StateReason | null): void {
    this.addEvent(at, lease.id, from, to, reason);
    if (from === 'NEW') this.place(lease);
    else this.lease(lease);
  }

  /** Discards a lease that the scheduler does not hold. */
  discard(at: Instant, leaseId: number, from: LeaseState, reason: StateReason): void {
    this.addEvent(at, leaseId, from, 'FAILED', reason);
    this.discarded.push(leaseId);
    this.journal.record(() => this.discarded.pop());
  }

  private addEvent(at: Instant, leaseId: number, from: LeaseState, to: LeaseState, reason: StateReason | null): void {
    this.lastEventSequence += 1;
    this.events.push({ sequence: this.lastEventSequence, at, leaseId, from, to, reason });
    this.rows += 1;
    this.journal.record(() => {
      this.lastEventSequence -= 1;
      this.events.pop();
      this.rows -= 1;
    });
  }

  action(
    kind: ActionKind,
    at: Instant,
    lease: Pick<Lease, 'id'>,
    reservation: Reservation | null,
    targets: readonly ActionTarget[],
  ): void {
    if (targets.length === 0) return;
    this.lastActionId += 1;
    // Starts, and actions without a reservation, are due as soon as possible; the others have their planned time.
    const deadline = reservation && kind !== 'START' ? reservation.end : null;
    this.actions.push({
      id: this.lastActionId,
      kind,
      leaseId: lease.id,
      reservationId: reservation?.id ?? null,
      at,
      deadline,
      targets,
    });
    this.journal.record(() => {
      this.lastActionId -= 1;
      this.actions.pop();
    });
    this.addRows(1);
  }

  private addRows(count: number): void {
    this.rows += count;
    this.journal.record(() => {
      this.rows -= count;
    });
  }

  /** All changes since the last call. */
  take(
    site: SiteRecord | null,
    others: Pick<Changes, 'nodes' | 'maintenance' | 'inventory' | 'quotas' | 'recurrences'>,
  ): Changes {
    const reservations = [...this.reservations].sort((a, b) => a.id - b.id);
    const placedReservations: number[] = [];
    for (const { id, state } of reservations) {
      const isLive = state === 'SCHEDULED' || state === 'ACTIVE';
      if (!this.known.has(id)) {
        placedReservations.push(id);
        if (isLive) this.known.add(id);
      } else if (!isLive) this.known.delete(id);
    }
    const changes: Changes = {
      site,
      leases: [...this.leases].sort((a, b) => a.id - b.id).map(leaseRecord),
      placedLeases: [...this.placed].map(({ id }) => id).sort((a, b) => a - b),
      reservations: reservations.map((reservation) => reservationRecord(this.space, reservation)),
      placedReservations,
      withdrawn: [...this.withdrawn],
      ...(this.discarded.length > 0 && { discarded: this.discarded }),
      events: this.events,
      actions: this.actions,
      ...others,
    };
    this.leases.clear();
    this.placed.clear();
    this.reservations.clear();
    this.withdrawn.length = 0;
    this.discarded = [];
    this.events = [];
    this.actions = [];
    this.rows = 0;
    return changes;
  }
}
