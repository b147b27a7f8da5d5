/** Simulated hosts, kept in memory or in a file: for demonstrations, tests and simulated failures. */
import { setTimeout as timer } from 'node:timers/promises';
import type { ActionKind, Millis } from '../../core/index.ts';
import type {
  ActionCall,
  ActionResult,
  Adapter,
  HostedMachine,
  MachinePlace,
  MachineStatus,
} from '../../engine/ports.ts';
import { fraction } from './chance.ts';
import { type SimulatedMachine, SimulatedMachines } from './machines.ts';

/** A fixed duration, or a random one between two bounds that depends on the seed. */
export type Delay = Millis | readonly [Millis, Millis];

export interface SimulatedOptions {
  /** Duration of each kind of action, in milliseconds. Default: 0. */
  readonly delays?: Partial<Record<Lowercase<ActionKind>, Delay>>;
  /** Probability that an action fails, from 0 to 1. */
  readonly failureProbability?: number;
  /** Probability that an action never ends, as on a hanging host. A DESTROY always ends. */
  readonly stuckProbability?: number;
  /** Determines which actions fail, which hang and how long each takes. Equal seeds give equal results. */
  readonly seed?: number;
  /** A file in which machines outlive the process. Without it they disappear with the process. */
  readonly stateFile?: string;
  /** How long an action takes that begins; null: as configured. For tests. */
  readonly delayOf?: (kind: ActionKind, call: ActionCall) => Millis | null;
  /** Waits; tests may replace it. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now?: () => number;
}

/** The states that an action requires, and the state after it. `null`: unchanged. */
interface Step {
  readonly from: readonly MachineStatus[];
  readonly to: MachineStatus | null;
}

/** Any action may be repeated: if its work is already done, it succeeds. */
const steps: Readonly<Record<ActionKind, Step>> = {
  PREPARE: { from: ['absent', 'prepared'], to: 'prepared' },
  START: { from: ['absent', 'prepared', 'running', 'stopped'], to: 'running' },
  SHUTDOWN: { from: ['absent', 'prepared', 'running', 'stopped'], to: 'absent' },
  SUSPEND: { from: ['running', 'suspended'], to: 'suspended' },
  RESUME: { from: ['suspended', 'running'], to: 'running' },
  MIGRATE: { from: ['prepared', 'suspended'], to: null },
  DESTROY: { from: ['absent', 'prepared', 'running', 'suspended', 'stopped'], to: 'absent' },
};

interface Work {
  readonly actionId: number;
  readonly finished: number;
}

export class SimulatedAdapter implements Adapter {
  readonly name: string = 'simulated';
  readonly remembers: boolean;
  private readonly machines: SimulatedMachines;
  /** The operation in progress on a machine, and when it will end. */
  private readonly working = new Map<string, Work>();
  private readonly watchers = new Set<(place: MachinePlace) => void>();
  private readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  private readonly now: () => number;
  private closed = false;

