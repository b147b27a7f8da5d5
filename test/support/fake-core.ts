/**
 * A core that is easy to foresee, for tests of the engine alone: each machine takes a whole node, leases are planned first come first
 * served, and what goes wrong is decided by the test.
 */
import {
  type ActionKind,
  type ActionRecord,
  type Changes,
  type Instant,
  type LeaseEventRecord,
  type LeaseRecord,
  type LeaseRequest,
  type LeaseState,
  type ReservationRecord,
  SchedulerError,
  type SiteRecord,
  type SiteSpec,
  type Snapshot,
  type StateReason,
} from '../../src/core/index.ts';
import { isFinal } from '../../src/core/model/lease-states.ts';
import type { Core } from '../../src/engine/core.ts';

export interface FakeCoreHooks {
  /** Called before each lease that a pass handles, each command and each advance. May throw. */
  before?: (what: 'pass' | 'request' | 'cancel' | 'advance' | 'restore', lease: LeaseRecord | null) => void;
  /** Wants pass after pass. */
  neverContent?: boolean;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export class FakeCore implements Core {
  needsPass = false;
  private readonly record: Writable<SiteRecord>;
  private readonly leases = new Map<number, Writable<LeaseRecord>>();
  private readonly reservations = new Map<number, Writable<ReservationRecord>>();
  private changedLeases = new Set<number>();
  private changedReservations = new Set<number>();
  private withdrawn: number[] = [];
  private events: LeaseEventRecord[] = [];
  private actions: ActionRecord[] = [];

  constructor(
    private readonly site: SiteSpec,
    snapshot: Snapshot,
    private readonly hooks: FakeCoreHooks = {},
  ) {
    hooks.before?.('restore', null);
    this.record = { ...snapshot.site };
    for (const lease of snapshot.leases) this.leases.set(lease.id, { ...lease });
    for (const reservation of snapshot.reservations)
      this.reservations.set(reservation.id, { ...reservation });
    this.needsPass = this.waiting().length > 0;
  }

  get liveLeases(): number {
    return this.leases.size;
  }

  get queueLength(): number {
    return this.waiting().length;
  }

  request(now: Instant, request: LeaseRequest): LeaseRecord {
    if (!(request.duration > 0))
      throw new SchedulerError('INVALID_REQUEST', 'duration must be positive', ['duration']);
    if (request.machines.length === 0)
      throw new SchedulerError('INVALID_REQUEST', 'no machines', ['machines']);
    this.record.lastLeaseId += 1;
    const lease: Writable<LeaseRecord> = {
      id: this.record.lastLeaseId,
      name: request.name ?? null,
      type: request.type,
      state: 'NEW',
      reason: null,
      submittedAt: now,
      requestedStart: request.start ?? null,
      originalDuration: request.duration,
      duration: request.duration,
      knownDuration: null,
      accumulated: 0,
      preemptible: request.preemptible,
      machines: request.machines,
      image: null,
      actualStart: null,
      plannedStart: null,
      endedAt: null,
      queueRank: null,
      isFuture: false,
      mapping: null,
      memoryAt: {},
      diskAt: {},
    };
    this.hooks.before?.('request', lease);
    this.leases.set(lease.id, lease);
    this.move(now, lease, 'PENDING');
    if (request.machines.length > this.site.nodes.length) {
      this.move(now, lease, 'REJECTED', { code: 'TOO_LARGE', message: 'more machines than nodes' });
    } else this.needsPass = true;
    return { ...lease };
  }

  cancel(now: Instant, leaseId: number): void {
    const lease = this.leases.get(leaseId);
    if (!lease) {
      if (leaseId <= this.record.lastLeaseId && leaseId > 0)
        throw new SchedulerError('LEASE_ENDED', `lease ${leaseId} has ended`);
      throw new SchedulerError('LEASE_NOT_FOUND', `no lease ${leaseId}`);
    }
    this.hooks.before?.('cancel', lease);
    this.end(now, lease, 'CANCELLED', { code: 'CANCELLED', message: 'by its user' });
  }

  actionFailed(now: Instant, leaseId: number, reason: StateReason): void {
    const lease = this.leases.get(leaseId);
    if (lease && !isFinal(lease.state)) this.end(now, lease, 'FAILED', reason);
  }

  advance(now: Instant): void {
    this.hooks.before?.('advance', null);
    for (let next = this.nextInstant(); next !== null && next <= now; next = this.nextInstant()) {
      const due = [...this.reservations.values()].sort((a, b) => a.id - b.id);
      for (const reservation of due) {
        if (reservation.state === 'ACTIVE' && reservation.end === next) this.finish(next, reservation);
      }
      for (const reservation of due) {
        if (reservation.state === 'SCHEDULED' && reservation.start <= next) this.begin(next, reservation);
      }
    }
  }

  *pass(now: Instant): Generator<void, void, Instant | undefined> {
    this.needsPass = false;
    for (const lease of this.waiting()) {
      this.hooks.before?.('pass', lease);
      if (this.leases.has(lease.id)) this.plan(now, lease);
      yield;
    }
    this.needsPass = this.hooks.neverContent ?? this.needsPass;
  }

  nextInstant(): Instant | null {
    let next: Instant | null = null;
    for (const { state, start, end } of this.reservations.values()) {
      if (state !== 'SCHEDULED' && state !== 'ACTIVE') continue;
      const at = state === 'SCHEDULED' ? start : end;
      next = next === null ? at : Math.min(next, at);
    }
    return next;
  }

  takeChanges(): Changes {
    const leases = [...this.changedLeases]
      .sort((a, b) => a - b)
      .map((id) => ({ ...(this.leases.get(id) as LeaseRecord) }));
    const reservations = [...this.changedReservations]
      .filter((id) => this.reservations.has(id))
      .sort((a, b) => a - b)
      .map((id) => ({ ...(this.reservations.get(id) as ReservationRecord) }));
    const changed = leases.length + reservations.length + this.events.length + this.actions.length > 0;
    const changes: Changes = {
      site: changed ? { ...this.record } : null,
      leases,
      reservations,
      withdrawn: this.withdrawn,
      events: this.events,
      actions: this.actions,
    };
    for (const lease of leases) if (isFinal(lease.state)) this.leases.delete(lease.id);
    for (const { id, state } of reservations)
      if (state === 'DONE' || state === 'CANCELLED') this.reservations.delete(id);
    this.changedLeases = new Set();
    this.changedReservations = new Set();
    this.withdrawn = [];
    this.events = [];
    this.actions = [];
    return changes;
  }

  private waiting(): Writable<LeaseRecord>[] {
    return [...this.leases.values()].filter((lease) => lease.state === 'PENDING' || lease.state === 'QUEUED');
  }

  private plan(now: Instant, lease: Writable<LeaseRecord>): void {
    if (lease.type !== 'ADVANCE_RESERVATION' && lease.state === 'PENDING') this.move(now, lease, 'QUEUED');
    const { requestedStart } = lease;
    const ends = [...this.reservations.values()].map((each) => each.end);
    const starts = requestedStart === null ? [now, ...ends].sort((a, b) => a - b) : [requestedStart];
    for (const start of starts.filter((each) => each >= now)) {
      const free = this.site.nodes
        .map((node) => node.number)
        .filter((node) => this.isFree(node, start, start + lease.duration));
      if (free.length < lease.machines.length) continue;
      this.reserve(now, lease, start, free.slice(0, lease.machines.length));
      return;
    }
    this.move(now, lease, 'REJECTED', {
      code: 'NO_CAPACITY',
      message: 'the nodes are taken, or it is too late',
    });
  }

  private isFree(node: number, from: Instant, to: Instant): boolean {
    return [...this.reservations.values()].every(
      ({ amounts, start, end, state }) =>
        !(node in amounts) || end <= from || start >= to || state === 'DONE',
    );
  }

  private reserve(
    now: Instant,
    lease: Writable<LeaseRecord>,
    start: Instant,
    nodes: readonly number[],
  ): void {
    this.record.lastReservationId += 1;
    const id = this.record.lastReservationId;
    const machines = Object.fromEntries(nodes.map((node, index) => [index + 1, node]));
    const reservation: ReservationRecord = {
      id,
      leaseId: lease.id,
      kind: 'VM',
      state: 'SCHEDULED',
      start,
      end: start + lease.duration,
      amounts: Object.fromEntries(nodes.map((node, index) => [node, lease.machines[index] ?? {}])),
      machines,
      moves: null,
      waiting: null,
      targets: null,
      image: null,
      vmId: null,
      chainIndex: 0,
      startRank: id,
      endRank: id,
    };
    this.reservations.set(id, reservation);
    this.changedReservations.add(id);
    lease.mapping = machines;
    lease.plannedStart = start;
    this.move(now, lease, 'SCHEDULED');
    this.move(now, lease, 'READY');
  }

  private begin(now: Instant, reservation: Writable<ReservationRecord>): void {
    const lease = this.leases.get(reservation.leaseId) as Writable<LeaseRecord>;
    reservation.state = 'ACTIVE';
    this.changedReservations.add(reservation.id);
    lease.actualStart = now;
    this.move(now, lease, 'ACTIVE');
    this.act(now, 'START', lease, reservation);
  }

  private finish(now: Instant, reservation: Writable<ReservationRecord>): void {
    reservation.state = 'DONE';
    this.changedReservations.add(reservation.id);
    const lease = this.leases.get(reservation.leaseId) as Writable<LeaseRecord>;
    lease.accumulated += reservation.end - reservation.start;
    lease.endedAt = now;
    this.move(now, lease, 'DONE');
    this.act(now, 'DESTROY', lease, reservation);
  }

  private end(
    now: Instant,
    lease: Writable<LeaseRecord>,
    state: 'CANCELLED' | 'FAILED',
    reason: StateReason,
  ): void {
    for (const reservation of [...this.reservations.values()].filter((each) => each.leaseId === lease.id)) {
      if (reservation.state === 'SCHEDULED') {
        this.reservations.delete(reservation.id);
        this.withdrawn.push(reservation.id);
      } else {
        reservation.state = 'CANCELLED';
        reservation.end = now;
        this.changedReservations.add(reservation.id);
        this.act(now, 'DESTROY', lease, reservation);
      }
    }
    lease.endedAt = now;
    this.move(now, lease, state, reason);
    this.needsPass = true;
  }

  private move(
    at: Instant,
    lease: Writable<LeaseRecord>,
    to: LeaseState,
    reason: StateReason | null = null,
  ): void {
    this.record.lastEventSequence += 1;
    this.events.push({
      sequence: this.record.lastEventSequence,
      at,
      leaseId: lease.id,
      from: lease.state,
      to,
      reason,
    });
    lease.state = to;
    lease.reason = reason;
    this.changedLeases.add(lease.id);
  }

  private act(at: Instant, kind: ActionKind, lease: LeaseRecord, reservation: ReservationRecord): void {
    this.record.lastActionId += 1;
    this.actions.push({
      id: this.record.lastActionId,
      kind,
      leaseId: lease.id,
      reservationId: reservation.id,
      at,
      deadline: null,
      targets: Object.entries(reservation.machines ?? {}).map(([machine, node]) => ({
        leaseId: lease.id,
        machine: Number(machine),
        node,
        toNode: null,
        capacity: lease.machines[Number(machine) - 1] ?? {},
        image: null,
      })),
    });
  }
}
