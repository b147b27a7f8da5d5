import {
  type Changes,
  type Instant,
  isFinal,
  type LeaseEventRecord,
  type LeaseRecord,
  type LeaseState,
  leaseTransitions,
  type ReservationRecord,
  type SiteRecord,
  type Snapshot,
} from '../../src/core/index.ts';
import type { History } from '../support/invariants/index.ts';
import { Hosts } from './hosts.ts';

/**
 * The contents of a store after every change, including the whole history. Refuses changes that contradict earlier
 * ones.
 */
export class Ledger {
  readonly leases = new Map<number, LeaseRecord>();
  /** All reservations except those withdrawn before they started. */
  readonly reservations = new Map<number, ReservationRecord>();
  readonly events: LeaseEventRecord[] = [];
  /** When a lease's machines were first planned, and for which start. */
  readonly promises = new Map<number, Instant>();
  private readonly states = new Map<number, LeaseState>();
  private readonly hosts = new Hosts();

  /** Starts with the core's initial records for the site. */
  constructor(private site: SiteRecord) {}

  apply(changes: Changes): void {
    const { site, leases, reservations, withdrawn, events, actions, nodes } = changes;
    this.expectSayingWhatIsPlaced(changes);
    if (site) this.site = site;
    for (const event of events) this.applyEvent(event);
    for (const lease of leases) {
      const before = this.leases.get(lease.id)?.state;
      if (before && isFinal(before)) throw new Error(`lease ${lease.id} changes, and it was ${before}`);
      this.leases.set(lease.id, lease);
      if (lease.plannedStart !== null && !this.promises.has(lease.id)) this.promises.set(lease.id, lease.plannedStart);
      const reached = this.states.get(lease.id);
      if (lease.state !== reached)
        throw new Error(`lease ${lease.id} is ${lease.state}, and its last event says ${reached}`);
    }
    for (const reservation of reservations) this.applyReservation(reservation);
    for (const id of withdrawn) {
      const state = this.reservations.get(id)?.state;
      if (state !== 'SCHEDULED') throw new Error(`reservation ${id} was withdrawn, and it is ${state}`);
      this.reservations.delete(id);
    }
    for (const { number, state } of nodes) if (state === 'DOWN') this.hosts.lose(number);
    this.hosts.apply(actions);
    for (const { id, state } of leases) if (isFinal(state)) this.hosts.expectNothingOf(id);
  }

  /** The snapshot that the core should return. */
  snapshot(): Snapshot {
    return {
      site: this.site,
      leases: ascending([...this.leases.values()].filter(({ state }) => !isFinal(state))),
      reservations: ascending(this.planned()),
    };
  }

  history(): History {
    return {
      leases: [...this.leases.values()],
      reservations: [...this.reservations.values()],
      events: this.events,
    };
  }

  planned(): ReservationRecord[] {
    return [...this.reservations.values()].filter(({ state }) => state === 'SCHEDULED' || state === 'ACTIVE');
  }

  /** Leases that are not reported as placed have not moved. */
  private expectSayingWhatIsPlaced(changes: Changes): void {
    const placedLeases = new Set(changes.placedLeases);
    const placedReservations = new Set(changes.placedReservations);
    for (const { id, mapping } of changes.leases) {
      const before = this.leases.get(id);
      const isAsBefore = before !== undefined && JSON.stringify(before.mapping) === JSON.stringify(mapping);
      if (!isAsBefore && !placedLeases.has(id))
        throw new Error(`lease ${id} was placed, and the changes do not say so`);
    }
    for (const { id, amounts } of changes.reservations) {
      const before = this.reservations.get(id);
      if (placedReservations.has(id) !== (before === undefined))
        throw new Error(`reservation ${id}: what the changes say of its being new is wrong`);
      if (before && JSON.stringify(before.amounts) !== JSON.stringify(amounts))
        throw new Error(`reservation ${id} holds something else than before`);
    }
  }

  private applyEvent(event: LeaseEventRecord): void {
    const { sequence, leaseId, from, to } = event;
    const last = this.events.at(-1)?.sequence ?? 0;
    if (sequence !== last + 1) throw new Error(`event ${sequence} follows event ${last}`);
    const state = this.states.get(leaseId) ?? 'NEW';
    if (state !== from) throw new Error(`lease ${leaseId} leaves ${from}, and it is ${state}`);
    if (!leaseTransitions[from].includes(to)) throw new Error(`lease ${leaseId} goes from ${from} to ${to}`);
    this.states.set(leaseId, to);
    this.events.push(event);
  }

  private applyReservation(reservation: ReservationRecord): void {
    const before = this.reservations.get(reservation.id);
    if (before && (before.state === 'DONE' || before.state === 'CANCELLED'))
      throw new Error(`reservation ${reservation.id} changes, and it was ${before.state}`);
    this.reservations.set(reservation.id, reservation);
  }
}

const ascending = <T extends { readonly id: number }>(records: readonly T[]): T[] =>
  [...records].sort((a, b) => a.id - b.id);
