/**
 * Executes committed actions on the hosts. Actions of one lease run in order, those of different leases concurrently;
 * the outcome of each action is reported back and recorded by a turn. A machine starts only after the previous machines
 * have left its place; an adapter that hangs delays only its own lease and later machines on the same node.
 */
import type { Logger } from 'pino';
import { type ActionKind, type ActionRecord, type ActionTarget, getOrCreate } from '../../core/index.ts';
import { backoff, linkedController, Semaphore, sharedController } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { EngineMetrics } from '../metrics.ts';
import type { ActionOutcome, Adapter, LeaseFacts } from '../ports.ts';
import { callTarget, type DispatchLimits, timeoutOf } from './host-calls.ts';
import { type HostLedger, namesOf } from './ledger.ts';
import {
  beginCalls,
  endOf,
  freeingKinds,
  isUncalled,
  type OpenAction,
  openAction,
  outcomeOf,
  type TargetFailure,
  takingKinds,
  type WaitingStart,
} from './open-action.ts';
import type { Recovery, RecoveryOutcome } from './recovery.ts';
import { type ActionReport, noReport } from './report.ts';

export interface DispatcherOptions {
  readonly adapter: Adapter;
  readonly ledger: HostLedger;
  readonly clock: Clock;
  readonly limits: DispatchLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly report: (report: ActionReport) => void;
  readonly factsOf: (lease: number) => LeaseFacts | Promise<LeaseFacts | null>;
  /** Whether a host could be reached; `error`: why not. */
  readonly onReached: (node: number, error: unknown) => void;
}

/** The part of an action that concerns one lease. */
interface Part {
  readonly of: OpenAction;
  readonly leaseId: number;
  readonly targets: readonly ActionTarget[];
}

/** The queue of parts of one lease. */
interface Lane {
  readonly waiting: Part[];
  running: { readonly part: Part; readonly controller: AbortController } | null;
}

export class Dispatcher {
  private readonly lanes = new Map<number, Lane>();
  /** Known actions, from `add` until their outcome is recorded. */
  private readonly known = new Map<number, OpenAction>();
  private readonly slots: Semaphore;
  private readonly nodeSlots = new Map<number, Semaphore>();
  /** Machines whose RESUME was abandoned, so that they are still saved. */
  private readonly saved = new Set<string>();
  /** Machines waiting for their node. */
  private readonly waiting = new Set<WaitingStart & { readonly kind: ActionKind }>();
  private stopping = sharedController();

  constructor(private readonly options: DispatcherOptions) {
    this.slots = new Semaphore(options.limits.concurrentCalls);
  }

  /** Number of known actions, of those for which no host was called yet, and of machines waiting for their node. */
  get counts(): { readonly open: number; readonly uncalled: number; readonly waitingMachines: number } {
    const uncalled = [...this.known.values()].filter(isUncalled).length;
    return { open: this.known.size, uncalled, waitingMachines: this.waiting.size };
  }

  /** Whether any action for a lease is running or waiting. */
  isBusyWith(leaseId: number): boolean {
    return this.lanes.has(leaseId);
  }

  /**
   * Accepts committed actions in ascending id order. Known actions are ignored. `haveFailed`: removals that failed in
   * an earlier term.
   */
  add(actions: readonly ActionRecord[], haveFailed: ReadonlySet<number> = new Set()): void {
    if (this.stopping.signal.aborted) return;
    const added = actions.filter(({ id }) => !this.known.has(id));
    // At one instant, what frees a node comes before what takes it.
    for (const { id, kind, targets } of added) {
      if (freeingKinds.has(kind)) for (const target of targets) this.options.ledger.beginRelease(target, kind, id);
    }
    for (const action of added) {
      const leases = new Set(action.targets.map((target) => target.leaseId));
      const open = openAction(action, leases.size, this.options.clock.monotonic());
      open.hasFailed = haveFailed.has(action.id);
      this.known.set(action.id, open);
      if (leases.size === 0) this.finish(open);
      for (const leaseId of leases) {
        const targets = action.targets.filter((target) => target.leaseId === leaseId);
        this.enqueue({ of: open, leaseId, targets });
      }
    }
  }