  constructor(private readonly options: SimulatedOptions = {}) {
    this.machines = new SimulatedMachines(options.stateFile ?? null);
    this.remembers = options.stateFile !== undefined;
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

  async inspect(place: MachinePlace, signal: AbortSignal): Promise<MachineStatus> {
    signal.throwIfAborted();
    return this.machines.status(place);
  }

  readonly list = async (node: number, signal: AbortSignal): Promise<readonly HostedMachine[]> => {
    signal.throwIfAborted();
    return this.machines.on(node).map(({ leaseId, machine, status }) => ({ leaseId, machine, node, status }));
  };

  readonly watch = (onChange: (place: MachinePlace) => void, signal: AbortSignal): void => {
    this.watchers.add(onChange);
    signal.addEventListener('abort', () => this.watchers.delete(onChange), { once: true });
  };

  /** Ends a running machine from inside. */
  stopMachine(place: MachinePlace): void {
    const machine = this.machines.get(place);
    if (machine?.status !== 'running') throw new Error(`machine ${nameOf(place)} is not running`);
    this.machines.set({ ...machine, status: 'stopped' });
    for (const tell of this.watchers) tell(place);
  }

  forget(): void {
    this.machines.clear();
    this.working.clear();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.forget();
  }

  protected async act(kind: ActionKind, call: ActionCall): Promise<ActionResult> {
    const { target, signal, deadline, actionId } = call;
    signal.throwIfAborted();
    const verb = kind.toLowerCase();
    const { status, at } = this.find(kind, target);
    const { from, to } = steps[kind];
    const isUnknownMove = kind === 'MIGRATE' && status === 'absent' && !this.remembers;
    if (!from.includes(status) && !isUnknownMove)
      return { status: 'failed', reason: `machine ${nameOf(at)} is ${status}: ${verb} is not possible` };
    if (this.happens(1, this.options.failureProbability, call))
      return { status: 'failed', reason: `simulated failure of ${verb} of machine ${nameOf(at)}` };
    if (kind !== 'DESTROY' && this.happens(2, this.options.stuckProbability, call))
      await this.sleep(2 ** 31 - 1, signal);

    const { leaseId, machine, capacity } = target;
    const node = (kind === 'MIGRATE' ? target.toNode : null) ?? target.node;
    const result: SimulatedMachine = { leaseId, machine, node, status: to ?? status, capacity };
    const key = `${leaseId}/${machine}`;
    const changes = status !== result.status || at.node !== node;
    const going = this.working.get(key);
    const finished =
      going?.actionId === actionId ? going.finished : this.now() + (changes ? this.delay(kind, call) : 0);
    this.working.set(key, { actionId, finished });
    const until = deadline === null ? finished : Math.min(finished, Math.max(deadline, this.now()));
    if (until > this.now()) await this.sleep(until - this.now(), signal);
    signal.throwIfAborted();
    if (this.closed) throw new Error('the adapter is closed');
    if (finished > this.now()) return { status: 'pending' };

    if (this.working.get(key)?.actionId === actionId) this.working.delete(key);
    else if (this.working.has(key)) throw new Error(`another action with machine ${key} has begun`);
    if (at.node !== node) this.machines.delete(at);
    this.machines.set(result);
    return { status: 'done' };
  }

  /** The machine at the place where the action expects it. */
  private find(kind: ActionKind, target: ActionCall['target']): { status: MachineStatus; at: MachinePlace } {
    const { leaseId, machine, node, toNode } = target;
    const at = { leaseId, machine, node };
    const found = this.machines.status(at);
    if (found !== 'absent') return { status: found, at };
    if (kind === 'MIGRATE' && toNode !== null) {
      const moved = { leaseId, machine, node: toNode };
      const status = this.machines.status(moved);
      if (status !== 'absent') return { status, at: moved };
    }
    // Machines that do not outlive the process are assumed to be in the state that the action requires, since leases do
    // outlive it.
    if (this.remembers || kind === 'MIGRATE') return { status: 'absent', at };
    return { status: steps[kind].from[0] ?? 'absent', at };
  }

  private delay(kind: ActionKind, call: ActionCall): Millis {
    const { actionId, target } = call;
    const own = this.options.delayOf?.(kind, call) ?? null;
    if (own !== null) return own;
    const delay = this.options.delays?.[kind.toLowerCase() as Lowercase<ActionKind>] ?? 0;
    if (typeof delay === 'number') return delay;
    const [min, max] = delay;
    return min + Math.floor((max - min + 1) * fraction(this.seed, 3, actionId, target.machine));
  }

  /** Depends on action and machine only, so that a repeated call has the same result. */
  private happens(what: number, probability = 0, { actionId, target }: ActionCall): boolean {
    return probability > 0 && fraction(this.seed, what, actionId, target.machine) < probability;
  }

  private get seed(): number {
    return this.options.seed ?? 1;
  }
}

const nameOf = ({ leaseId, machine }: MachinePlace): string => `${leaseId}/${machine}`;
