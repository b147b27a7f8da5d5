import { describe, expect, test } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import { type ActionCall, type ActionResult, HostUnreachable } from '../../src/engine/ports.ts';
import {
  bestEffort,
  epoch,
  Harness,
  hours,
  minutes,
  principal,
  type Running,
  reservationAt,
  settle,
} from '../support/engine-harness.ts';

const done: ActionResult = { status: 'done' };
const seconds = (count: number): number => count * 1_000;

/** Hosts on which operations take some time, and which note at what second what is on which node. */
function slowHosts({ clock }: Harness, { adapter }: Running, takes: Readonly<Record<string, number>>) {
  const second = () => (clock.now() - epoch) / 1_000;
  const held = new Map<string, string>();
  const record: string[] = [];
  const clashes: string[] = [];
  adapter.answer = async (what: string, { target, signal }: ActionCall) => {
    const name = `${target.leaseId}/${target.machine}`;
    const place = `${name} on ${target.node}`;
    if (what === 'start' || what === 'resume') {
      const others = [...held].filter(([each, at]) => each !== name && at === `${target.node}`);
      if (others.length > 0) clashes.push(`${place} at ${second()}: ${others}`);
      held.set(name, `${target.node}`);
    }
    await clock.sleep(seconds(takes[what] ?? 0), signal);
    if (signal.aborted) throw new Error('aborted');
    if (what === 'shutdown' || what === 'suspend' || what === 'destroy') held.delete(name);
    record.push(`${second()} ${what} ${place}`);
    return done;
  };
  return { record, clashes };
}

const withConfig = (config: Partial<typeof defaultSchedulerConfig>) => ({
  engine: { scheduler: { ...defaultSchedulerConfig, ...config } },
});

test('a lease starts when the one before it has left, and then runs for its full time', async () => {
  await using harness = new Harness({ nodes: 4 });
  const running = harness.make();
  const { record, clashes } = slowHosts(harness, running, { shutdown: 6, start: 4 });
  await running.engine.start();
  for (let count = 0; count < 2; count += 1)
    await running.engine.submit('request', bestEffort(seconds(10), 4), { principal });
  await harness.pass(minutes(2), 250);
  expect(clashes).toEqual([]);
  expect(record.filter((line) => line.endsWith('on 1'))).toEqual([
    '4 start 1/1 on 1',
    // From when it ran, for ten seconds.
    '20 shutdown 1/1 on 1',
    '24 start 2/1 on 1',
    '40 shutdown 2/1 on 1',
  ]);
  expect([1, 2].map((lease) => harness.database.leases.get(lease)?.accumulated)).toEqual([seconds(10), seconds(10)]);
});

test('a shutdown that takes longer than planned moves the next lease to a free node', async () => {
  await using harness = new Harness({ nodes: 2, ...withConfig({ shutdownTime: seconds(5) }) });
  const running = harness.make();
  const { record, clashes } = slowHosts(harness, running, { shutdown: 30 });
  await running.engine.start();
  const { engine } = running;
  await engine.submit('request', bestEffort(seconds(20)), { principal });
  await engine.submit('request', { ...bestEffort(seconds(24)), name: 'second' }, { principal });
  await engine.submit('request', bestEffort(seconds(60)), { principal });
  await harness.pass(seconds(28), 250);
  // Planned on node 1 at 25 s, where the shutdown goes on.
  expect(harness.state(1)).toBe('ACTIVE');
  expect(harness.state(3)).not.toBe('ACTIVE');
  await harness.pass(minutes(3), 250);
  expect(clashes).toEqual([]);
  expect(record.find((line) => line.includes('start 3/1'))).toBe('50 start 3/1 on 1');
  expect([1, 2, 3].map((lease) => harness.state(lease))).toEqual(['DONE', 'DONE', 'DONE']);
  expect(harness.database.leases.get(3)?.accumulated).toBe(seconds(60));
});

