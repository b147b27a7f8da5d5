/** Random leases on simulated hosts with random latencies, failures, operations that hang, and restarts of the server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSchedulerConfig, isFinal } from '../../src/core/index.ts';
import { SimulatedAdapter, type SimulatedOptions } from '../../src/enactment/simulated/adapter.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import {
  type ActionCall,
  type ActionResult,
  type Adapter,
  type HostedMachine,
  HostUnreachable,
} from '../../src/engine/ports.ts';
import { bestEffort, Harness, minutes, principal, reservationAt } from '../support/engine-harness.ts';

const runs = Number(process.env.LEASEGRAPH_HOST_RUNS ?? 10);
const seconds = (count: number): number => count * 1_000;
const nodes = [1, 2, 3];
const operations = ['prepare', 'start', 'shutdown', 'suspend', 'resume', 'migrate', 'destroy'] as const;
type Operation = (typeof operations)[number];

/** Simulated hosts, whose machines outlive the processes that drive them. Nodes and machines are alike: one fills one. */
class Hosts implements Disposable {
  readonly faults: string[] = [];
  readonly unreachable = new Set<number>();
  private readonly folder = mkdtempSync(join(tmpdir(), 'leasegraph-hosts-'));
  /** Machines that are being started or resumed. */
  private readonly coming = new Map<string, number>();
  private present: SimulatedAdapter | null = null;

  constructor(
    private readonly harness: Harness,
    private readonly options: SimulatedOptions,
  ) {}

