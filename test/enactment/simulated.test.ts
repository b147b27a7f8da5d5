import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import type { Bench } from '../../src/enactment/conformance/index.ts';
import { DryRunAdapter, SimulatedAdapter } from '../../src/enactment/index.ts';
import type { ActionCall, Adapter, HostNode } from '../../src/engine/ports.ts';
import { describeConformance } from './conformance.ts';

const silent = pino({ level: 'silent' });
const delay = 20;
const delays = {
  prepare: delay,
  start: delay,
  shutdown: delay,
  suspend: delay,
  resume: delay,
  migrate: delay,
  destroy: delay,
};

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-simulated-'));
afterAll(() => rmSync(folder, { recursive: true }));

const node = (number: number): HostNode => ({
  number,
  hostname: `node-${number}`,
  address: `node-${number}`,
  labels: {},
  capacity: { CPU: 100, Memory: 1024 },
});

/** `made` is the adapter that a case is running on. */
const benchOf = (name: string, make: () => Adapter): Bench => {
  let made: Adapter;
  return {
    name,
    nodes: [node(1), node(2)],
    capacity: { CPU: 100, Memory: 64 },
    image: { name: 'conformance', sizeMb: 8 },
    make: async () => {
      made = make();
      return made;
    },
    provideImage: async () => true,
    stopMachine: async (leaseId, machine, { number }) => {
      if (made instanceof SimulatedAdapter) made.stopMachine({ leaseId, machine, node: number });
    },
  };
};

describeConformance(benchOf('simulated', () => new SimulatedAdapter()));
describeConformance(benchOf('dry-run', () => new DryRunAdapter(silent)));
describeConformance(benchOf('simulated, with delays', () => new SimulatedAdapter({ delays })));
const stateFile = join(folder, 'machines.json');
describeConformance(benchOf('simulated, outliving the process', () => new SimulatedAdapter({ delays, stateFile })));

const call = (actionId: number, leaseId: number, signal = new AbortController().signal): ActionCall => ({
  actionId,
  target: { leaseId, machine: 1, node: 1, toNode: null, capacity: {}, image: null },
  signal,
  deadline: null,
});

describe('simulated hosts', () => {
  test('take as long as they are told, and stop when they are told', async () => {
    const slept: number[] = [];
    const adapter = new SimulatedAdapter({
      delays: { start: 5_000 },
      sleep: async (ms) => {
        slept.push(ms);
        now += ms;
      },
      now: () => now,
    });
    let now = 0;
    expect(await adapter.start(call(1, 1))).toEqual({ status: 'done' });
    expect(slept).toEqual([5_000]);
    const controller = new AbortController();
    const slow = new SimulatedAdapter({ delays: { start: 3_600_000 } }).start(call(2, 2, controller.signal));
    controller.abort();
    await expect(slow).rejects.toThrow();
  });

  test('work that is still going at the deadline goes on in the next call, and does not begin anew', async () => {
    let now = 0;
    const adapter = new SimulatedAdapter({
      delays: { start: 100 },
      sleep: async (ms) => {
        now += ms;
      },
      now: () => now,
    });
    expect(await adapter.start({ ...call(1, 1), deadline: 40 })).toEqual({ status: 'pending' });
    expect(now).toBe(40);
    expect(await adapter.start({ ...call(1, 1), deadline: null })).toEqual({ status: 'done' });
    expect(now).toBe(100);
  });

  test('fail as often as they are told, and with the same seed in the same places', async () => {
    const failures = async (seed: number): Promise<number[]> => {
      const adapter = new SimulatedAdapter({ failureProbability: 0.2, seed });
      const failed: number[] = [];
      for (let id = 1; id <= 1_000; id += 1) {
        const result = await adapter.start(call(id, id));
        if (result.status === 'failed') failed.push(id);
        // Repeated, it fails again: the outcome belongs to the action.
        expect(await adapter.start(call(id, id))).toEqual(result);
      }
      return failed;
    };
    const first = await failures(1);
    expect(first.length).toBeGreaterThan(140);
    expect(first.length).toBeLessThan(260);
    expect(await failures(1)).toEqual(first);
    expect(await failures(2)).not.toEqual(first);
    for (let id = 1; id <= 100; id += 1) {
      expect(await new SimulatedAdapter().start(call(id, id))).toEqual({ status: 'done' });
    }
  });

  test('take times between two, which the seed decides', async () => {
    const times = async (seed: number): Promise<number[]> => {
      const slept: number[] = [];
      let now = 0;
      const adapter = new SimulatedAdapter({
        delays: { start: [1_000, 3_000] },
        seed,
        sleep: async (ms) => {
          slept.push(ms);
          now += ms;
        },
        now: () => now,
      });
      for (let id = 1; id <= 100; id += 1) await adapter.start(call(id, id));
      return slept;
    };
    const first = await times(1);
    expect(Math.min(...first)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...first)).toBeLessThanOrEqual(3_000);
    expect(new Set(first).size).toBeGreaterThan(50);
    expect(await times(1)).toEqual(first);
    expect(await times(2)).not.toEqual(first);
  });

  test('hang as often as they are told, until the call is aborted, but can always be destroyed', async () => {
    const adapter = new SimulatedAdapter({ stuckProbability: 1 });
    const controller = new AbortController();
    const start = adapter.start(call(1, 1, controller.signal));
    controller.abort();
    await expect(start).rejects.toThrow();
    expect(await adapter.destroy(call(2, 1))).toEqual({ status: 'done' });
  });

  test('do not outlive the process, so that a machine which they do not know is taken to be where it should be', async () => {
    const adapter = new SimulatedAdapter();
    expect(await adapter.suspend(call(1, 1))).toEqual({ status: 'done' });
    expect(await adapter.resume(call(2, 2))).toEqual({ status: 'done' });
  });

  test('are forgotten when another process may have driven them', async () => {
    const adapter = new SimulatedAdapter();
    expect(await adapter.suspend(call(1, 1))).toEqual({ status: 'done' });
    // Another process resumes it.
    adapter.forget();
    expect(await adapter.shutdown(call(3, 1))).toEqual({ status: 'done' });
  });
});

test('a dry run says what it would do', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const adapter = new DryRunAdapter(log);
  await adapter.start(call(7, 3));
  await adapter.suspend(call(8, 3));
  await adapter.shutdown(call(9, 3));
  expect(lines).toMatchObject([
    { msg: 'would start', lease: 3, machine: 1, node: 1, action: 7 },
    { msg: 'would suspend' },
    { msg: 'would fail to shutdown', reason: expect.stringContaining('suspended') },
  ]);
});
