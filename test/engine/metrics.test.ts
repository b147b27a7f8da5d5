import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { createAdapter, hostSite } from '../../src/enactment/index.ts';
import { createEngineMetrics } from '../../src/engine/metrics.ts';
import { bestEffort, Harness, hours, minutes, principal, settle, siteOf } from '../support/engine-harness.ts';
import type { CommitFault } from '../support/memory-store.ts';

test('turns, commits and actions are measured', async () => {
  await using harness = new Harness({ nodes: 1 });
  const registry = new Registry();
  const { engine, adapter } = await harness.start({ engine: { metrics: createEngineMetrics(registry) } });
  adapter.answer = async (what, { target }) =>
    what === 'start' && target.leaseId === 1 ? { status: 'failed', reason: 'no' } : { status: 'done' };
  const subscription = engine.events({});
  void subscription.next();
  for (let count = 0; count < 4; count += 1) {
    await engine.submit('request', bestEffort(hours(1)), { principal });
  }
  await engine.submit('request', bestEffort(-1), { principal }).catch(() => {});
  await settle();
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'leasegraph_role{role="writer"} 1',
    'leasegraph_role{role="standby"} 0',
    'leasegraph_writer_epoch 1',
    'leasegraph_ready 1',
    'leasegraph_live_leases 3',
    'leasegraph_queue_length 1',
    'leasegraph_commands_total{kind="request",outcome="accepted"} 4',
    'leasegraph_commands_total{kind="request",outcome="refused"} 1',
    'leasegraph_actions_total{kind="START",outcome="failed"} 1',
    'leasegraph_actions_total{kind="START",outcome="succeeded"} 1',
    'leasegraph_clock_skew_seconds 0',
    'leasegraph_quarantined_rows 0',
    `leasegraph_events_total ${harness.database.events.length}`,
    `leasegraph_last_event_sequence ${harness.database.events.length}`,
    `leasegraph_commit_seconds_count ${harness.database.commits}`,
  ]) {
    expect(lines).toContain(line);
  }
  await engine.stop();
  expect(await registry.metrics()).toContain('leasegraph_role{role="stopped"} 1');
});

