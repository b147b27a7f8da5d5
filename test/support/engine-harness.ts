/** One or several engines on one database in memory, with a clock that stands still until told to go on. */
import { setImmediate } from 'node:timers/promises';
import { defaultSchedulerConfig, type LeaseRequest, type SiteSpec } from '../../src/core/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineLimits } from '../../src/engine/limits.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { ActionCall, ActionResult, Adapter } from '../../src/engine/ports.ts';
import { type CoreHooks, hookedRestore } from './hooked-core.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryDatabase, MemoryStore } from './memory-store.ts';

export const epoch = Date.UTC(2024, 0, 1);
export const minutes = (count: number): number => count * 60_000;
export const hours = (count: number): number => count * 3_600_000;

export const siteOf = (nodes: number): SiteSpec => ({
  resourceTypes: ['CPU', 'Memory'],
  nodes: Array.from({ length: nodes }, (_, index) => ({
    number: index + 1,
    hostname: `node-${index + 1}`,
    capacity: { CPU: 100, Memory: 1024 },
  })),
});

export const bestEffort = (duration: number, machines = 1, name: string | null = null): LeaseRequest => ({
  type: 'BEST_EFFORT',
  name,
  machines: Array.from({ length: machines }, () => ({ CPU: 100, Memory: 1024 })),
  duration,
  preemptible: true,
});

export const reservationAt = (start: number, duration: number, machines = 1): LeaseRequest => ({
  ...bestEffort(duration, machines),
  type: 'ADVANCE_RESERVATION',
  start,
  preemptible: false,
});

export const principal = { name: 'tester' };

/** An adapter that does what the test says, and remembers what it was asked. */
export class ScriptedAdapter implements Adapter {
  readonly name = 'scripted';
  /** Whether the hosts are asked after a start. */
  remembers = false;
  readonly calls: { readonly what: string; readonly call: ActionCall }[] = [];
  /** Decides what comes of a call; may wait, throw or never answer. */
  answer: (what: string, call: ActionCall) => Promise<ActionResult> = async () => ({ status: 'done' });

  prepare = this.method('prepare');
  start = this.method('start');
  shutdown = this.method('shutdown');
  suspend = this.method('suspend');
  resume = this.method('resume');
  migrate = this.method('migrate');
  destroy = this.method('destroy');
  inspect: Adapter['inspect'] = async () => 'absent';
  list: Adapter['list'];
  admits: Adapter['admits'];
  on: Adapter['on'];
  watch: Adapter['watch'];
  /** How often it was told that another process may drive the hosts. */
  forgotten = 0;
  forget = (): void => {
    this.forgotten += 1;
  };
  close = async (): Promise<void> => {};

  /** `start 1/2`: what was called, lease and machine. */
  get log(): string[] {
    return this.calls.map(({ what, call }) => `${what} ${call.target.leaseId}/${call.target.machine}`);
  }

  private method(what: string) {
    return (call: ActionCall): Promise<ActionResult> => {
      this.calls.push({ what, call });
      return this.answer(what, call);
    };
  }
}

/** Lets everything that is ready run, until nothing is: no timer is waited for. */
export const settle = async (rounds = 60): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) await setImmediate();
};

/** Repeats rounds of the event loop until the condition holds. */
export const until = async (condition: () => boolean, what = 'the condition', rounds = 20_000): Promise<void> => {
  for (let round = 0; !condition(); round += 1) {
    if (round >= rounds) throw new Error(`${what} did not come true`);
    await setImmediate();
  }
};

export interface HarnessOptions {
  readonly nodes?: number;
  /** Of its clock. */
  readonly speed?: number;
  readonly limits?: Partial<EngineLimits>;
  readonly hooks?: CoreHooks;
  readonly engine?: Partial<EngineOptions>;
}

export interface Running {
  readonly engine: Engine;
  readonly store: MemoryStore;
  readonly adapter: ScriptedAdapter;
}

export class Harness implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly database = new MemoryDatabase(() => this.clock.wall());
  private readonly engines: Engine[] = [];

  constructor(private readonly options: HarnessOptions = {}) {
    this.clock = new ManualClock(epoch, options.speed);
  }

  /** Another server on the same database. */
  make(overrides: HarnessOptions = {}): Running {
    const { nodes = 4, limits, hooks = {}, engine: extra } = { ...this.options, ...overrides };
    const store = new MemoryStore(this.database);
    const adapter = new ScriptedAdapter();
    const engine = new Engine({
      store,
      adapter,
      clock: this.clock,
      site: { name: 'test', spec: siteOf(nodes) },
      scheduler: defaultSchedulerConfig,
      restore: hookedRestore(hooks),
      ...(limits ? { limits } : {}),
      ...extra,
    });
    this.engines.push(engine);
    return { engine, store, adapter };
  }

  async start(overrides: HarnessOptions = {}): Promise<Running> {
    const running = this.make(overrides);
    await running.engine.start();
    return running;
  }

  /** Lets time pass in steps, and everything that happens meanwhile happen. */
  async pass(duration: number, step = duration): Promise<void> {
    // What is under way, such as a start, takes no time unless the test says so.
    await settle();
    for (let left = duration; left > 0; left -= step) {
      this.clock.advance(Math.min(step, left));
      await settle();
    }
  }

  state(lease: number): string | undefined {
    return this.database.leases.get(lease)?.state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const engine of this.engines) {
      const stopped = engine.stop();
      await settle();
      this.clock.advance(hours(1));
      await stopped;
    }
  }
}
