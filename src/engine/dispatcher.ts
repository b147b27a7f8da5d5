/**
 * Carries committed actions out on the hosts. The actions of one lease run in order, those of different leases side by side; what
 * became of each is reported back and recorded by a turn. An adapter that hangs holds up nobody but its own lease.
 */
import type { Logger } from 'pino';
import type { ActionRecord, ActionTarget } from '../core/index.ts';
import type { Clock } from './clock.ts';
import { CallSlots, callTarget, type DispatchLimits } from './host-calls.ts';
import type { EngineMetrics } from './metrics.ts';
import type { ActionOutcome, Adapter } from './ports.ts';
import { linkedController, widelyHeard } from './wake.ts';

export interface ActionReport {
  readonly action: ActionRecord;
  readonly outcome: ActionOutcome;
  /** Given up because the lease's machines are being destroyed: no failure of the lease. */
  readonly superseded: boolean;
}

export interface DispatcherOptions {
  readonly adapter: Adapter;
  readonly clock: Clock;
  readonly limits: DispatchLimits;
  readonly log: Logger;
  readonly metrics: EngineMetrics;
  readonly report: (report: ActionReport) => void;
}

/** The actions of one lease, in order; the first one is running. */
interface Lane {
  readonly waiting: ActionRecord[];
  running: { readonly action: ActionRecord; readonly controller: AbortController } | null;
}

const superseding = 'superseded: the machines are being destroyed';

export class Dispatcher {
  private readonly lanes = new Map<number, Lane>();
  /** Actions that are here, from `add` until their outcome is recorded. */
  private readonly known = new Set<number>();
  private readonly slots: CallSlots;
  private stopping = widelyHeard();

  constructor(private readonly options: DispatcherOptions) {
    this.slots = new CallSlots(options.limits.concurrentCalls);
  }

  /** Actions that are recorded and not finished, as far as they are here. */
  get open(): number {
    return this.known.size;
  }

  /** Takes committed actions, ascending id. One that is here already is not taken twice. */
  add(actions: readonly ActionRecord[]): void {
    if (this.stopping.signal.aborted) return;
    for (const action of actions) {
      if (this.known.has(action.id)) continue;
      this.known.add(action.id);
      let lane = this.lanes.get(action.leaseId);
      if (!lane) {
        lane = { waiting: [], running: null };
        this.lanes.set(action.leaseId, lane);
      }
      if (action.kind === 'DESTROY') this.supersede(lane);
      lane.waiting.push(action);
      if (!lane.running) this.runNext(action.leaseId, lane);
    }
  }

  /** The outcome is committed: the action is forgotten. */
  recorded(actionId: number): void {
    this.known.delete(actionId);
  }

  /** Aborts all calls and forgets all actions; they stay recorded as unfinished. `add` works again afterwards. */
  reset(): void {
    this.stopping.abort();
    this.lanes.clear();
    this.known.clear();
    this.stopping = widelyHeard();
  }

  stop(): void {
    this.stopping.abort();
    this.lanes.clear();
    this.known.clear();
  }

  /** What is to be destroyed need not be finished first. */
  private supersede(lane: Lane): void {
    for (const action of lane.waiting.splice(0)) {
      if (action.kind === 'DESTROY') lane.waiting.push(action);
      else this.finish(action, superseding, 0, true);
    }
    if (lane.running && lane.running.action.kind !== 'DESTROY') lane.running.controller.abort();
  }

  private runNext(leaseId: number, lane: Lane): void {
    const action = lane.waiting.shift();
    if (!action) {
      lane.running = null;
      this.lanes.delete(leaseId);
      return;
    }
    const controller = linkedController(this.stopping.signal);
    lane.running = { action, controller };
    const stopped = this.stopping.signal;
    void this.run(action, controller.signal).then(({ error, attempts }) => {
      const superseded = controller.signal.aborted;
      controller[Symbol.dispose]();
      if (stopped.aborted) return;
      if (error === null) this.finish(action, null, attempts, false);
      else this.finish(action, superseded ? superseding : error, attempts, superseded);
      this.runNext(leaseId, lane);
    });
  }

  /** All targets side by side; the first one that fails ends the others' calls. Never rejects. */
  private async run(
    action: ActionRecord,
    signal: AbortSignal,
  ): Promise<{ error: string | null; attempts: number }> {
    const { adapter, clock, limits, log, metrics } = this.options;
    using controller = linkedController(signal);
    const lease = log.child({ lease: action.leaseId, action: action.id, kind: action.kind });
    const deadline =
      action.deadline === null ? null : clock.wall() + (action.deadline - clock.now()) / clock.speed;
    lease.debug({ machines: action.targets.length }, 'action dispatched');
    let attempts = 0;
    let error: string | null = null;
    const one = async (target: ActionTarget): Promise<void> => {
      const result = await callTarget({
        adapter,
        action,
        target,
        deadline,
        clock,
        limits,
        slots: this.slots,
        signal: controller.signal,
        onAttempt: (attempt) => {
          attempts = Math.max(attempts, attempt);
          if (attempt > 1) metrics.action(action.kind, 'retried');
        },
        log: lease,
      });
      if (result === null || error !== null) return;
      error = `${action.kind} of machine ${target.machine} of lease ${target.leaseId} on node ${target.node}: ${result}`;
      controller.abort();
    };
    await Promise.all(action.targets.map(one));
    if (error === null && signal.aborted) error = 'aborted';
    if (error === null && action.deadline !== null && clock.now() > action.deadline) {
      metrics.action(action.kind, 'late');
      lease.warn({ late: clock.now() - action.deadline }, 'action finished after its deadline');
    }
    return { error, attempts };
  }

  private finish(action: ActionRecord, error: string | null, attempts: number, superseded: boolean): void {
    const { clock, log, metrics, report } = this.options;
    metrics.action(action.kind, superseded ? 'superseded' : error === null ? 'succeeded' : 'failed');
    const fields = { lease: action.leaseId, action: action.id, kind: action.kind, attempts };
    if (error === null) log.debug(fields, 'action done');
    else if (superseded) log.info(fields, 'action superseded');
    else log.error({ ...fields, error }, 'action failed');
    report({
      action,
      superseded,
      outcome: {
        actionId: action.id,
        state: error === null ? 'SUCCEEDED' : 'FAILED',
        error,
        attempts,
        finishedAt: clock.now(),
      },
    });
  }
}