/** What a metric says now, by its name and labels; 0 for what was never counted. */
const reader = (registry: Registry) => async (name: string) => {
  const line = (await registry.metrics()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
};

test('failures are measured: failed commits, reloaded cores, and repeated, late or abandoned calls', async () => {
  await using harness = new Harness({ nodes: 1 });
  const registry = new Registry();
  const { engine, adapter, store } = await harness.start({
    engine: {
      metrics: createEngineMetrics(registry),
      scheduler: { ...defaultSchedulerConfig, shutdownTime: 10_000 },
    },
  });
  const read = reader(registry);
  await settle();

  const fates: (CommitFault | null)[] = ['before', 'permanent'];
  store.commitFault = () => fates.shift() ?? null;
  const asked = engine.submit('request', bestEffort(minutes(10)), { principal });
  await harness.pass(1_000, 100);
  await asked;
  expect(await read('leasegraph_commit_failures_total{kind="TRANSIENT"}')).toBe(1);
  expect(await read('leasegraph_commit_failures_total{kind="PERMANENT"}')).toBe(1);
  expect(await read('leasegraph_core_reloads_total')).toBe(1);
  expect(await read('leasegraph_pass_seconds_count')).toBeGreaterThan(0);
  expect(await read('leasegraph_commit_seconds_count')).toBe(harness.database.commits);

  // Passes wait for a moment after a turn that could not be written.
  await harness.pass(2_000, 100);
  expect(adapter.log).toEqual(['start 1/1']);

  // The shutdown does not work at once.
  let failures = 1;
  adapter.answer = async () => {
    failures -= 1;
    if (failures === 0) throw new Error('connection refused');
    return failures < 40 && failures > -40 ? { status: 'pending' } : { status: 'done' };
  };
  await harness.pass(minutes(11), 500);
  expect(harness.state(1)).toBe('DONE');
  expect(await read('leasegraph_actions_total{kind="SHUTDOWN",outcome="retried"}')).toBe(1);
  expect(await read('leasegraph_actions_total{kind="SHUTDOWN",outcome="late"}')).toBe(1);
  expect(await read('leasegraph_actions_total{kind="SHUTDOWN",outcome="succeeded"}')).toBe(1);
  expect(await read('leasegraph_actions_open')).toBe(0);

  adapter.answer = (what) => (what === 'start' ? new Promise(() => {}) : Promise.resolve({ status: 'done' }));
  const { leaseNumber } = await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(await read('leasegraph_actions_open')).toBe(1);
  await engine.submit('cancel', { leaseNumber: leaseNumber }, { principal });
  await settle();
  expect(await read('leasegraph_actions_total{kind="START",outcome="superseded"}')).toBe(1);
  expect(await read('leasegraph_actions_total{kind="DESTROY",outcome="succeeded"}')).toBe(1);
  expect(await read('leasegraph_actions_open')).toBe(0);
  expect(await read('leasegraph_commands_total{kind="cancel",outcome="accepted"}')).toBe(1);

  const commits = await read('leasegraph_commit_seconds_count');
  store.beforeCommit = () => new Promise(() => {});
  void engine.submit('request', bestEffort(hours(1)), { principal }).catch(() => {});
  await settle();
  void engine.submit('request', bestEffort(hours(1)), { principal }).catch(() => {});
  await settle();
  expect(await read('leasegraph_commands_waiting')).toBe(1);
  await harness.pass(500, 100);
  expect(await read('leasegraph_commit_age_seconds')).toBe(0.5);
  await harness.pass(7_000, 500);
  expect(await read('leasegraph_commit_seconds_count')).toBe(commits);
  expect(await read('leasegraph_commit_failures_total{kind="TRANSIENT"}')).toBeGreaterThan(1);
});

test('waiting times of commands and actions are measured', async () => {
  await using harness = new Harness({ nodes: 1 });
  const registry = new Registry();
  const { engine, adapter, store } = await harness.start({
    engine: { metrics: createEngineMetrics(registry) },
  });
  const read = reader(registry);
  await settle();
  let write = (): void => {};
  store.beforeCommit = () =>
    new Promise((resolve) => {
      write = resolve;
    });
  const first = engine.submit('request', bestEffort(minutes(10)), { principal });
  await settle();
  expect(await read('leasegraph_command_wait_seconds_count')).toBe(1);
  expect(await read('leasegraph_command_wait_seconds_sum')).toBe(0);
  const second = engine.submit('request', bestEffort(minutes(10)), { principal });
  await harness.pass(2_000, 500);
  expect(await read('leasegraph_commit_age_seconds')).toBe(2);
  store.beforeCommit = async () => {};
  write();
  await Promise.all([first, second]);
  await settle();
  expect(await read('leasegraph_commit_age_seconds')).toBe(0);
  expect(await read('leasegraph_command_wait_seconds_count')).toBe(2);
  expect(await read('leasegraph_command_wait_seconds_sum')).toBe(2);
  expect(await read('leasegraph_dispatch_wait_seconds_count')).toBe(1);
  expect(await read('leasegraph_dispatch_wait_seconds_sum')).toBe(0);

  // The machine of the first lease takes a minute to leave the node of the second.
  let left = false;
  adapter.answer = async (what, { target }) => ({
    status: what !== 'shutdown' || target.leaseId !== 1 || left ? 'done' : 'pending',
  });
  await harness.pass(minutes(11), 1_000);
  expect(await read('leasegraph_actions_waiting')).toBe(1);
  left = true;
  await harness.pass(30_000, 500);
  expect(await read('leasegraph_actions_waiting')).toBe(0);
  expect(await read('leasegraph_dispatch_wait_seconds_count')).toBe(3);
  expect(await read('leasegraph_dispatch_wait_seconds_sum')).toBeGreaterThan(50);
});

test('outages, standbys and repeated reads of subscribers are measured', async () => {
  await using harness = new Harness({ nodes: 1 });
  const registries = [new Registry(), new Registry()] as const;
  const writer = reader(registries[0]);
  const standby = reader(registries[1]);
  const first = await harness.start({ engine: { metrics: createEngineMetrics(registries[0]) } });
  const second = await harness.start({ engine: { metrics: createEngineMetrics(registries[1]) } });
  await first.engine.submit('request', bestEffort(minutes(1)), { principal });
  await harness.pass(minutes(2), minutes(1));
  const events = harness.database.events.length;
  expect(await standby('leasegraph_role{role="standby"}')).toBe(1);
  expect(await standby('leasegraph_ready')).toBe(1);
  expect(await standby('leasegraph_writer_epoch')).toBe(0);
  expect(await standby('leasegraph_last_event_sequence')).toBe(events);
  // A standby reads them from the database; a new subscriber reads them there again.
  await second.engine.stop();
  const registry = new Registry();
  const third = await harness.start({ engine: { metrics: createEngineMetrics(registry) } });
  const subscription = third.engine.events({ after: 0 });
  for (let count = 0; count < events; count += 1) await subscription.next();
  expect(await reader(registry)('leasegraph_events_replayed_total')).toBe(events);
  await subscription.return?.();

  harness.database.down = true;
  await harness.pass(10_000, 500);
  expect(await writer('leasegraph_ready')).toBe(0);
  expect(await writer('leasegraph_role{role="writer"}')).toBe(0);
  harness.database.down = false;
  await harness.pass(3_000, 500);
  const epochs = [await writer('leasegraph_writer_epoch'), await reader(registry)('leasegraph_writer_epoch')];
  expect(epochs.sort((a, b) => a - b)).toEqual([0, harness.database.epoch]);
  expect(harness.database.epoch).toBeGreaterThan(1);
});

test('calls of hosts are measured by adapter, operation and outcome', async () => {
  await using harness = new Harness({ nodes: 2 });
  const registry = new Registry();
  const metrics = createEngineMetrics(registry);
  const { nodes } = siteOf(2);
  const adapter = await createAdapter(
    [
      { kind: 'simulated', failureProbability: 1, nodes: { hostnames: ['node-1'] } },
      { kind: 'dry-run', nodes: {} },
    ],
    {
      site: hostSite('test', nodes),
      log: pino({ level: 'silent' }),
      observe: (call) => metrics.hostCall(call),
    },
  );
  const { engine } = await harness.start({ engine: { adapter, metrics } });
  for (let count = 0; count < 2; count += 1) await engine.submit('request', bestEffort(minutes(1)), { principal });
  await harness.pass(minutes(2), 1_000);
  const counts = (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('leasegraph_host_call_seconds_count'))
    .map((line) => line.slice('leasegraph_host_call_seconds_count'.length));
  expect(counts).toContain('{adapter="simulated",operation="start",outcome="failed"} 1');
  expect(counts).toContain('{adapter="dry-run",operation="start",outcome="done"} 1');
  expect(counts).toContain('{adapter="dry-run",operation="shutdown",outcome="done"} 1');
  const removals = counts.find((line) => line.startsWith('{adapter="simulated",operation="destroy"'));
  expect(removals).toMatch(/outcome="failed"\} [1-9]/);
  expect(counts).toHaveLength(4);
  await adapter.close();
});
