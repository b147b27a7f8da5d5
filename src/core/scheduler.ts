import { carryOutDue, endPrematurely, nextDueAfter } from './lifecycle/due.ts';
import { type DiscardedLease, discardLease, removeMachines } from './lifecycle/host-reports.ts';
import { startedLate, startPutOff } from './lifecycle/late.ts';
import { operationFinished, operationLate } from './lifecycle/late-operations.ts';
import { addNodes, removeNode, updateNode } from './lifecycle/nodes/inventory.ts';
import { endMaintenance, planMaintenance } from './lifecycle/nodes/maintenance.ts';
import { setNodeState } from './lifecycle/nodes/node-state.ts';
import { runPass } from './lifecycle/pass.ts';
import { setQuotas } from './lifecycle/quotas.ts';
import { reevaluateIfDue } from './lifecycle/re-evaluation.ts';
import { holdRemaining } from './lifecycle/remaining.ts';
import { requestLease } from './lifecycle/request.ts';
import { moveElsewhere } from './lifecycle/start-failure.ts';
import { updateLease } from './lifecycle/update/update.ts';
import type { Changes, Snapshot } from './model/changes.ts';
import type { SchedulerConfig } from './model/config.ts';
import type { Quota, QuotaState } from './model/quotas.ts';
import type {
  ActionTarget,
  Collisions,
  CommandOutcome,
  Instant,
  LeaseRecord,
  LeaseRequest,
  LeaseUpdate,
  MaintenanceRecord,
  NodeSpec,
  NodeState,
  NodeStateCause,
  NodeUpdate,
  RemainingMachine,
  SiteSpec,
  StateReason,
} from './model/records.ts';
import { cancelLease, endEarly, failLease } from './placement/endings.ts';
import { type Availability, type AvailabilityQuestion, availability } from './questions/availability.ts';
import { dryRun, type PlannedLease } from './questions/dry-run.ts';
import { type PlannedEnding, plannedEnding } from './questions/planned-ending.ts';
import { type PlannedUpdate, plannedUpdate } from './questions/planned-update.ts';
import { type Waiting, whyWaiting } from './questions/waiting.ts';
import { Recurrences } from './recurrences.ts';
import { restore, takeSnapshot } from './restore.ts';
import { SchedulerView } from './scheduler-view.ts';
import { leaseRecord } from './snapshot.ts';
import { type SchedulerOptions, SchedulerState } from './state.ts';
import { takeChanges } from './take-changes.ts';
import { validateConfig, validateSite } from './validation.ts';

/**
 * The scheduler: commands in, changes out. It is synchronous and knows no clock: every call says what time it is, and
 * the times never go back. Equal calls give equal changes, always. After a call that threw, nothing has changed; but
 * for LEASE_FAILURE out of a pass or a re-evaluation, after which the scheduler is to be given up, and INTERNAL.
 */
export class Scheduler extends SchedulerView {
  private cursor: Instant = Number.NEGATIVE_INFINITY;

  /** Advance reservations that recur. */
  readonly recurrences: Recurrences;

  private constructor(state: SchedulerState) {
    super(state);
    this.recurrences = new Recurrences(state, (now, run) => this.command(now, run));
  }

  /** A site without leases. Throws SchedulerError INVALID_SITE or INVALID_CONFIG. */
  static create(site: SiteSpec, config: SchedulerConfig, options: SchedulerOptions = {}): Scheduler {
    validateSite(site);
    validateConfig(config);
    return new Scheduler(new SchedulerState(site, config, options));
  }

  /** Exactly as when the snapshot was taken. */
  static restore(
    site: SiteSpec,
    config: SchedulerConfig,
    snapshot: Snapshot,
    options: SchedulerOptions = {},
  ): Scheduler {
    validateSite(site);
    validateConfig(config);
    const state = new SchedulerState(site, config, options, snapshot.site);
    restore(state, snapshot);
    // Whether a round was due is not kept: one too many does no harm.
    state.reevaluationDue = state.reevaluation === 'in-pass';
    return new Scheduler(state);
  }

