/** Random leases on hosts with random latencies, failures and restarts of the server. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSchedulerConfig, isFinal } from '../../src/core/index.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import {
  type ActionCall,
  type ActionResult,
  type HostedMachine,
  HostUnreachable,
} from '../../src/engine/ports.ts';
import {
  bestEffort,
  Harness,
  minutes,
  principal,
  type Running,
  reservationAt,
} from '../support/engine-harness.ts';

const runs = Number(process.env.LEASEGRAPH_HOST_RUNS ?? 10);
const seconds = (count: number): number => count * 1_000;
const done: ActionResult = { status: 'done' };
const stops = new Set(['shutdown', 'suspend', 'destroy']);

/** What hosts hold, by their own record, whichever server told them. */
class Hosts {
  /** `lease/machine@node` of machines that run or are being stopped. */
  readonly running = new Map<string, number>();
  readonly clashes: string[] = [];
  readonly unreachable = new Set<number>();

  constructor(
    private readonly harness: Harness,
    private readonly latency: () => number,
    private readonly fails: () => boolean,
    private readonly capacity: number,
  ) {}

  drive({ adapter }: Running): void {
    adapter.answer = (what, call) => this.act(what, call);
    adapter.remembers = true;
    adapter.list = async (node) => {
      if (this.unreachable.has(node)) throw new HostUnreachable(`node ${node} does not answer`);
      return [...this.running]
        .filter(([, at]) => at === node)
        .map(([name]): HostedMachine => {
          const [leaseId = 0, machine = 0] = name.split(/[/@]/).map(Number);
          return { leaseId, machine, node, status: 'running' };
        });
    };
  }

  private async act(what: string, { target, signal }: ActionCall): Promise<ActionResult> {
    const { node } = target;
    if (this.unreachable.has(node)) throw new HostUnreachable(`node ${node} does not answer`);
    const key = `${target.leaseId}/${target.machine}@${node}`;
    if (what === 'start' || what === 'resume') {
      this.running.set(key, node);
      const here = [...this.running].filter(([, at]) => at === node).map(([name]) => name);
      if (here.length > this.capacity) this.clashes.push(`${what} ${key} beside ${here}`);
    }
    await this.harness.clock.sleep(seconds(this.latency()), signal);
    if (signal.aborted) throw new Error('aborted');
    if (what !== 'destroy' && this.fails()) return { status: 'failed', reason: `${what} does not work` };
    if (stops.has(what)) this.running.delete(key);
    // It is done, and nobody is told.
    if (this.unreachable.has(node)) throw new HostUnreachable(`node ${node} does not answer any more`);
    return done;
  }
}

const lease = fc.record({
  after: fc.integer({ min: 0, max: 60 }),
  kind: fc.constantFrom('best effort' as const, 'reservation' as const),
  machines: fc.integer({ min: 1, max: 3 }),
  duration: fc.integer({ min: 10, max: 90 }),
  lead: fc.integer({ min: 0, max: 120 }),
});

const world = fc.record({
  leases: fc.array(lease, { minLength: 2, maxLength: 8 }),
  latencies: fc.array(fc.constantFrom(0, 0, 0, 1, 3, 10, 40, 90), { minLength: 1, maxLength: 20 }),
  failures: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
  failing: fc.boolean(),
  /** Of the clock. Hosts take real time, so that with a fast clock they are later than what is planned for them takes. */
  speed: fc.constantFrom(1, 1, 60, 600),
  /** Whether leases take as long as with speed 1 in real time, or in the time of the site. */
  scaled: fc.boolean(),
  shutdown: fc.constantFrom(0, 5, 20),
  /** Seconds at which the server is killed, and another one starts. */
  kills: fc.array(fc.integer({ min: 1, max: 290 }), { maxLength: 3 }),
  /** Nodes that do not answer for a while: long enough to be DOWN, or again and again. */
  silences: fc.array(
    fc.record({
      node: fc.integer({ min: 1, max: 3 }),
      at: fc.integer({ min: 1, max: 200 }),
      for: fc.oneof(fc.integer({ min: 30, max: 90 }), fc.integer({ min: 1, max: 12 })),
    }),
    { maxLength: 8 },
  ),
  /** Seconds at which an operator has all unfinished actions tried again. */
  retries: fc.array(fc.integer({ min: 1, max: 290 }), { maxLength: 4 }),
});

/** Takes the values one after the other, again and again. */
function inTurn<T>(values: readonly T[]): () => T {
  let index = 0;
  return () => values[index++ % values.length] as T;
}

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
      const { scaled, speed } = given;
      const ofSite = (count: number): number => seconds(scaled ? count * speed : count);
      await using harness = new Harness({
        nodes: 3,
        speed,
        engine: { scheduler: config },
        limits: { dispatch, maxHostFailures: 3, inspectInterval: seconds(5) },
      });
      // Nodes and machines are alike: one machine fills a node.
      const fails = inTurn(given.failures);
      const hosts = new Hosts(harness, inTurn(given.latencies), () => given.failing && fails(), 1);
      let server = harness.make();
      hosts.drive(server);
      await server.engine.start();
      const requests = given.leases.map((each) => ({ ...each, at: each.after })).sort((a, b) => a.at - b.at);
      for (let second = 0; second < 300; second += 1) {
        for (; requests[0] && requests[0].at <= second; requests.shift()) {
          const { duration, kind, lead, machines } = requests[0];
          const request =
            kind === 'best effort'
              ? bestEffort(ofSite(duration), machines)
              : reservationAt(harness.clock.now() + ofSite(lead + 1), ofSite(duration), machines);
          server.engine.submit('request', request, { principal }).catch(() => {});
        }
        hosts.unreachable.clear();
        for (const silence of given.silences) {
          const isSilent = silence.at <= second && second < silence.at + silence.for;
          if (isSilent) hosts.unreachable.add(silence.node);
        }
        if (given.retries.includes(second)) {
          for (const { id, state } of harness.database.actions.values()) {
            const retry = { actionId: id, recovery: 'RETRY' as const };
            if (state === 'PENDING')
              server.engine.submit('recoverAction', retry, { principal }).catch(() => {});
          }
        }
        if (given.kills.includes(second)) {
          server.store.kill();
          server = harness.make();
          hosts.drive(server);
          await server.engine.start();
        }
        await harness.pass(seconds(1));
      }
      hosts.unreachable.clear();
      // Whatever is left comes to its end.
      for (let minute = 0; minute < 240; minute += 1) {
        const live = [...harness.database.leases.values()].filter(({ state }) => !isFinal(state));
        const open = [...harness.database.actions.values()].filter(({ state }) => state === 'PENDING');
        if (live.length + open.length === 0) break;
        await harness.pass(minutes(1), seconds(20));
      }
      expect(hosts.clashes).toEqual([]);
      const live = [...harness.database.leases.values()].filter(({ state }) => !isFinal(state));
      expect(live.map(({ id, state }) => `${id} ${state}`)).toEqual([]);
      const open = [...harness.database.actions.values()].filter(({ state }) => state === 'PENDING');
      expect(open.map(({ id, kind, message }) => `${id} ${kind} ${message}`)).toEqual([]);
      expect([...hosts.running.keys()]).toEqual([]);
      expect([1, 2, 3].map((node) => harness.database.nodeStates.get(node) ?? 'UP')).toEqual([
        'UP',
        'UP',
        'UP',
      ]);
    }),
    { numRuns: runs },
  );
});