test('a suspension that takes longer than planned delays the reservation, whose end stays', async () => {
  const config = {
    suspension: 'all',
    preemption: 'ar-preempts-everything',
    overrideSuspendTime: seconds(10),
  } as const;
  await using harness = new Harness({
    nodes: 1,
    ...withConfig({ ...config, overrideResumeTime: seconds(10) }),
  });
  const running = harness.make();
  const { record, clashes } = slowHosts(harness, running, { suspend: 25 });
  await running.engine.start();
  const { engine } = running;
  await engine.submit('request', bestEffort(minutes(10)), { principal });
  await engine.submit('request', reservationAt(epoch + minutes(5), minutes(2)), { principal });
  await harness.pass(minutes(20), 250);
  expect(clashes).toEqual([]);
  expect(record).toEqual([
    '0 start 1/1 on 1',
    '315 suspend 1/1 on 1',
    // As soon as its node is free, although the extension that was the last one ends at 316 s.
    '315 start 2/1 on 1',
    '420 shutdown 2/1 on 1',
    '420 resume 1/1 on 1',
    expect.stringMatching(/ shutdown 1\/1 on 1$/),
  ]);
  expect(harness.database.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: minutes(10) });
  expect(harness.database.leases.get(2)).toMatchObject({ state: 'DONE', accumulated: seconds(105) });
});

describe('an image that is brought late', () => {
  const image = { name: 'a', sizeMb: 512 };
  const config: Partial<typeof defaultSchedulerConfig> = {
    preparation: 'imagetransfer',
    imageTransfer: { ...defaultSchedulerConfig.imageTransfer, forceTransferTime: seconds(10) },
  };

  test('delays the start of its lease, which is told and runs for its full time', async () => {
    await using harness = new Harness({ nodes: 2, ...withConfig(config) });
    const running = harness.make();
    const { record } = slowHosts(harness, running, { prepare: 25 });
    await running.engine.start();
    await running.engine.submit('request', { ...bestEffort(seconds(60)), image }, { principal });
    await running.engine.submit('request', { ...bestEffort(seconds(60)), image }, { principal });
    await harness.pass(seconds(20), 1_000);
    expect(harness.database.leases.get(1)?.state).toBe('PREPARING');
    await harness.pass(minutes(4), 1_000);
    expect(record).toEqual([
      ...['25 prepare 1/1 on 1', '25 start 1/1 on 1', '51 prepare 2/1 on 2', '51 start 2/1 on 2'],
      ...['85 shutdown 1/1 on 1', '111 shutdown 2/1 on 2'],
    ]);
    expect([1, 2].map((lease) => harness.database.leases.get(lease)?.accumulated)).toEqual([
      ...[seconds(60), seconds(60)],
    ]);
    const told = harness.database.notices.filter(({ kind }) => kind === 'LEASE_LATE');
    expect(new Set(told.map(({ leaseId }) => leaseId))).toEqual(new Set([1, 2]));
  });

  test('moves its lease to other nodes if it cannot be brought, and the configuration says so', async () => {
    const limits = {
      moveOnStartFailure: true,
      dispatch: { ...defaultLimits.dispatch, actionTimeouts: { PREPARE: seconds(30) } },
    };
    await using harness = new Harness({ nodes: 2, limits, ...withConfig(config) });
    const { engine, adapter } = await harness.start();
    adapter.answer = async (what, { target }) =>
      what === 'prepare' && target.node === 1 ? { status: 'pending' } : done;
    await engine.submit('request', { ...bestEffort(seconds(60)), image }, { principal });
    await harness.pass(minutes(3), 1_000);
    expect(harness.database.nodeCauses.get(1)).toMatchObject({ code: 'START_FAILED' });
    expect(harness.database.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: seconds(60) });
    expect(adapter.log.filter((each) => each.startsWith('destroy'))).toEqual(['destroy 1/1']);
  });

  test('fails its lease otherwise', async () => {
    const dispatch = { ...defaultLimits.dispatch, actionTimeouts: { PREPARE: seconds(30) } };
    await using harness = new Harness({ nodes: 1, limits: { dispatch }, ...withConfig(config) });
    const { engine, adapter } = await harness.start();
    adapter.answer = async (what) => (what === 'prepare' ? { status: 'pending' } : done);
    await engine.submit('request', { ...bestEffort(seconds(60)), image }, { principal });
    await harness.pass(minutes(1), 1_000);
    expect(harness.database.leases.get(1)).toMatchObject({
      ...{ state: 'FAILED', reason: { code: 'ACTION_FAILED' } },
    });
  });
});