  /** Takes actions that were given up, and whose outcome is not recorded. */
  giveUp(actions: readonly ActionRecord[]): void {
    for (const action of actions.filter(({ id }) => !this.known.has(id))) {
      const open = openAction(action, 0, this.options.clock.monotonic());
      open.superseded = true;
      this.known.set(action.id, open);
      this.finish(open);
    }
  }

  /** Known actions whose outcome is not recorded. */
  get open(): Iterable<OpenAction> {
    return this.known.values();
  }

  /** Starts that wait for their node. */
  get waitingStarts(): Iterable<WaitingStart> {
    return [...this.waiting].filter(({ kind }) => kind === 'START');
  }

  /** The outcome is committed: removes the action. */
  recorded(actionId: number): void {
    this.known.delete(actionId);
  }

  /** Applies an operator's decision to a stuck action. What cannot be removed keeps its capacity. */
  recover(actionId: number, recovery: Recovery): RecoveryOutcome {
    const open = this.known.get(actionId);
    if (!open || open.parts === 0) return 'NOT_OPEN';
    if (open.action.kind === 'DESTROY' && recovery === 'ASSUME_FAILURE') return 'REMOVAL';
    const fields = { action: actionId, kind: open.action.kind, recovery };
    this.options.log.warn(fields, 'action recovered by an operator');
    if (recovery !== 'RETRY') open.assumed = recovery;
    open.interrupt();
    return 'RECOVERED';
  }

  /** Immediately retries the calls to a node that wait for a retry. */
  retryOn(node: number): void {
    for (const open of this.known.values()) {
      const { kind, targets } = open.action;
      if (kind === 'DESTROY' && open.parts > 0 && targets.some((target) => target.node === node)) open.interrupt();
    }
  }

  /** Aborts all calls and removes all actions; they stay recorded as unfinished. */
  stop(): void {
    this.stopping.abort();
    this.lanes.clear();
    this.known.clear();
    this.saved.clear();
    this.options.ledger.clear();
  }

  /** Stops all work; new actions can be added afterwards. */
  reset(): void {
    this.stop();
    this.stopping = sharedController();
  }

  private enqueue(part: Part): void {
    const lane = getOrCreate(this.lanes, part.leaseId, (): Lane => ({ waiting: [], running: null }));
    const { kind } = part.of.action;
    if (kind === 'DESTROY') this.supersede(lane, part.targets);
    if (kind === 'SHUTDOWN') {
      for (const { of } of [...(lane.running ? [lane.running.part] : []), ...lane.waiting]) of.unwanted.abort();
    }
    lane.waiting.push(part);
    if (!lane.running) this.runNext(part.leaseId, lane);
  }

  /** Parts that concern only machines to be destroyed need not finish first; parts that concern other machines must. */
  private supersede(lane: Lane, destroyed: readonly ActionTarget[]): void {
    const machines = new Set(destroyed.map(({ machine }) => machine));
    const isVain = ({ of, targets }: Part): boolean =>
      of.action.kind !== 'DESTROY' && targets.every(({ machine }) => machines.has(machine));
    for (const part of lane.waiting.splice(0)) {
      if (isVain(part)) this.partEnds(part, 'superseded');
      else lane.waiting.push(part);
    }
    if (lane.running && isVain(lane.running.part)) lane.running.controller.abort();
  }

  private runNext(leaseId: number, lane: Lane): void {
    const part = lane.waiting.shift();
    if (!part) {
      lane.running = null;
      this.lanes.delete(leaseId);
      return;
    }
    const stopped = this.stopping.signal;
    const controller = linkedController(stopped);
    lane.running = { part, controller };
    const next = (): void => {
      if (!stopped.aborted && lane.running?.part === part) this.runNext(leaseId, lane);
    };
    part.of.detached.signal.addEventListener('abort', next, { once: true });
    void this.run(part, controller.signal).then((failure) => {
      controller[Symbol.dispose]();
      if (stopped.aborted) return;
      this.partEnds(part, controller.signal.aborted ? 'superseded' : failure);
      next();
    });
  }

