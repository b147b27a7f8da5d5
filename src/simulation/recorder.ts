import {
  type Changes,
  getOrCreate,
  type Instant,
  isFinal,
  type LeaseRecord,
  type ReservationRecord,
} from '../core/index.ts';
import type { CommandFeed } from './command-feed.ts';
import type { EventResult, LeaseResult, ReservationResult, Seconds, SimulationResult } from './result.ts';

/**
 * A reservation that has started: what the result contains and what orders it. Amounts are left out: they are large.
 */
type Executed = Pick<
  ReservationRecord,
  'id' | 'kind' | 'state' | 'start' | 'end' | 'machines' | 'moves' | 'targets' | 'vmId' | 'chainIndex'
>;

/** Turns the changes of a run into its result. */
export class ResultRecorder {
  private readonly leases = new Map<number, LeaseRecord>();
  private readonly executed = new Map<number, Map<number, Executed>>();
  private readonly events: EventResult[] = [];

  constructor(private readonly start: Instant) {}

  record({ leases, reservations, events }: Changes): void {
    for (const lease of leases) this.leases.set(lease.id, lease);
    for (const reservation of reservations) {
      if (reservation.state === 'SCHEDULED') continue;
      const { id, kind, state, start, end, machines, moves, targets, vmId, chainIndex } = reservation;
      const ofLease = getOrCreate(this.executed, reservation.leaseId, () => new Map<number, Executed>());
      ofLease.set(id, { id, kind, state, start, end, machines, moves, targets, vmId, chainIndex });
    }
    for (const { at, leaseId, from, to } of events) this.events.push([this.seconds(at), leaseId, from, to]);
  }

  /**
   * Reservations that still run are cut at the end. `stopped`: `stop-when` ended the run, so leases may be unfinished.
   */
  result(
    end: Instant,
    stopped: boolean,
    { results: commands, maintenance }: Pick<CommandFeed, 'results' | 'maintenance'>,
  ): SimulationResult {
    const leases = [...this.leases.values()].sort((a, b) => a.id - b.id);
    return {
      summary: { end: this.seconds(end) },
      leases: leases.map((lease) => ({
        ...this.lease(lease),
        reservations: [...(this.executed.get(lease.id)?.values() ?? [])]
          .sort(inOrderOfStart)
          .map((each) => this.reservation(each, end)),
      })),
      events: this.events,
      commands,
      maintenance,
      unfinished: stopped ? [] : leases.filter(({ state }) => !isFinal(state)).map(({ id }) => id),
    };
  }

  private lease(lease: LeaseRecord): Omit<LeaseResult, 'reservations'> {
    return {
      id: lease.id,
      type: lease.type,
      state: lease.state,
      submit: this.seconds(lease.submittedAt),
      start: lease.actualStart === null ? null : this.seconds(lease.actualStart),
      end: lease.state === 'DONE' && lease.endedAt !== null ? this.seconds(lease.endedAt) : null,
      accumulated: inSeconds(lease.accumulated),
      requested: inSeconds(lease.duration),
      requestedStart: lease.requestedStart === null ? null : this.seconds(lease.requestedStart),
      deadline: lease.deadline === null ? null : this.seconds(lease.deadline),
      originalDuration: inSeconds(lease.originalDuration),
      duration: inSeconds(lease.duration),
      machines: lease.machines.length,
      image: lease.image,
      reason: lease.reason?.message ?? null,
    };
  }

  private reservation(executed: Executed, end: Instant): ReservationResult {
    return {
      kind: executed.kind,
      start: this.seconds(executed.start),
      end: this.seconds(executed.state === 'ACTIVE' ? Math.min(executed.end, end) : executed.end),
      ...(executed.machines ? { nodes: executed.machines } : {}),
      ...(executed.moves ? { moves: executed.moves } : {}),
      ...(executed.targets ? { targets: executed.targets } : {}),
    };
  }

  private seconds(at: Instant): Seconds {
    return inSeconds(at - this.start);
  }
}

function inSeconds(milliseconds: number): Seconds {
  return milliseconds / 1000;
}

/** By start; at the same instant by chain, in the order in which chains were planned, and by position in the chain. */
function inOrderOfStart(a: Executed, b: Executed): number {
  return a.start - b.start || (a.vmId ?? a.id) - (b.vmId ?? b.id) || a.chainIndex - b.chainIndex;
}