  // ------------------------------------------------------------------ commands

  /** NEW -> PENDING, or on to REJECTED with a reason. Throws INVALID_REQUEST or UNSUPPORTED_LEASE_TYPE. */
  request(now: Instant, request: LeaseRequest): LeaseRecord {
    return leaseRecord(requestLease(this.state, request, now));
  }

  /** Throws LEASE_NOT_FOUND or LEASE_ENDED. */
  cancel(now: Instant, leaseId: number, reason: StateReason | null = null): void {
    cancelLease(this.state, this.state.live(leaseId), now, reason);
    reevaluateIfDue(this.state, now);
  }

  /**
   * New terms for a lease, all or none. Throws LEASE_NOT_FOUND, LEASE_ENDED, LEASE_STARTED, INVALID_REQUEST, TOO_SHORT,
   * NOT_SCHEDULABLE, DEADLINE_CANNOT_BE_MET or EXTENSION_BLOCKED (with the longest duration that is possible).
   */
  update(now: Instant, leaseId: number, update: LeaseUpdate): CommandOutcome {
    return this.command(now, () => updateLease(this.state, leaseId, update, now), leaseId);
  }

  /** A node comes back, is drained, or has failed. Throws INVALID_REQUEST or WOULD_DISPLACE (naming the leases). */
  setNodeState(
    now: Instant,
    node: number,
    state: NodeState,
    collisions: Collisions = 'DISPLACE',
    cause: NodeStateCause | null = null,
  ): CommandOutcome {
    return this.command(now, () => setNodeState(this.state, node, state, collisions, now, cause));
  }

  /** New nodes, with the next numbers. A scheduler is later restored with this site. Throws INVALID_SITE. */
  addNodes(now: Instant, nodes: readonly NodeSpec[]): CommandOutcome {
    return this.command(now, () => addNodes(this.state, nodes));
  }

  /** Changes a node; the capacity only of an unused one. Throws INVALID_SITE, INVALID_REQUEST or NODE_IN_USE. */
  updateNode(now: Instant, node: number, update: NodeUpdate): CommandOutcome {
    return this.command(now, () => updateNode(this.state, node, update));
  }

  /** Removes an unused node; its number is not used again. Throws INVALID_REQUEST or NODE_IN_USE. */
  removeNode(now: Instant, node: number): CommandOutcome {
    return this.command(now, () => removeNode(this.state, node));
  }

  /** Gives a project other quotas, all of them; null: they are only checked. Throws INVALID_REQUEST. */
  setQuotas(now: Instant, project: number | null, quotas: readonly Quota[]): void {
    this.command(now, () => setQuotas(this.state, project, quotas, now));
  }

  /** How much of the quotas of a project is in use; none without quotas. */
  quotas(now: Instant, project: number): readonly QuotaState[] {
    this.moveTo(now);
    return this.state.quotas.states(project, this.state.leases.values(), now);
  }

  /** Closes nodes for a time. Throws INVALID_REQUEST, or WOULD_DISPLACE (with the leases) on a refused collision. */
  planMaintenance(now: Instant, maintenance: MaintenanceRecord, collisions: Collisions = 'REFUSE'): CommandOutcome {
    return this.command(now, () => planMaintenance(this.state, maintenance, collisions, now));
  }

  /** Ends maintenance before its time. Throws MAINTENANCE_NOT_FOUND. */
  endMaintenance(now: Instant, name: string): CommandOutcome {
    return this.command(now, () => endMaintenance(this.state, name, now));
  }

  /** The machines of a running lease ended by themselves. Throws LEASE_NOT_FOUND, LEASE_ENDED or INVALID_REQUEST. */
  vmEnded(now: Instant, leaseId: number): void {
    endEarly(this.state, this.state.live(leaseId), now);
    reevaluateIfDue(this.state, now);
  }

