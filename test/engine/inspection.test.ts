import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/engine/limits.ts';
import { createEngineMetrics } from '../../src/engine/metrics.ts';
import { type HostedMachine, HostUnreachable, type MachinePlace, type MachineStatus } from '../../src/engine/ports.ts';
import { bestEffort, epoch, Harness, hours, minutes, principal, settle } from '../support/engine-harness.ts';

const limits = { inspectInterval: minutes(1) };

/** Hosts that say what the test says, as `lease/machine`; what is not named is running. */
const hosts = () => {
  const says = new Map<string, MachineStatus | Error>();
  const asked: string[] = [];
  const inspect = async ({ leaseId, machine, node }: MachinePlace): Promise<MachineStatus> => {
    asked.push(`${leaseId}/${machine} on ${node}`);
    const answer = says.get(`${leaseId}/${machine}`) ?? 'running';
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { says, asked, inspect };
};

/** A server whose adapter remembers its machines, on such hosts. It has yet to be started. */
const inspecting = (harness: Harness) => {
  const told = hosts();
  const { adapter, engine } = harness.make();
  adapter.remembers = true;
  adapter.inspect = told.inspect;
  return { ...told, adapter, engine };
};

describe('machines that stop by themselves', () => {
  test('end their lease when all have stopped, and the rest of it is removed', async () => {
    await using harness = new Harness({ nodes: 2, limits });
    const { adapter, engine, says } = inspecting(harness);
    await engine.start();
    await engine.submit('request', bestEffort(hours(1), 2), { principal });
    await settle();
    says.set('1/1', 'stopped');
    await harness.pass(minutes(1));
    expect(harness.state(1)).toBe('ACTIVE');
    says.set('1/2', 'stopped');
    await harness.pass(minutes(1));
    expect(harness.state(1)).toBe('DONE');
    expect(harness.database.leases.get(1)?.accumulated).toBe(minutes(2));
    expect(adapter.log.filter((call) => call.startsWith('destroy'))).toEqual(['destroy 1/1', 'destroy 1/2']);
  });

  test('trigger new plans: waiting leases start', async () => {
    await using harness = new Harness({ nodes: 1, limits });
    const { engine, says } = inspecting(harness);
    await engine.start();
    for (let count = 0; count < 2; count += 1) await engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    expect(harness.state(2)).not.toBe('ACTIVE');
    says.set('1/1', 'stopped');
    await harness.pass(minutes(1));
    expect([harness.state(1), harness.state(2)]).toEqual(['DONE', 'ACTIVE']);
  });

  test('are accepted at once from an adapter that watches, without polling', async () => {
    await using harness = new Harness({ nodes: 1, limits });
    const { says, asked, inspect } = hosts();
    const { engine, adapter } = harness.make();
    adapter.inspect = inspect;
    let tell: (place: MachinePlace) => void = () => {};
    adapter.watch = (onChange) => {
      tell = onChange;
    };
    await engine.start();
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await harness.pass(minutes(10));
    expect(asked).toEqual([]);
    tell({ leaseId: 1, machine: 1, node: 1 });
    await settle();
    expect(harness.state(1)).toBe('ACTIVE');
    says.set('1/1', 'stopped');
    tell({ leaseId: 1, machine: 1, node: 1 });
    await settle();
    expect(harness.state(1)).toBe('DONE');
    expect(asked).toEqual(['1/1 on 1', '1/1 on 1']);
  });
});

describe('machines that are gone', () => {
  test('fail their lease once', async () => {
    await using harness = new Harness({ nodes: 1, limits });
    const { engine, says } = inspecting(harness);
    await engine.start();
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    says.set('1/1', 'absent');
    await harness.pass(minutes(1));
    expect(harness.state(1)).toBe('FAILED');
    expect(harness.database.leases.get(1)?.reason).toEqual({
      code: 'MACHINE_LOST',
      message: 'machine 1 on node 1 should be running, but is absent',
    });
  });

  test('are not assumed if a host does not answer, or if machines are being changed', async () => {
    await using harness = new Harness({
      nodes: 2,
      limits: {
        ...limits,
        dispatch: { ...defaultLimits.dispatch, callTimeout: hours(1), actionTimeout: hours(1) },
      },
    });
    const { adapter, engine, says, asked } = inspecting(harness);
    adapter.answer = (what, { target }) =>
      what === 'start' && target.leaseId === 2 ? new Promise(() => {}) : Promise.resolve({ status: 'done' });
    await engine.start();
    for (let count = 0; count < 2; count += 1) await engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    says.set('1/1', new Error('no route to host'));
    says.set('2/1', 'absent');
    await harness.pass(minutes(1));
    expect([harness.state(1), harness.state(2)]).toEqual(['ACTIVE', 'ACTIVE']);
    expect(asked).toEqual(['1/1 on 1']);
  });
});

test('with several adapters each node is asked as its own can answer', async () => {
  await using harness = new Harness({ nodes: 3, limits });
  const { adapter, engine, says, asked } = inspecting(harness);
  const listed: number[] = [];
  const list = async (node: number): Promise<readonly HostedMachine[]> => {
    listed.push(node);
    const leaseId = Object.keys(harness.database.leases.get(1)?.mapping ?? {}).length > 0 ? 1 : 0;
    return [{ leaseId, machine: 1, node, status: says.get('1/1') ?? 'running' } as HostedMachine];
  };
  adapter.list = list;
  adapter.on = (node) => ({ remembers: node !== 3, list: node === 1 ? list : undefined });
  await engine.start();
  for (let count = 0; count < 3; count += 1) await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  const nodes = [1, 2, 3].map((lease) => harness.database.leases.get(lease)?.mapping?.[1]);
  expect(nodes).toEqual([1, 2, 3]);
  for (const lease of [1, 2, 3]) says.set(`${lease}/1`, 'stopped');
  await harness.pass(minutes(2), minutes(1));
  expect([1, 2, 3].map((lease) => harness.state(lease))).toEqual(['DONE', 'DONE', 'ACTIVE']);
  expect(new Set(listed)).toEqual(new Set([1]));
  expect(new Set(asked)).toEqual(new Set(['2/1 on 2']));
});

test('calls that fail side by side are one failure of their host', async () => {
  await using harness = new Harness({ nodes: 1, limits: { ...limits, maxHostFailures: 3 } });
  const { engine, adapter } = harness.make();
  let failures = 3;
  adapter.answer = async () => {
    failures -= 1;
    if (failures >= 0) throw new HostUnreachable('connection reset');
    return { status: 'done' };
  };
  await engine.start();
  const machines = new Array(3).fill({ CPU: 10, Memory: 64 });
  await engine.submit('request', { ...bestEffort(hours(1)), machines }, { principal });
  await harness.pass(minutes(2), 1_000);
  expect(harness.state(1)).toBe('ACTIVE');
  expect(adapter.log.filter((call) => call.startsWith('start'))).toHaveLength(6);
  expect(harness.database.notices.map(({ kind }) => kind)).not.toContain('NODE_DOWN');
});

test('an error of an adapter that is none of the host says nothing of the host', async () => {
  await using harness = new Harness({ nodes: 1, limits });
  const { engine, says } = inspecting(harness);
  await engine.start();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  says.set('1/1', new Error('cannot parse the answer'));
  await harness.pass(minutes(30), minutes(1));
  expect(harness.state(1)).toBe('ACTIVE');
  expect(harness.database.notices.map(({ kind }) => kind)).not.toContain('NODE_DOWN');
});

test('if an adapter lists the machines of a node, each node is queried once', async () => {
  await using harness = new Harness({ nodes: 2, limits });
  const { engine, adapter } = harness.make();
  adapter.remembers = true;
  const listed: number[] = [];
  adapter.list = async (node) => {
    listed.push(node);
    return node === 1
      ? [{ leaseId: 1, machine: 1, node, status: 'stopped' }]
      : [{ leaseId: 2, machine: 1, node, status: 'running' }];
  };
  await engine.start();
  const half = { ...bestEffort(hours(1)), machines: [{ CPU: 50, Memory: 512 }] };
  for (let count = 0; count < 3; count += 1) await engine.submit('request', half, { principal });
  await settle();
  expect(harness.database.leases.get(3)?.mapping).toEqual({ 1: 1 });
  listed.length = 0;
  await harness.pass(minutes(1));
  expect(listed.toSorted()).toEqual([1, 2]);
  // Lease 3 is on node 1, which does not hold it.
  expect([1, 2, 3].map((lease) => harness.state(lease))).toEqual(['DONE', 'ACTIVE', 'FAILED']);
});

describe('machines that belong to no lease', () => {
  const stray = { leaseId: 77, machine: 1, node: 2, status: 'running' as const };

  /** A server whose hosts hold a stray machine, and what its lease should have. */
  async function withStray(limitsBeside = {}) {
    const registry = new Registry();
    const harness = new Harness({ nodes: 2, limits: { ...limits, ...limitsBeside } });
    const { engine, adapter } = harness.make({ engine: { metrics: createEngineMetrics(registry) } });
    adapter.remembers = true;
    const held: HostedMachine[] = [stray, { ...stray, leaseId: 1, node: 1 }];
    adapter.list = async (node) => held.filter((each) => each.node === node);
    adapter.answer = async (what, { target }) => {
      if (what === 'destroy')
        held.splice(
          held.findIndex(({ leaseId }) => leaseId === target.leaseId),
          1,
        );
      return { status: 'done' };
    };
    await engine.start();
    await engine.submit('request', bestEffort(hours(1)), { principal });
    const strays = async () =>
      (await registry.getMetricsAsJSON()).find(({ name }) => name.endsWith('stray_machines'))?.values[0]?.value;
    const listed = async () =>
      (await engine.submit('hostFacts', { nodes: [1, 2] }, { principal })).map((each) => each.strays);
    return { harness, adapter, strays, held, listed };
  }

  test('are reported when they are found twice, and are not changed', async () => {
    const { harness, adapter, strays, held, listed } = await withStray();
    await using _ = harness;
    await settle();
    expect(await strays()).toBe(0);
    expect(await listed()).toEqual([[], []]);
    await harness.pass(minutes(3), minutes(1));
    expect(await strays()).toBe(1);
    const found = { leaseId: 77, machine: 1, status: 'running', since: epoch, isRemoved: false };
    expect(await listed()).toEqual([[], [found]]);
    expect(adapter.log).toEqual(['start 1/1']);
    held.shift();
    await harness.pass(minutes(1));
    expect(await strays()).toBe(0);
    expect(await listed()).toEqual([[], []]);
  });

  test('are removed if the configuration says so', async () => {
    const { harness, adapter, strays } = await withStray({ removeStrays: true });
    await using _ = harness;
    await harness.pass(minutes(3), minutes(1));
    expect(adapter.log).toEqual(['start 1/1', 'destroy 77/1']);
    expect(harness.database.actions.get(2)).toMatchObject({
      kind: 'DESTROY',
      leaseId: 77,
      state: 'SUCCEEDED',
    });
    expect(await strays()).toBe(0);
  });

  test('are not what is left of a quarantined lease: its machines stay until an operator discards it', async () => {
    await using harness = new Harness({ nodes: 2, limits: { ...limits, removeStrays: true } });
    const first = await harness.start();
    await first.engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    await first.engine.stop();
    const lease = harness.database.leases.get(1);
    if (lease) harness.database.leases.set(1, { ...lease, duration: 0 });
    const { adapter, engine } = harness.make();
    adapter.remembers = true;
    adapter.list = async (node) => (node === 1 ? [{ ...stray, leaseId: 1, node }] : []);
    await engine.start();
    await harness.pass(minutes(3), minutes(1));
    expect(adapter.log).toEqual([]);
    await engine.submit('discard', { leaseNumber: 1 }, { principal });
    await settle();
    expect(adapter.log).toEqual(['destroy 1/1']);
  });
});

describe('hosts that take no new machines', () => {
  /** A server whose adapter says so of the nodes for which the test gives a reason. */
  async function withAdmission() {
    const harness = new Harness({ nodes: 2, limits: { ...limits, maxHostFailures: 2 } });
    const { adapter, engine } = harness.make();
    const reasons = new Map<number, string>();
    const away = new Set<number>();
    const answer = (node: number): void => {
      if (away.has(node)) throw new HostUnreachable('no route to host');
    };
    adapter.remembers = true;
    adapter.inspect = async ({ node }) => {
      answer(node);
      return 'running';
    };
    adapter.admits = async (node) => {
      answer(node);
      return reasons.get(node) ?? null;
    };
    await engine.start();
    await settle();
    const states = () => [1, 2].map((node) => harness.database.nodeStates.get(node) ?? 'UP');
    return { harness, engine, reasons, away, states };
  }

  test('have their nodes drained meanwhile: what runs there goes on, and nothing new comes', async () => {
    const { harness, engine, reasons, states } = await withAdmission();
    await using _ = harness;
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    reasons.set(1, 'the host is disabled');
    await harness.pass(minutes(1));
    expect(states()).toEqual(['DRAINING', 'UP']);
    expect(harness.database.nodeCauses.get(1)).toMatchObject({
      ...{ code: 'HOST_DISABLED', message: 'the host is disabled', by: null },
    });
    expect(harness.state(1)).toBe('ACTIVE');
    await engine.submit('request', bestEffort(hours(1), 2), { principal });
    await harness.pass(hours(2));
    expect([harness.state(1), harness.state(2)]).toEqual(['DONE', 'QUEUED']);
    reasons.clear();
    await harness.pass(minutes(1));
    expect(states()).toEqual(['UP', 'UP']);
    expect(harness.state(2)).toBe('ACTIVE');
  });

  test('leave decisions of operators alone', async () => {
    const { harness, engine, reasons, states } = await withAdmission();
    await using _ = harness;
    const drain = { node: 1, state: 'DRAINING', collisions: 'DISPLACE', by: 'ada', reason: null } as const;
    await engine.submit('setNodeState', drain, { principal });
    reasons.set(1, 'the host is disabled');
    await harness.pass(minutes(2), minutes(1));
    expect(harness.database.nodeCauses.get(1)).toMatchObject({ code: 'OPERATOR' });
    reasons.clear();
    await harness.pass(minutes(2), minutes(1));
    expect(states()).toEqual(['DRAINING', 'UP']);
  });

  test('are drained again when they answer again after they were silent', async () => {
    const { harness, engine, reasons, away, states } = await withAdmission();
    await using _ = harness;
    reasons.set(1, 'the host is disabled');
    await harness.pass(minutes(1));
    away.add(1);
    await harness.pass(minutes(3), minutes(1));
    expect(states()).toEqual(['DOWN', 'UP']);
    reasons.clear();
    reasons.set(2, 'the other is disabled');
    await harness.pass(minutes(1));
    // Nothing is said of a host that is silent.
    expect(states()).toEqual(['DOWN', 'DRAINING']);
    away.clear();
    await harness.pass(minutes(3), minutes(1));
    expect(states()).toEqual(['UP', 'DRAINING']);
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    expect(harness.state(1)).toBe('ACTIVE');
  });
});