test('a lease whose machines never start does not end as if it had run', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  let answer: Promise<ActionResult> = new Promise(() => {});
  adapter.answer = async (what) => (what === 'start' ? answer : done);
  await engine.submit('request', bestEffort(seconds(30)), { principal });
  await harness.pass(seconds(50), 1_000);
  expect(harness.state(1)).toBe('ACTIVE');
  answer = Promise.resolve(done);
  await harness.pass(seconds(100), 1_000);
  expect(harness.database.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: seconds(30) });
});

test('leases that begin and end within one turn occupy their node one after the other', async () => {
  await using harness = new Harness({ nodes: 1, speed: 600 });
  const running = harness.make();
  const { clashes, record } = slowHosts(harness, running, {});
  await running.engine.start();
  const { engine } = running;
  await engine.submit('request', reservationAt(epoch + minutes(5), seconds(10)), { principal });
  await engine.submit('request', bestEffort(minutes(6)), { principal });
  await harness.pass(seconds(10), seconds(1));
  expect(clashes).toEqual([]);
  expect(record.map((line) => line.replace(/^[0-9.]+ /, ''))).toEqual([
    'start 1/1 on 1',
    'shutdown 1/1 on 1',
    'start 2/1 on 1',
    'shutdown 2/1 on 1',
  ]);
});