  /** The adapter of another process; the one before has died, and with it what it was doing. */
  adapter(): Adapter {
    void this.present?.close();
    this.coming.clear();
    const { clock } = this.harness;
    const simulated = new SimulatedAdapter({
      ...this.options,
      // What is asked at each call, so that it can change.
      get failureProbability() {
        return options.failureProbability ?? 0;
      },
      get stuckProbability() {
        return options.stuckProbability ?? 0;
      },
      stateFile: join(this.folder, 'machines.json'),
      now: () => clock.wall(),
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        signal.throwIfAborted();
      },
    });
    const { options } = this;
    this.present = simulated;
    const call = (operation: Operation) => (what: ActionCall) => this.act(simulated, operation, what);
    return {
      name: 'simulated',
      remembers: true,
      prepare: call('prepare'),
      start: call('start'),
      shutdown: call('shutdown'),
      suspend: call('suspend'),
      resume: call('resume'),
      migrate: call('migrate'),
      destroy: call('destroy'),
      inspect: async (place, signal) => {
        this.reach(place.node);
        return simulated.inspect(place, signal);
      },
      list: async (node, signal) => {
        this.reach(node);
        return simulated.list(node, signal);
      },
      watch: simulated.watch,
      forget: () => simulated.forget(),
      close: () => simulated.close(),
    };
  }

  /** What the adapter says that hosts have. */
  async machines(): Promise<readonly HostedMachine[]> {
    const { signal } = new AbortController();
    return (await Promise.all(nodes.map((node) => this.present?.list(node, signal) ?? []))).flat();
  }

  /** A machine ends by itself. */
  async stopOne(which: number): Promise<void> {
    const running = (await this.machines()).filter(({ status }) => status === 'running');
    const machine = running[which % running.length];
    if (machine) this.present?.stopMachine(machine);
  }

  private async act(simulated: SimulatedAdapter, operation: Operation, call: ActionCall): Promise<ActionResult> {
    const { leaseId, machine, node } = call.target;
    const { actions, leases } = this.harness.database;
    if (simulated !== this.present) throw new Error('this process is dead');
    this.reach(node);
    const name = `${leaseId}/${machine}@${node}`;
    const takes = operation === 'start' || operation === 'resume';
    if (takes) {
      this.coming.set(name, node);
      const state = leases.get(leaseId)?.state;
      // One that is done may have begun and ended within one turn.
      if (state === 'FAILED' || state === 'CANCELLED') this.faults.push(`${operation} ${name}: it is ${state}`);
    }
    if (actions.get(call.actionId)?.state !== 'PENDING') this.faults.push(`${operation} ${name} is repeated`);
    try {
      await this.check(node);
      const result = await simulated[operation](call);
      await this.check(node);
      // It is done, and nobody is told.
      this.reach(node);
      return result;
    } finally {
      if (takes) this.coming.delete(name);
    }
  }

  private async check(node: number): Promise<void> {
    const there = (await this.machines())
      .filter((each) => each.node === node && each.status !== 'suspended')
      .map((each) => `${each.leaseId}/${each.machine}@${node}`);
    const coming = [...this.coming].filter(([, at]) => at === node).map(([name]) => name);
    const all = new Set([...there, ...coming]);
    if (all.size > 1) this.faults.push(`on node ${node}: ${[...all].join(', ')}`);
  }

  private reach(node: number): void {
    if (this.unreachable.has(node)) throw new HostUnreachable(`node ${node} does not answer`);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

const lease = fc.record({
  after: fc.integer({ min: 0, max: 60 }),
  kind: fc.constantFrom('best effort' as const, 'reservation' as const),
  machines: fc.integer({ min: 1, max: 3 }),
  duration: fc.integer({ min: 10, max: 90 }),
  lead: fc.integer({ min: 0, max: 120 }),
  /** After how many seconds it is cancelled. */
  cancelled: fc.option(fc.integer({ min: 1, max: 120 }), { freq: 3 }),
});

const latency = fc.constantFrom(0, 0, 3, 10, 40, 90);
const second = fc.integer({ min: 1, max: 290 });

const world = fc.record({
  leases: fc.array(lease, { minLength: 2, maxLength: 8 }),
  /** The longest that each operation takes (s). */
  latencies: fc.record({
    start: latency,
    shutdown: latency,
    suspend: latency,
    resume: latency,
    migrate: latency,
    destroy: latency,
  }),
  seed: fc.nat({ max: 1_000 }),
  failureProbability: fc.constantFrom(0, 0, 0.1, 0.4),
  stuckProbability: fc.constantFrom(0, 0, 0.1),
  moveOnStartFailure: fc.boolean(),
  /** Of the clock. Hosts take real time, so that with a fast clock they are later than what is planned for them takes. */
  speed: fc.constantFrom(1, 1, 60, 600),
  /** Whether leases take as long as with speed 1 in real time, or in the time of the site. */
  scaled: fc.boolean(),
  shutdown: fc.constantFrom(0, 5, 20),
  /** When the server is killed, and another one starts. */
  kills: fc.array(second, { maxLength: 3 }),
  /** Nodes that do not answer for a while: long enough to be DOWN, or again and again. */
  silences: fc.array(
    fc.record({
      node: fc.constantFrom(...nodes),
      at: fc.integer({ min: 1, max: 200 }),
      for: fc.oneof(fc.integer({ min: 30, max: 90 }), fc.integer({ min: 1, max: 12 })),
    }),
    { maxLength: 8 },
  ),
  /** When a machine ends by itself. */
  stops: fc.array(second, { maxLength: 3 }),
  /** When an operator decides about all unfinished actions. */
  decisions: fc.array(
    fc.record({ at: second, recovery: fc.constantFrom('RETRY', 'ASSUME_SUCCESS', 'ASSUME_FAILURE') }),
    { maxLength: 4 },
  ),
});

test('no two leases are on the same capacity, every lease ends, and no action is lost', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const config = {
        ...defaultSchedulerConfig,
        ...({ suspension: 'all', preemption: 'ar-preempts-everything', migration: 'yes' } as const),
        ...{
          overrideSuspendTime: seconds(8),
          overrideResumeTime: seconds(8),
          shutdownTime: seconds(given.shutdown),
        },
      };
      const dispatch = { ...defaultLimits.dispatch, actionTimeout: minutes(5), callTimeout: minutes(2) };
      const { failureProbability, moveOnStartFailure, scaled, seed, speed, stuckProbability } = given;
      const ofSite = (count: number): number => seconds(scaled ? count * speed : count);
      await using harness = new Harness({
        nodes: nodes.length,
        speed,
        engine: { scheduler: config },
        limits: { dispatch, maxHostFailures: 3, inspectInterval: seconds(5), moveOnStartFailure },
      });
      const delays = Object.fromEntries(
        Object.entries(given.latencies).map(([kind, most]) => [kind, [0, seconds(most)] as const]),
      );
      const options = { delays, failureProbability, seed, stuckProbability };
      using hosts = new Hosts(harness, options);
      const start = async () => {
        const server = harness.make({ engine: { scheduler: config, adapter: hosts.adapter() } });
        await server.engine.start();
        return server;
      };
      const { database } = harness;
      const open = () => [...database.actions.values()].filter(({ state }) => state === 'PENDING');
      const live = () => [...database.leases.values()].filter(({ state }) => !isFinal(state));
      let server = await start();
      const submit = (kind: 'cancel' | 'recoverAction' | 'request', input: never) =>
        server.engine.submit(kind, input, { principal }).catch(() => {});
      const requests = [...given.leases].sort((a, b) => a.after - b.after);
      const cancellations = new Map<number, number>();
      for (let second = 0; second < 300; second += 1) {
        for (; requests[0] && requests[0].after <= second; requests.shift()) {
          const { cancelled, duration, kind, lead, machines } = requests[0];
          const request =
            kind === 'best effort'
              ? bestEffort(ofSite(duration), machines)
              : reservationAt(harness.clock.now() + ofSite(lead + 1), ofSite(duration), machines);
          const number = given.leases.length - requests.length + 1;
          if (cancelled !== null) cancellations.set(number, second + cancelled);
          void submit('request', request as never);
        }
        for (const [leaseNumber, at] of cancellations)
          if (at === second) void submit('cancel', { leaseNumber } as never);
        hosts.unreachable.clear();
        for (const silence of given.silences) {
          const isSilent = silence.at <= second && second < silence.at + silence.for;
          if (isSilent) hosts.unreachable.add(silence.node);
        }
        for (const { at, recovery } of given.decisions) {
          if (at !== second) continue;
          for (const { id, kind } of open()) {
            // Nobody says that a machine is gone that is there.
            const isFree = kind === 'SHUTDOWN' || kind === 'SUSPEND' || kind === 'DESTROY';
            const wanted = isFree && recovery === 'ASSUME_SUCCESS' ? 'RETRY' : recovery;
            void submit('recoverAction', { actionId: id, recovery: wanted } as never);
          }
        }
        if (given.stops.includes(second)) await hosts.stopOne(second);
        if (given.kills.includes(second)) {
          server.store.kill();
          server = await start();
        }
        await harness.pass(seconds(1));
      }
      hosts.unreachable.clear();
      // Whatever is left comes to its end, with hosts that work.
      Object.assign(options, { failureProbability: 0, stuckProbability: 0 });
      for (let minute = 0; minute < 240 && live().length + open().length > 0; minute += 1)
        await harness.pass(minutes(1), seconds(20));
      expect(hosts.faults).toEqual([]);
      expect(live().map(({ id, state }) => `${id} ${state}`)).toEqual([]);
      expect(open().map(({ id, kind, message }) => `${id} ${kind} ${message}`)).toEqual([]);
      expect(await hosts.machines()).toEqual([]);
      const states = () => nodes.map((node) => database.nodeStates.get(node) ?? 'UP');
      for (let minute = 0; minute < 20 && states().some((state) => state !== 'UP'); minute += 1)
        await harness.pass(minutes(1));
      expect(states()).toEqual(['UP', 'UP', 'UP']);
    }),
    { numRuns: runs },
  );
});
