/** Hosts that exist in memory only: for demonstrations, tests and simulations of failures. */
import { setTimeout as timer } from 'node:timers/promises';
import type { ActionKind } from '../core/index.ts';
import type { ActionCall, ActionResult, Adapter, MachineStatus } from '../engine/ports.ts';

export interface SimulatedOptions {
  /** How long each kind of action takes, in milliseconds; 0 where nothing is said. */
  readonly delays?: Partial<Record<Lowercase<ActionKind>, number>>;
  /** The share of actions that fail, 0 to 1. */
  readonly failureProbability?: number;
  /** Decides which actions fail: with equal seeds, the same ones. */
  readonly seed?: number;
  /** Waits; a test may bring its own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now?: () => number;
}

interface Machine {
  readonly status: MachineStatus;
  readonly node: number;
}

/** Where a machine must be for an action, and where the action leaves it. `null`: it stays as it is. */
interface Step {
  readonly from: readonly MachineStatus[];
  readonly to: MachineStatus | null;
}

/**
 * Machines do not outlive the process, as leases do: a machine that is not known is taken to be where the action needs it.
 * Any action may be repeated: one that finds its work done is done.
 */
const steps: Readonly<Record<ActionKind, Step>> = {
  PREPARE: { from: ['absent', 'prepared'], to: 'prepared' },
  START: { from: ['absent', 'prepared', 'running'], to: 'running' },
  SHUTDOWN: { from: ['absent', 'prepared', 'running'], to: 'absent' },
  SUSPEND: { from: ['absent', 'running', 'suspended'], to: 'suspended' },
  RESUME: { from: ['absent', 'suspended', 'running'], to: 'running' },
  MIGRATE: { from: ['absent', 'prepared', 'suspended'], to: null },
  DESTROY: { from: ['absent', 'prepared', 'running', 'suspended'], to: 'absent' },
};

export class SimulatedAdapter implements Adapter {
  readonly name: string = 'simulated';
  readonly remembers = false;
  private readonly machines = new Map<string, Machine>();
  /** What is being done with a machine, and when it will be finished. */
  private readonly working = new Map<string, { readonly actionId: number; readonly finished: number }>();
  private readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  private readonly now: () => number;

  constructor(private readonly options: SimulatedOptions = {}) {
    this.sleep = options.sleep ?? (async (ms, signal) => void (await timer(ms, undefined, { signal })));
    this.now = options.now ?? Date.now;
  }

  prepare(call: ActionCall): Promise<ActionResult> {
    return this.act('PREPARE', call);
  }

  start(call: ActionCall): Promise<ActionResult> {
    return this.act('START', call);
  }

  shutdown(call: ActionCall): Promise<ActionResult> {
    return this.act('SHUTDOWN', call);
  }

  suspend(call: ActionCall): Promise<ActionResult> {
    return this.act('SUSPEND', call);
  }

  resume(call: ActionCall): Promise<ActionResult> {
    return this.act('RESUME', call);
  }

  migrate(call: ActionCall): Promise<ActionResult> {
    return this.act('MIGRATE', call);
  }

  destroy(call: ActionCall): Promise<ActionResult> {
    return this.act('DESTROY', call);
  }

  async inspect(
    { leaseId, machine, node }: Parameters<Adapter['inspect']>[0],
    signal: AbortSignal,
  ): Promise<MachineStatus> {
    signal.throwIfAborted();
    const found = this.machines.get(`${leaseId}/${machine}`);
    return found && found.node === node ? found.status : 'absent';
  }

  forget(): void {
    this.machines.clear();
    this.working.clear();
  }

  async close(): Promise<void> {
    this.forget();
  }

  protected async act(kind: ActionKind, call: ActionCall): Promise<ActionResult> {
    const { target, signal, deadline, actionId } = call;
    signal.throwIfAborted();
    const key = `${target.leaseId}/${target.machine}`;
    const found = this.machines.get(key) ?? { status: 'absent', node: target.node };
    const { from, to } = steps[kind];
    if (!from.includes(found.status)) {
      return {
        status: 'failed',
        reason: `machine ${key} is ${found.status}: ${kind.toLowerCase()} is not possible`,
      };
    }
    if (this.fails(actionId, target.machine))
      return { status: 'failed', reason: `simulated failure of ${kind.toLowerCase()} of machine ${key}` };

    const result: Machine = {
      status: to ?? found.status,
      node: (kind === 'MIGRATE' ? target.toNode : null) ?? target.node,
    };
    const delay = found.status === result.status && found.node === result.node ? 0 : this.delay(kind);
    const going = this.working.get(key);
    const finished = going?.actionId === actionId ? going.finished : this.now() + delay;
    this.working.set(key, { actionId, finished });
    const until = deadline === null ? finished : Math.min(finished, Math.max(deadline, this.now()));
    if (until > this.now()) await this.sleep(until - this.now(), signal);
    signal.throwIfAborted();
    if (finished > this.now()) return { status: 'pending' };

    this.working.delete(key);
    this.keep(key, result);
    return { status: 'done' };
  }

  private keep(key: string, machine: Machine): void {
    if (machine.status === 'absent') this.machines.delete(key);
    else this.machines.set(key, machine);
  }

  private delay(kind: ActionKind): number {
    return this.options.delays?.[kind.toLowerCase() as Lowercase<ActionKind>] ?? 0;
  }

  /** Decided by action and machine, so that a repeated call has the result of the first. */
  private fails(actionId: number, machine: number): boolean {
    const { failureProbability = 0, seed = 1 } = this.options;
    return failureProbability > 0 && fraction(seed, actionId, machine) < failureProbability;
  }
}

/** A number from 0 to 1 that depends on all of the given ones (murmur's finalizer over each). */
const fraction = (...numbers: readonly number[]): number => {
  let mixed = 0;
  for (const number of numbers) {
    mixed = Math.imul(mixed ^ number ^ 0x9e3779b9, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return (mixed >>> 0) / 4_294_967_296;
};
