/**
 * Carries committed actions out on the hosts. What is done for one lease is done in order, for different leases side by side; what
 * became of each action is reported back and recorded by a turn. An adapter that hangs holds up nobody but its own lease.
 */
import type { Logger } from 'pino';
import type { ActionRecord, ActionTarget } from '../../core/index.ts';
import { linkedController, Semaphore, sharedController } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { EngineMetrics } from '../metrics.ts';
import type { ActionOutcome, Adapter } from '../ports.ts';
import { callTarget, type DispatchLimits } from './host-calls.ts';

export interface ActionReport {
  /** Null for what hosts tell without having been told to do anything. */
  readonly outcome: ActionOutcome | null;
  /** The leases that fail with it. None when it was only given up, since their machines are being destroyed. */
  readonly failures: readonly HostFailure[];
  /** Leases of which all machines have stopped by themselves. */
  readonly ended: readonly number[];
}

export interface HostFailure {
  readonly leaseId: number;
  readonly code: 'ACTION_FAILED' | 'MACHINE_LOST';
  readonly message: string;
}

export interface DispatcherOptions {
  readonly adapter: Adapter;
  readonly clock: Clock;
  readonly limits: DispatchLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly report: (report: ActionReport) => void;
}

/** An action whose parts are not all finished. (An image may be prepared for several leases at once.) */
interface OpenAction {
  readonly action: ActionRecord;
  parts: number;
  attempts: number;
  superseded: boolean;
  readonly failures: HostFailure[];
}

/** What one action does for one lease. */
interface Part {
  readonly of: OpenAction;
  readonly leaseId: number;
  readonly targets: readonly ActionTarget[];
}

/** The parts for one lease, in order. */
interface Lane {
  readonly waiting: Part[];
  running: { readonly part: Part; readonly controller: AbortController } | null;
}

export class Dispatcher {
  private readonly lanes = new Map<number, Lane>();
  /** Actions that are here, from `add` until their outcome is recorded. */
  private readonly known = new Set<number>();
  private readonly slots: Semaphore;
  private stopping = sharedController();

  constructor(private readonly options: DispatcherOptions) {
    this.slots = new Semaphore(options.limits.concurrentCalls);
  }

  /** Actions that are recorded and not finished, as far as they are here. */
  get open(): number {
    return this.known.size;
  }

  /** Whether something is being done, or waits to be done, for a lease. */
  isBusyWith(leaseId: number): boolean {
    return this.lanes.has(leaseId);
  }

  /** Takes committed actions, ascending id. One that is here already is not taken twice. */
  add(actions: readonly ActionRecord[]): void {
    for (const action of actions) {
      if (this.stopping.signal.aborted || this.known.has(action.id)) continue;
      this.known.add(action.id);
      const leases = new Set(action.targets.map((target) => target.leaseId));
      const open: OpenAction = { action, parts: leases.size, attempts: 0, superseded: false, failures: [] };
      if (leases.size === 0) this.finish(open);
      for (const leaseId of leases) {
        const targets = action.targets.filter((target) => target.leaseId === leaseId);
        this.enqueue({ of: open, leaseId, targets });
      }
    }
  }

  /** The outcome is committed: the action is forgotten. */
  recorded(actionId: number): void {
    this.known.delete(actionId);
  }

  /** Aborts all calls and forgets all actions; they stay recorded as unfinished. */
  stop(): void {
    this.stopping.abort();
    this.lanes.clear();
    this.known.clear();
  }

  /** Stops, and is ready for other actions. */
  reset(): void {
    this.stop();
    this.stopping = sharedController();
  }

  private enqueue(part: Part): void {
    let lane = this.lanes.get(part.leaseId);
    if (!lane) {
      lane = { waiting: [], running: null };
      this.lanes.set(part.leaseId, lane);
    }
    if (part.of.action.kind === 'DESTROY') this.supersede(lane, part.targets);
    lane.waiting.push(part);
    if (!lane.running) this.runNext(part.leaseId, lane);
  }

  /** What is only for machines that are to be destroyed need not be finished first; what is for others as well must be. */
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
    void this.run(part, controller.signal).then((failure) => {
      controller[Symbol.dispose]();
      if (stopped.aborted) return;
      this.partEnds(part, controller.signal.aborted ? 'superseded' : failure);
      this.runNext(leaseId, lane);
    });
  }

  /** All machines side by side; the first failure ends the other calls. Null when all is done. Never rejects. */
  private async run({ of, targets }: Part, signal: AbortSignal): Promise<{ message: string } | null> {
    const { adapter, clock, limits, log, metrics } = this.options;
    const { action } = of;
    using controller = linkedController(signal);
    const deadline =
      action.deadline === null ? null : clock.wall() + (action.deadline - clock.now()) / clock.speed;
    let failure: { message: string } | null = null;
    const one = async (target: ActionTarget): Promise<void> => {
      const { leaseId, machine, node } = target;
      const result = await callTarget({
        adapter,
        action,
        target,
        deadline,
        clock,
        limits,
        slots: this.slots,
        signal: controller.signal,
        log: log.child({ lease: leaseId, action: action.id, kind: action.kind, machine, node }),
        onAttempt: (attempt) => {
          of.attempts = Math.max(of.attempts, attempt);
          if (attempt > 1) metrics.action(action.kind, 'retried');
        },
      });
      if (result === null || failure !== null) return;
      failure = {
        message: `${action.kind} of machine ${machine} of lease ${leaseId} on node ${node}: ${result}`,
      };
      controller.abort();
    };
    log.debug({ lease: action.leaseId, action: action.id, kind: action.kind }, 'action dispatched');
    await Promise.all(targets.map(one));
    return failure;
  }

  private partEnds(part: Part, failure: { message: string } | 'superseded' | null): void {
    const { of } = part;
    if (failure === 'superseded') of.superseded = true;
    else if (failure !== null)
      of.failures.push({ leaseId: part.leaseId, code: 'ACTION_FAILED', message: failure.message });
    of.parts -= 1;
    if (of.parts === 0) this.finish(of);
  }

  private finish({ action, attempts, failures, superseded }: OpenAction): void {
    const { clock, limits, log, metrics, report } = this.options;
    const fields = { lease: action.leaseId, action: action.id, kind: action.kind, attempts };
    const late = action.deadline === null ? 0 : (clock.now() - action.deadline) / clock.speed;
    if (late > limits.lateness) {
      metrics.action(action.kind, 'late');
      log.warn({ ...fields, late }, 'action finished after its deadline');
    }
    let error: string | null = null;
    if (failures.length > 0) {
      error = failures.map(({ message }) => message).join('; ');
      metrics.action(action.kind, 'failed');
      log.error({ ...fields, error }, 'action failed');
    } else if (superseded) {
      error = 'given up: the machines are being destroyed';
      metrics.action(action.kind, 'superseded');
      log.info(fields, error);
    } else {
      metrics.action(action.kind, 'succeeded');
      log.debug(fields, 'action done');
    }
    const state = error === null ? 'SUCCEEDED' : 'FAILED';
    const outcome: ActionOutcome = { actionId: action.id, state, error, attempts, finishedAt: clock.now() };
    report({ failures, outcome, ended: [] });
  }
}