  /** A host has failed at an action. Ended leases are ignored. Throws LEASE_FAILURE if failures stop the scheduler. */
  actionFailed(now: Instant, leaseId: number, reason: StateReason): void {
    const lease = this.state.leases.get(leaseId);
    if (!lease) return;
    const nodes = new Set(lease.vm?.amounts.keys());
    failLease(this.state, lease, now, reason);
    startPutOff(this.state, nodes, now);
    reevaluateIfDue(this.state, now);
  }

  /** A machine could not be started: the lease moves to other nodes. False if it cannot, and must be failed. */
  startFailed(now: Instant, leaseId: number, node: number, reason: StateReason): boolean {
    const lease = this.state.leases.get(leaseId);
    if (!lease || !moveElsewhere(this.state, lease, node, reason, now)) return false;
    reevaluateIfDue(this.state, now);
    return true;
  }

  /** The machines of a running lease started late, at `at`: the running time counts from then. */
  machinesStarted(now: Instant, leaseId: number, at: Instant): void {
    this.carryOut(now - 1, now);
    const lease = this.state.leases.get(leaseId);
    if (!lease) return;
    startedLate(this.state, lease, at, now);
    reevaluateIfDue(this.state, now);
  }

  /** An operation takes at least until `until`. To be called before the end of the operation is carried out. */
  operationLate(now: Instant, leaseId: number, reservationId: number, until: Instant): void {
    this.carryOut(now - 1, now);
    operationLate(this.state, { leaseId, reservationId }, until, now);
  }

  /** An operation that was late is over. */
  operationFinished(now: Instant, leaseId: number, reservationId: number): void {
    operationFinished(this.state, { leaseId, reservationId }, now);
    reevaluateIfDue(this.state, now);
  }

  /** The machines of these running leases, and of no others, have not started yet. It is no part of snapshots. */
  setNotStarted(leaseIds: readonly number[]): void {
    this.state.notStarted = new Set(leaseIds);
  }

  /**
   * Machines that hosts have not removed, all of them: they hold their capacity until then. To be called before what is
   * due is carried out. It is no part of snapshots.
   */
  holdRemaining(now: Instant, machines: readonly RemainingMachine[]): void {
    this.carryOut(now - 1, now);
    holdRemaining(this.state, machines, now);
    reevaluateIfDue(this.state, now);
  }

  /** Machines could not be shut down in order: hosts must destroy them. Their leases may have ended. */
  removeMachines(now: Instant, targets: readonly ActionTarget[]): void {
    removeMachines(this.state, targets, now);
  }

  /** Fails a lease that was left out of the snapshot; hosts must destroy its machines. */
  discard(now: Instant, lease: DiscardedLease): void {
    this.command(now, () => discardLease(this.state, lease, now));
  }

  /**
   * What a command (`update`, `setNodeState`, `planMaintenance`, `endMaintenance`, `cancel`, `vmEnded`) would answer,
   * or throw, without doing it. The scheduler can be asked within how everything would be then. (`addNodes`,
   * `updateNode` and `removeNode` are only checked: the nodes are as they were also within.)
   */
  rehearse<T>(command: (scheduler: this) => T): T {
    const { cursor } = this;
    const answer = this.state.journal.trial(() => command(this));
    this.cursor = cursor;
    return answer;
  }

  // ------------------------------------------------------------------ time

  /** Carries out everything that is due up to `now`, in time order. */
  advance(now: Instant): void {
    this.carryOut(now, now);
  }

  /** Only what ends by itself at this instant (simulation: users' cancellations come next, then the rest). */
  endPrematurely(now: Instant): void {
    this.moveTo(now);
    endPrematurely(this.state, now);
  }

  /** The next instant at which `advance` has something to do; null when nothing is planned. */
  nextInstant(): Instant | null {
    return nextDueAfter(this.state, this.cursor, false);
  }

