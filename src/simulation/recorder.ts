import type { Changes, Instant, LeaseRecord, ReservationRecord } from '../core/index.ts';
import type { EventResult, LeaseResult, ReservationResult, Seconds, SimulationResult } from './result.ts';

/** Turns the changes of a run into its result. */
export class ResultRecorder {
  private readonly leases = new Map<number, LeaseRecord>();
  /** By lease: those that have started. */
  private readonly executed = new Map<number, Map<number, ReservationRecord>>();
  private readonly events: EventResult[] = [];

  constructor(private readonly start: Instant) {}

  record({ leases, reservations, events }: Changes): void {
    for (const lease of leases) this.leases.set(lease.id, lease);
    for (const reservation of reservations) {
      if (reservation.state === 'SCHEDULED') continue;
      let ofLease = this.executed.get(reservation.leaseId);
      if (!ofLease) {
        ofLease = new Map();
        this.executed.set(reservation.leaseId, ofLease);
      }
      ofLease.set(reservation.id, reservation);
    }
    for (const { at, leaseId, from, to } of events) this.events.push([this.seconds(at), leaseId, from, to]);
  }

  /** What still runs at the end of the run is cut there. */
  result(end: Instant): SimulationResult {
    const leases = [...this.leases.values()]
      .sort((a, b) => a.id - b.id)
      .map((lease) => this.lease(lease, end));
    return { summary: { end: this.seconds(end) }, leases, events: this.events };
  }

  private lease(lease: LeaseRecord, end: Instant): LeaseResult {
    const reservations = [...(this.executed.get(lease.id)?.values() ?? [])];
    return {
      id: lease.id,
      type: lease.type,
      state: lease.state,
      submit: this.seconds(lease.submittedAt),
      start: lease.actualStart === null ? null : this.seconds(lease.actualStart),
      end: lease.state === 'DONE' && lease.endedAt !== null ? this.seconds(lease.endedAt) : null,
      accumulated: inSeconds(lease.accumulated),
      originalDuration: inSeconds(lease.originalDuration),
      duration: inSeconds(lease.duration),
      machines: lease.machines.length,
      image: lease.image,
      reason: lease.reason?.message ?? null,
      reservations: reservations
        .sort(inOrderOfStart)
        .map((reservation) => this.reservation(reservation, end)),
    };
  }

  private reservation(record: ReservationRecord, end: Instant): ReservationResult {
    return {
      kind: record.kind,
      start: this.seconds(record.start),
      end: this.seconds(record.state === 'ACTIVE' ? Math.min(record.end, end) : record.end),
      ...(record.machines ? { nodes: record.machines } : {}),
      ...(record.moves ? { moves: record.moves } : {}),
      ...(record.targets ? { targets: record.targets } : {}),
    };
  }

  private seconds(at: Instant): Seconds {
    return inSeconds(at - this.start);
  }
}

const inSeconds = (milliseconds: number): Seconds => milliseconds / 1000;

/** By start; what starts at one instant by chain, in the order in which chains were planned, and by place in it. */
const inOrderOfStart = (a: ReservationRecord, b: ReservationRecord): number =>
  a.start - b.start || (a.vmId ?? a.id) - (b.vmId ?? b.id) || a.chainIndex - b.chainIndex;