describe('a machine that cannot be started', () => {
  const failing = (what: string, { target }: ActionCall): ActionResult =>
    what === 'start' && target.node === 1 ? { status: 'failed', reason: 'no space left' } : done;

  test('fails its lease by default', async () => {
    await using harness = new Harness({ nodes: 3 });
    const { engine, adapter } = await harness.start();
    adapter.answer = async (what, call) => failing(what, call);
    await engine.submit('request', bestEffort(hours(1), 2), { principal });
    await settle();
    expect(harness.state(1)).toBe('FAILED');
  });

  test('moves its lease to other nodes if the configuration says so', async () => {
    await using harness = new Harness({ nodes: 3, limits: { moveOnStartFailure: true } });
    const { engine, adapter } = await harness.start();
    adapter.answer = async (what, call) => failing(what, call);
    await engine.submit('request', bestEffort(hours(1), 2), { principal });
    await harness.pass(minutes(1), 1_000);
    expect(harness.database.leases.get(1)).toMatchObject({ state: 'ACTIVE', restarts: 1 });
    expect(Object.values(harness.database.leases.get(1)?.mapping ?? {}).sort()).toEqual([2, 3]);
    const places = adapter.calls.map(({ what, call: { target } }) => `${what} ${target.machine} on ${target.node}`);
    // What had been started of it is removed first.
    expect(places.slice(2).sort()).toEqual(['destroy 1 on 1', 'destroy 2 on 2', 'start 1 on 2', 'start 2 on 3'].sort());
    const reasons = harness.database.events.flatMap(({ reason }) => reason?.code ?? []);
    expect(reasons).toContain('START_FAILED');
  });

  const pausing = { moveOnStartFailure: true, startFailurePause: minutes(10) };

  test('keeps its node free of other starts for a time, over a restart too', async () => {
    await using harness = new Harness({ nodes: 2, limits: pausing });
    const first = await harness.start();
    first.adapter.answer = async (what, call) => failing(what, call);
    await first.engine.submit('request', bestEffort(hours(1)), { principal });
    await harness.pass(minutes(4), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DRAINING');
    expect(harness.database.nodeCauses.get(1)).toEqual({
      code: 'START_FAILED',
      at: epoch,
      by: null,
      message: 'START of machine 1 of lease 1 on node 1: no space left',
      lease: 1,
      before: null,
    });
    await first.engine.stop();
    await harness.start();
    await harness.pass(minutes(5), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DRAINING');
    await harness.pass(minutes(1), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('UP');
  });

  test('does not change a node that an operator has drained meanwhile', async () => {
    await using harness = new Harness({ nodes: 2, limits: pausing });
    const { engine, adapter } = await harness.start();
    adapter.answer = async (what, call) => failing(what, call);
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    const drain = {
      node: 1,
      state: 'DRAINING',
      collisions: 'DISPLACE',
      by: 'ada',
      reason: 'bad disk',
    } as const;
    await engine.submit('setNodeState', drain, { principal });
    await harness.pass(minutes(30), minutes(1));
    expect(harness.database.nodeStates.get(1)).toBe('DRAINING');
    expect(harness.database.nodeCauses.get(1)).toMatchObject({ by: 'ada', message: 'bad disk' });
  });

  test('gives the nodes back when its lease could not be started on several of them', async () => {
    await using harness = new Harness({ nodes: 6, limits: pausing });
    const { engine, adapter } = await harness.start();
    adapter.answer = async (what) => (what === 'start' ? { status: 'failed', reason: 'the image is broken' } : done);
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await harness.pass(minutes(1), 1_000);
    expect(harness.state(1)).toBe('FAILED');
    expect(adapter.log.filter((line) => line.startsWith('start'))).toHaveLength(4);
    expect([...harness.database.nodeStates.values()]).toEqual(['UP', 'UP', 'UP']);
  });
});

describe('a host that does not answer', () => {
  const limits = { inspectInterval: seconds(10), maxHostFailures: 2 };
  /** Hosts of which the first can be taken away. */
  const hosts = ({ adapter }: Running) => {
    const away = { is: true };
    adapter.remembers = true;
    adapter.inspect = async ({ node }) => {
      if (away.is && node === 1) throw new HostUnreachable('no route to host');
      return 'running';
    };
    adapter.answer = async (_what, { target: { node } }) => {
      if (away.is && node === 1) throw new HostUnreachable('no route to host');
      return done;
    };
    return away;
  };

  test('is the reason that the failed start gives', async () => {
    await using harness = new Harness({ nodes: 2, limits });
    const running = harness.make();
    hosts(running);
    await running.engine.start();
    await running.engine.submit('request', bestEffort(hours(1)), { principal });
    await harness.pass(seconds(5), 250);
    expect(harness.database.actions.get(1)).toMatchObject({
      kind: 'START',
      state: 'FAILED',
      message:
        'given up: the machines are no longer wanted; the last call failed: machine 1 on node 1: no route to host',
    });
    expect(harness.database.nodeCauses.get(1)).toMatchObject({
      ...{ code: 'HOST', message: 'its host does not answer: no route to host' },
    });
  });

  test('is used again even after a restart of the server', async () => {
    await using harness = new Harness({ nodes: 2, limits });
    const first = harness.make();
    hosts(first);
    await first.engine.start();
    await first.engine.submit('request', bestEffort(hours(2)), { principal });
    await harness.pass(minutes(1), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DOWN');
    await first.engine.stop();
    const second = harness.make();
    const away = hosts(second);
    await second.engine.start();
    await harness.pass(minutes(1), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DOWN');
    away.is = false;
    await harness.pass(minutes(2), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('UP');
    expect(harness.database.nodeCauses.get(1)).toMatchObject({ message: 'its host answers again' });
  });

  test('returns to the state set by operators', async () => {
    await using harness = new Harness({ nodes: 2, limits });
    const running = harness.make();
    const away = hosts(running);
    away.is = false;
    await running.engine.start();
    const { engine } = running;
    await engine.submit('request', bestEffort(hours(2)), { principal });
    await settle();
    const drain = {
      node: 1,
      state: 'DRAINING',
      collisions: 'DISPLACE',
      by: 'ada',
      reason: 'new disk',
    } as const;
    await engine.submit('setNodeState', drain, { principal });
    away.is = true;
    await harness.pass(minutes(1), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DOWN');
    away.is = false;
    await harness.pass(minutes(2), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DRAINING');
    expect(harness.database.nodeCauses.get(1)).toMatchObject({ code: 'OPERATOR', message: 'new disk' });
  });

  test('stays DOWN if an operator set it', async () => {
    await using harness = new Harness({ nodes: 2, limits });
    const running = harness.make();
    const away = hosts(running);
    await running.engine.start();
    const { engine } = running;
    await engine.submit('request', bestEffort(hours(2)), { principal });
    await harness.pass(minutes(1), 1_000);
    const down = { node: 1, state: 'DOWN', collisions: 'DISPLACE', by: 'ada', reason: 'for repair' } as const;
    await engine.submit('setNodeState', down, { principal });
    away.is = false;
    await harness.pass(minutes(2), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DOWN');
  });
});

test('a host that does not answer is marked DOWN, and used again only after it was reconciled', async () => {
  const limits = { inspectInterval: seconds(10), maxHostFailures: 3 };
  await using harness = new Harness({ nodes: 2, limits });
  const { engine, adapter } = harness.make();
  adapter.remembers = true;
  let away = false;
  const left = new Set<string>();
  adapter.list = async (node) => {
    if (away && node === 1) throw new HostUnreachable('no route to host');
    return [...left]
      .map((name) => name.split('/').map(Number))
      .filter(([, , at]) => at === node)
      .map(([leaseId = 0, machine = 0]) => ({ leaseId, machine, node, status: 'running' }));
  };
  adapter.answer = async (what, { target: { leaseId, machine, node } }) => {
    if (away && node === 1) throw new HostUnreachable('no route to host');
    const name = `${leaseId}/${machine}/${node}`;
    if (what === 'start') left.add(name);
    if (what === 'shutdown' || what === 'destroy') left.delete(name);
    return done;
  };
  const facts = async () => (await engine.submit('hostFacts', { nodes: [1] }, { principal }))[0];
  await engine.start();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(harness.database.leases.get(1)?.mapping).toEqual({ 1: 1 });
  expect(await facts()).toMatchObject({
    answeredAt: epoch,
    failures: 0,
    unreachableSince: null,
    error: null,
  });
  away = true;
  await harness.pass(seconds(25), 1_000);
  expect(harness.database.nodeStates.get(1) ?? 'UP').toBe('UP');
  await harness.pass(seconds(10), 1_000);
  expect(harness.database.nodeStates.get(1)).toBe('DOWN');
  // The lease runs anew on the other node.
  expect(harness.database.leases.get(1)).toMatchObject({ state: 'ACTIVE', mapping: { 1: 2 } });
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(minutes(2), 1_000);
  expect(harness.state(2)).not.toBe('ACTIVE');
  // Its machine cannot be removed, and holds its place.
  expect(await facts()).toMatchObject({
    ...{ answeredAt: epoch, failures: expect.any(Number), unreachableSince: epoch + seconds(10) },
    error: 'no route to host',
    unremoved: [{ leaseId: 1, machine: 1, capacity: { CPU: 100, Memory: 1024 }, actionId: expect.any(Number) }],
  });
  away = false;
  await harness.pass(minutes(2), 1_000);
  expect(harness.database.nodeStates.get(1)).toBe('UP');
  expect(await facts()).toMatchObject({ failures: 0, unreachableSince: null, error: null, unremoved: [] });
  expect((await facts())?.answeredAt).toBeGreaterThan(epoch + minutes(2));
  expect(harness.database.notices.map(({ message, reason }) => `${message} (${reason?.code})`)).toEqual([
    'Node 1 is down: its host does not answer: no route to host. (HOST)',
    expect.stringMatching(/^Lease 1 was moved and starts \d+s later than planned: node 1 has failed\. /),
    // It waited for what the silent host was told first.
    expect.stringMatching(/^Lease 1 started \ds later than planned: its hosts take longer\. \(HOSTS_LATE\)$/),
    'Node 1 is back: its host answers again. (HOST)',
  ]);
  expect([...left].sort()).toEqual(['1/1/2', '2/1/1']);
  expect(harness.database.leases.get(2)).toMatchObject({ state: 'ACTIVE', mapping: { 1: 1 } });
});