  /** All machines side by side; the first failure ends the other calls. Null when all is done. Never rejects. */
  private async run({ of, targets }: Part, signal: AbortSignal): Promise<TargetFailure | null> {
    const { ledger, log } = this.options;
    const { action } = of;
    using controller = linkedController(signal);
    let failure: TargetFailure | null = null;
    const one = async (target: ActionTarget): Promise<void> => {
      const { leaseId, machine, node } = target;
      const result = await this.untilSettled(of, target, controller.signal);
      if (result === null) {
        if (freeingKinds.has(action.kind)) {
          this.saved.delete(`${leaseId}/${machine}`);
          ledger.release(target, action.id);
          // This may have been the last machine to leave the node.
          this.options.onReached(node, null);
        }
        return;
      }
      if (failure !== null) return;
      failure = {
        node,
        message: `${action.kind} of machine ${machine} of lease ${leaseId} on node ${node}: ${result}`,
      };
      controller.abort();
    };
    log.debug({ lease: action.leaseId, action: action.id, kind: action.kind }, 'action dispatched');
    await Promise.all(targets.map(one));
    return failure;
  }

  /**
   * Executes the action for one machine until it is done, has failed or an operator decides. Null when done. Never
   * rejects.
   */
  private async untilSettled(of: OpenAction, target: ActionTarget, signal: AbortSignal): Promise<string | null> {
    const { clock, limits } = this.options;
    const { action } = of;
    for (let failures = 0; ; ) {
      using attempt = linkedController(signal, of.interrupted);
      const result = of.assumed === null ? await this.attempt(of, target, attempt.signal) : null;
      if (signal.aborted) return 'aborted';
      if (of.assumed === 'ASSUME_SUCCESS') return null;
      if (of.assumed === 'ASSUME_FAILURE') return 'an operator assumes that it has failed';
      if (result === null) return null;
      // A retry asked for by an operator.
      if (attempt.signal.aborted) continue;
      if (action.kind !== 'DESTROY') return result;
      // A machine that could not be removed is still there: nothing starts in its place.
      failures += 1;
      of.hasFailed = true;
      of.detached.abort();
      this.progress(of, `not removed from node ${target.node} yet: ${result}`);
      await clock.sleep(backoff(failures, limits.maxBackoff, 60_000), attempt.signal);
    }
  }

  /** Calls the host once its node has room. Null when done. Never rejects. */
  private async attempt(of: OpenAction, target: ActionTarget, signal: AbortSignal): Promise<string | null> {
    const { adapter, clock, limits, log, metrics } = this.options;
    const { action } = of;
    const { leaseId, machine, node } = target;
    if (takingKinds.has(action.kind)) {
      const blocked = await this.waitForRoom(of, target, signal);
      if (of.unwanted.signal.aborted && blocked !== null) {
        of.superseded = true;
        if (action.kind === 'RESUME') this.saved.add(`${leaseId}/${machine}`);
        return null;
      }
      if (blocked !== null) return blocked;
    }
    beginCalls(of, this.options);
    // A machine that was not resumed cannot be shut down: it is removed.
    const isSaved = action.kind === 'SHUTDOWN' && this.saved.has(`${leaseId}/${machine}`);
    return callTarget({
      adapter,
      action: isSaved ? { ...action, kind: 'DESTROY' } : action,
      target,
      lease: await this.options.factsOf(leaseId),
      deadline: action.deadline === null ? null : clock.wall() + (action.deadline - clock.now()) / clock.speed,
      clock,
      limits,
      slots: this.slots,
      nodeSlots: getOrCreate(this.nodeSlots, node, () => new Semaphore(limits.concurrentCallsPerNode)),
      signal,
      log: log.child({ lease: leaseId, action: action.id, kind: action.kind, machine, node }),
      onAttempt: (attempt) => {
        of.attempts = Math.max(of.attempts, attempt);
        if (attempt > 1) metrics.action(action.kind, 'retried');
      },
      onReached: (error) => this.options.onReached(node, error),
      onFailure: (message) => {
        of.lastFailure = `machine ${machine} on node ${node}: ${message}`;
        this.report(of, of.lastFailure);
      },
      onOutput: (output) => of.outputs.set(`${leaseId}/${machine}`, output),
    });
  }

