/** The test bench of the conformance suite, and the helpers that its cases use. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionTarget, DiskImage, Millis } from '../../core/index.ts';
import type { ActionCall, ActionResult, Adapter, HostNode, HostSite, MachineStatus } from '../../engine/ports.ts';

/** A backend with two nodes between which machines can be moved. */
export interface Bench {
  readonly name: string;
  readonly nodes: readonly [HostNode, HostNode];
  /**
   * Creates an adapter as a server does at its start. An adapter with a persistent backend finds the machines of its
   * predecessor.
   */
  make(site: HostSite): Promise<Adapter>;
  /** What each machine asks for. */
  readonly capacity: ActionTarget['capacity'];
  /** Null: machines without a disk. */
  readonly image: DiskImage | null;
  /** Time limit for the answer to a call. Default: 15 s. */
  readonly patience?: Millis;
  /** Time limit for a whole operation. Default: 60 s. */
  readonly settleTime?: Millis;
  /**
   * Makes an image available under a name, or says (false) that no image can have it; without it, images of other names
   * are not expected to exist.
   */
  readonly provideImage?: (image: DiskImage) => Promise<boolean>;
  /**
   * Has the suspension of one machine take until it is let go. Where there is none, the cases that need it are skipped.
   */
  readonly holdSuspension?: (leaseId: number, machine: number, node: HostNode) => Promise<Held>;
  /** Ends a machine from inside, like a guest that powers off. If absent, cases that need it are skipped. */
  readonly stopMachine?: (leaseId: number, machine: number, node: HostNode) => Promise<void>;
  readonly close?: () => Promise<void>;
}

export interface Held {
  /** How often the backend was told to suspend it. */
  times(): number;
  letGo(): void;
}

export type Verb = 'prepare' | 'start' | 'shutdown' | 'suspend' | 'resume' | 'migrate' | 'destroy';

/** An operation and the state of the machine after it, when all earlier operations have been executed. */
export const life: readonly (readonly [Verb, MachineStatus])[] = [
  ['prepare', 'prepared'],
  ['start', 'running'],
  ['suspend', 'suspended'],
  ['resume', 'running'],
  ['shutdown', 'absent'],
  ['destroy', 'absent'],
];

export const done: Pick<ActionResult, 'status'> = { status: 'done' };

/** A case that this bench cannot run. */
export class Skipped extends Error {}

/** The lease of one case on a bench. Machines are numbered from 1 and removed at the end. */
export class Stage implements AsyncDisposable {
  /** Null until `open()`. */
  private made: Adapter | null = null;
  private lastAction: number;
  private readonly used = new Set<string>();

  constructor(
    readonly bench: Bench,
    /** Numbers unique among the cases on the same hosts. */
    readonly leaseId: number,
    readonly nodes: readonly [HostNode, HostNode] = bench.nodes,
  ) {
    this.lastAction = leaseId * 1_000;
  }

  get adapter(): Adapter {
    assert(this.made, 'the stage is not open');
    return this.made;
  }

  get here(): number {
    return this.nodes[0].number;
  }

  get there(): number {
    return this.nodes[1].number;
  }

  get patience(): Millis {
    return this.bench.patience ?? 15_000;
  }

  get settleTime(): Millis {
    return this.bench.settleTime ?? 60_000;
  }

  async open(): Promise<this> {
    this.made = await this.bench.make({ name: 'conformance', nodes: () => this.nodes });
    return this;
  }

  /** The same lease with different node names. */
  beside(nodes: readonly [HostNode, HostNode]): Promise<Stage> {
    return new Stage(this.bench, this.leaseId, nodes).open();
  }

  /** Simulates the end of the process and the start of another one. */
  async restart(): Promise<void> {
    await this.made?.close();
    this.made = null;
    await this.open();
  }

  callFor(of: Partial<ActionTarget> = {}, more: Partial<ActionCall> = {}): ActionCall {
    this.lastAction += 1;
    const target: ActionTarget = {
      leaseId: this.leaseId,
      machine: 1,
      node: this.here,
      toNode: null,
      capacity: this.bench.capacity,
      image: this.bench.image,
      ...of,
    };
    this.used.add(`${target.machine} ${target.node}`);
    if (target.toNode !== null) this.used.add(`${target.machine} ${target.toNode}`);
    return {
      actionId: this.lastAction,
      target,
      signal: AbortSignal.timeout(this.patience),
      deadline: null,
      ...more,
    };
  }

  /** Makes one call and returns its result without the output. */
  async call(verb: Verb, call: ActionCall): Promise<ActionResult> {
    const { output, ...result } = await this.adapter[verb](call);
    assert(output === undefined || typeof output === 'string', 'output is text');
    return result;
  }

  /** Repeats the call until it is no longer pending. */
  async settle(verb: Verb, call: ActionCall): Promise<ActionResult> {
    const limit = Date.now() + this.settleTime;
    for (;;) {
      const result = await this.call(verb, { ...call, signal: AbortSignal.timeout(this.patience) });
      if (result.status !== 'pending') return result;
      assert(Date.now() < limit, `${verb} does not come to an end`);
      await sleep(20);
    }
  }

  carryOut(verb: Verb, of: Partial<ActionTarget> = {}): Promise<ActionResult> {
    return this.settle(verb, this.callFor(of));
  }

  /** Executes operations, all of which must succeed. */
  async does(verbs: readonly Verb[], of: Partial<ActionTarget> = {}): Promise<void> {
    for (const verb of verbs) assert.deepEqual(await this.carryOut(verb, of), done, verb);
  }

  inspect(machine = 1, node = this.here): Promise<MachineStatus> {
    const place = { leaseId: this.leaseId, machine, node };
    return this.adapter.inspect(place, AbortSignal.timeout(this.patience));
  }

  async is(status: MachineStatus, after: string, machine = 1, node = this.here): Promise<void> {
    assert.equal(await this.inspect(machine, node), status, after);
  }

  /** Waits for the condition, up to the time limit of an operation. */
  async becomes(status: MachineStatus, machine = 1, node = this.here): Promise<void> {
    const limit = Date.now() + this.settleTime;
    while ((await this.inspect(machine, node)) !== status) {
      assert(Date.now() < limit, `machine ${machine} does not become ${status}`);
      await sleep(50);
    }
  }

  /** The call must fail with a reason and must not throw. */
  async refuses(verb: Verb, of: Partial<ActionTarget> = {}): Promise<void> {
    const result = await this.carryOut(verb, of);
    assert.equal(result.status, 'failed', `${verb} is not refused`);
    assert.match(result.status === 'failed' ? result.reason : '', /\S/, `${verb} fails without a reason`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const place of this.used) {
      const [machine, node] = place.split(' ').map(Number) as [number, number];
      // Errors of the clean-up are not errors of the case.
      await this.carryOut('destroy', { machine, node }).catch(() => {});
    }
    await this.made?.close();
    this.made = null;
  }
}