  /** The next instant after one at which something starts, ends or is given up: reservations, maintenance, promises. */
  nextChangepoint(after: Instant): Instant | null {
    return nextDueAfter(this.state, after, false);
  }

  /** One pass over pending leases and the queue. */
  schedule(now: Instant): void {
    const pass = this.pass(now);
    while (!pass.next().done);
  }

  /** As schedule(), one lease per step. Commands may be given between steps; `next(now)` passes the present time. */
  pass(now: Instant): Generator<void, void, Instant | undefined> {
    this.moveTo(now);
    return runPass(this.state, now);
  }

  /** Whether a pass could find something to do that the last one did not. */
  get needsPass(): boolean {
    const { pending, queue, future, withDeadline, withoutPlace, needsPass, reevaluationDue } = this.state;
    const isDue = reevaluationDue && future.size + withDeadline.size + withoutPlace.size > 0;
    return isDue || (needsPass && queue.size > 0) || [...pending].some((lease) => !lease.isWithoutPlace);
  }

  /** What a request would be answered now. Changes nothing. Throws INVALID_REQUEST or UNSUPPORTED_LEASE_TYPE. */
  dryRun(now: Instant, request: LeaseRequest): PlannedLease {
    this.moveTo(now);
    return dryRun(this.state, request, now);
  }

  /** What an update would be answered now. Changes nothing. Throws as `update`, but for lack of capacity. */
  dryRunUpdate(now: Instant, id: number, update: LeaseUpdate, searchFrom: Instant = now): PlannedUpdate {
    const carryOut = () => this.update(now, id, update);
    return this.rehearse(() => plannedUpdate(this.state, id, update, now, searchFrom, carryOut));
  }

  /** What would follow from a command that ends leases. Changes nothing. Throws as the command. */
  dryRunEnding(now: Instant, command: (scheduler: this) => void): PlannedEnding {
    this.moveTo(now);
    return this.rehearse(() => plannedEnding(this.state, now, () => command(this)));
  }

  /** When such machines are available as an advance reservation. Changes nothing. Throws INVALID_REQUEST. */
  availability(now: Instant, question: AvailabilityQuestion): Availability {
    this.moveTo(now);
    return availability(this.state, question, now);
  }

  /** Why a lease does not run; null when it does. Changes nothing. Throws LEASE_NOT_FOUND or LEASE_ENDED. */
  waiting(now: Instant, leaseId: number): Waiting | null {
    this.moveTo(now);
    return whyWaiting(this.state, this.state.live(leaseId), now);
  }

  // ------------------------------------------------------------------ its state

  /** What changed since this was last asked. */
  takeChanges(): Changes {
    return takeChanges(this.state);
  }

  /** Roughly how many rows it takes to store what changed since changes were last taken. */
  get changedRows(): number {
    return this.state.log.rows;
  }

  snapshot(): Snapshot {
    return takeSnapshot(this.state);
  }

  /** Carries out a command, then what follows from it. */
  private command(now: Instant, run: () => void, except: number | null = null): CommandOutcome {
    this.moveTo(now);
    this.state.displaced.clear();
    run();
    reevaluateIfDue(this.state, now);
    return { displaced: [...this.state.displaced].filter((id) => id !== except).sort((a, b) => a - b) };
  }

  /** It is `now`; what is due up to `last` is carried out. What became due since at the last instant comes first. */
  private carryOut(last: Instant, now: Instant): void {
    let at = nextDueAfter(this.state, this.cursor, true);
    for (; at !== null && at <= last; at = nextDueAfter(this.state, at, false)) {
      this.moveTo(at);
      carryOutDue(this.state, at);
    }
    this.moveTo(now);
  }

  private moveTo(now: Instant): void {
    this.state.table.moveTo(now);
    this.cursor = Math.max(this.cursor, now);
  }
}