  /** Waits until the previous machines have left the node, then takes their place. Null when taken. */
  private async waitForRoom(of: OpenAction, target: ActionTarget, signal: AbortSignal): Promise<string | null> {
    const { clock, ledger, limits, metrics } = this.options;
    let inTheWay = ledger.inTheWayOf(target, of.action.id);
    const take = () => (ledger.take(target, !of.unwanted.signal.aborted) ? null : 'no longer wanted');
    if (inTheWay.length === 0) return take();
    const timeout = timeoutOf(limits, of.action.kind);
    const giveUpAt = clock.monotonic() + timeout;
    metrics.action(of.action.kind, 'delayed');
    const waiter = { actionId: of.action.id, kind: of.action.kind, target };
    this.waiting.add(waiter);
    try {
      for (; inTheWay.length > 0; inTheWay = ledger.inTheWayOf(target, of.action.id)) {
        this.progress(of, `waits until node ${target.node} is free of ${namesOf(inTheWay)}`);
        if (of.unwanted.signal.aborted) return 'no longer wanted';
        const left = giveUpAt - clock.monotonic();
        if (left <= 0) {
          return `node ${target.node} is not free of ${namesOf(inTheWay)} after ${Math.round(timeout / 1_000)} s`;
        }
        using waiting = linkedController(signal, of.unwanted.signal);
        void clock.sleep(left, waiting.signal).then(() => waiting.abort());
        await ledger.changed(target.node, waiting.signal);
        waiting.abort();
        if (signal.aborted) return 'aborted';
      }
      return take();
    } finally {
      this.waiting.delete(waiter);
    }
  }

  /** Records the progress of an unfinished action, once per change. */
  private progress(of: OpenAction, message: string): void {
    const { id, kind, leaseId } = of.action;
    if (this.report(of, message)) this.options.log.warn({ lease: leaseId, action: id, kind }, `${kind} ${message}`);
  }

  /** Whether it is new. */
  private report(of: OpenAction, message: string): boolean {
    if (of.message === message) return false;
    of.message = message;
    const outcome: ActionOutcome = { ...outcomeOf(of), state: 'PENDING', error: message, finishedAt: null };
    this.options.report({ ...noReport, outcome });
    return true;
  }

  private partEnds(part: Part, failure: TargetFailure | 'superseded' | null): void {
    const { of } = part;
    if (failure === 'superseded') {
      of.superseded = true;
      for (const target of part.targets) this.options.ledger.endRelease(target, of.action.id);
    } else if (failure !== null) of.failures.push({ leaseId: part.leaseId, code: 'ACTION_FAILED', ...failure });
    of.parts -= 1;
    if (of.parts === 0) this.finish(of);
  }

  private finish(of: OpenAction): void {
    const { clock, limits, log, metrics, report } = this.options;
    const { action, attempts, failures } = of;
    const { error, result } = endOf(of);
    const fields = { lease: action.leaseId, action: action.id, kind: action.kind, attempts };
    const late = action.deadline === null ? 0 : (clock.now() - action.deadline) / clock.speed;
    if (late > limits.lateness) {
      metrics.action(action.kind, 'late');
      log.warn({ ...fields, late }, 'action finished after its deadline');
    }
    metrics.action(action.kind, result);
    const level = ({ failed: 'error', superseded: 'info', succeeded: 'debug' } as const)[result];
    log[level]({ ...fields, error }, `action ${result}`);
    const state = error === null ? 'SUCCEEDED' : 'FAILED';
    of.finishedAt = clock.now();
    const outcome: ActionOutcome = { ...outcomeOf(of), state, error, finishedAt: of.finishedAt };
    // The lease has had its running time: a machine that cannot be shut down does not fail the lease.
    if (action.kind === 'SHUTDOWN' && failures.length > 0) {
      report({ ...noReport, action, outcome, remove: action.targets });
    } else report({ ...noReport, action, outcome, failures });
  }
}
