import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { doubleSession, OpenNebulaDouble } from '../../src/enactment/conformance/doubles/opennebula.ts';
import {
  hostStateNames,
  lcmStateNames,
  vmStateNames,
} from '../../src/enactment/conformance/doubles/opennebula-states.ts';
import { OpenNebulaAdapter, type OpenNebulaOptions } from '../../src/enactment/opennebula/adapter.ts';
import {
  hasFailed,
  hostCondition,
  hostStates,
  isPassing,
  lcmStates,
  statusOf,
  vmStates,
} from '../../src/enactment/opennebula/states.ts';
import { hostSite } from '../../src/enactment/site.ts';
import { type ActionCall, type HostNode, HostUnreachable } from '../../src/engine/ports.ts';
import { describeConformance } from './conformance.ts';

const log = pino({ level: 'silent' });
const site = hostSite(
  'test',
  [1, 2].map((number) => ({
    number,
    hostname: `node-${number}`,
    address: `192.0.2.${number}`,
    capacity: { CPU: 400, Memory: 4096 },
  })),
);
const nodes = site.nodes() as [HostNode, HostNode];

const optionsFor = (endpoint: string): OpenNebulaOptions => ({
  endpoint,
  session: doubleSession,
  timeLimit: 10_000,
  namePrefix: 'lg',
  template: '',
  shutdownGrace: 5_000,
  pollInterval: 10,
  hostRefresh: 60_000,
});

let double: OpenNebulaDouble;
beforeAll(async () => {
  double = await OpenNebulaDouble.start({
    hosts: ['other', '192.0.2.1', '192.0.2.2'],
    delay: 20,
    images: null,
  });
});
afterAll(() => double.close());

describeConformance({
  name: 'opennebula, on a double',
  nodes,
  capacity: { CPU: 100, Memory: 64 },
  image: { name: 'conformance', sizeMb: 8 },
  make: async (names) => new OpenNebulaAdapter(optionsFor(double.endpoint), names, log),
  provideImage: async () => true,
  stopMachine: async (leaseId, machine) => double.powerOff(`lg-${leaseId}-${machine}`),
  holdSuspension: async (leaseId, machine) => double.hold('suspend', `lg-${leaseId}-${machine}`),
});

test("the adapter's numbers of states are those that OpenNebula documents", () => {
  const numbers = (names: readonly (string | null)[]) =>
    Object.fromEntries(names.flatMap((name, number) => (name === null ? [] : [[name, number]])));
  expect(numbers(vmStateNames)).toMatchObject(vmStates);
  expect(numbers(lcmStateNames)).toMatchObject(lcmStates);
  expect(numbers(hostStateNames)).toEqual(hostStates);
});

test('every state in which something has failed is known, and none of them is waited for', () => {
  const vm = { id: 1, name: '', hostId: 1, attributes: {}, state: vmStates.ACTIVE };
  for (const [lcmState, name] of lcmStateNames.entries()) {
    const failed = name?.endsWith('_FAILURE') ?? false;
    expect(hasFailed({ ...vm, lcmState }), name ?? '').toBe(failed);
    if (failed) expect(isPassing({ ...vm, lcmState }), name ?? '').toBe(false);
  }
});

test.each([
  ['PROLOG', 'prepared'],
  ['BOOT', 'prepared'],
  ['BOOT_SUSPENDED', 'suspended'],
  ['BOOT_POWEROFF', 'stopped'],
  ['SAVE_SUSPEND', 'running'],
  ['BACKUP', 'running'],
] as const)('a VM in the state %s is %s, as it was before', (name, status) => {
  const lcmState = lcmStateNames.indexOf(name);
  expect(statusOf({ id: 1, name: '', hostId: 1, attributes: {}, state: vmStates.ACTIVE, lcmState })).toBe(status);
});

let lastAction = 0;
const call = (target: Partial<ActionCall['target']> = {}): ActionCall => {
  lastAction += 1;
  return {
    actionId: lastAction,
    target: {
      leaseId: 1,
      machine: 1,
      node: 1,
      toNode: null,
      capacity: { CPU: 150, Memory: 64 },
      image: null,
      ...target,
    },
    signal: AbortSignal.timeout(120_000),
    deadline: null,
  };
};

describe('what OpenNebula refuses', () => {
  test('a VM that fails to start fails its lease, with its state', async () => {
    await using strict = await OpenNebulaDouble.start({
      hosts: ['node-1'],
      delay: 1,
      images: ['debian'],
    }).then((started) => Object.assign(started, { [Symbol.asyncDispose]: () => started.close() }));
    const adapter = new OpenNebulaAdapter(optionsFor(strict.endpoint), site, log);
    expect(await adapter.start(call({ image: { name: 'none', sizeMb: 1 } }))).toEqual({
      status: 'failed',
      reason: 'VM 0 (lg-1-1) has failed: PROLOG_FAILURE',
    });
    expect(await adapter.destroy(call())).toEqual({ status: 'done' });
    expect(await adapter.start(call({ image: { name: 'debian', sizeMb: 1 } }))).toEqual({ status: 'done' });
    await adapter.close();
  });

  test('a wrong session is a failure that says so', async () => {
    const adapter = new OpenNebulaAdapter({ ...optionsFor(double.endpoint), session: 'wrong:one' }, site, log);
    expect(await adapter.start(call())).toEqual({
      status: 'failed',
      reason: "one.hostpool.info: [one.hostpool.info] User couldn't be authenticated, aborting call.",
    });
  });

  test('a front end that does not answer, and a host that it does not have, are unreachable', async () => {
    const away = new OpenNebulaAdapter(optionsFor('http://127.0.0.1:9/RPC2'), site, log);
    await expect(away.inspect({ leaseId: 1, machine: 1, node: 1 }, AbortSignal.timeout(120_000))).rejects.toThrow(
      HostUnreachable,
    );
    const strangers = hostSite('test', [{ number: 1, hostname: 'nowhere', capacity: { CPU: 1, Memory: 1 } }]);
    const adapter = new OpenNebulaAdapter(optionsFor(double.endpoint), strangers, log);
    await expect(adapter.start(call())).rejects.toThrow('OpenNebula has no host called nowhere');
  });
});

describe('hosts', () => {
  /** A front end of its own with the hosts of both nodes, and what is logged. */
  async function frontEnd(options: Partial<OpenNebulaOptions> = {}) {
    const own = await OpenNebulaDouble.start({ hosts: ['192.0.2.1', '192.0.2.2'], delay: 1, images: null });
    onTestFinished(() => own.close());
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const adapter = new OpenNebulaAdapter({ ...optionsFor(own.endpoint), ...options }, site, logger);
    const signal = AbortSignal.timeout(120_000);
    return {
      own,
      adapter,
      lines,
      list: (node: number) => adapter.list(node, signal),
      admits: (node: number) => adapter.admits(node, signal),
      inspect: (node: number) => adapter.inspect({ leaseId: 1, machine: 1, node }, signal),
    };
  }
  /** Asked anew each time. */
  const fresh = { hostRefresh: 0 };

  test.each(hostStateNames)('in the state %s', async (state) => {
    const { own, adapter, admits, inspect, list } = await frontEnd(fresh);
    await adapter.start(call());
    own.changeHost('192.0.2.1', { state });
    const condition = hostCondition(hostStateNames.indexOf(state));
    if (['ERROR', 'MONITORING_ERROR', 'OFFLINE'].includes(state)) {
      expect(condition).toBe('LOST');
      const lost = new HostUnreachable(`OpenNebula's host 192.0.2.1 is in the state ${state}`);
      for (const question of [list, admits, inspect]) await expect(question(1)).rejects.toEqual(lost);
      for (const verb of ['start', 'suspend', 'shutdown', 'destroy'] as const)
        await expect(adapter[verb](call()), verb).rejects.toEqual(lost);
    } else {
      const isClosed = ['DISABLED', 'MONITORING_DISABLED'].includes(state);
      expect(condition).toBe(isClosed ? 'CLOSED' : 'USABLE');
      expect(await admits(1)).toBe(isClosed ? `OpenNebula's host 192.0.2.1 is ${state}` : null);
      expect(await inspect(1)).toBe('running');
      expect(await adapter.shutdown(call())).toEqual({ status: 'done' });
    }
    // The other one is as it was.
    expect([await admits(2), await list(2)]).toEqual([null, []]);
    await adapter.close();
  });

  test('that are lost keep what runs there; what never ran there, or on a host that is gone, is removed', async () => {
    const { own, adapter, list } = await frontEnd(fresh);
    await adapter.prepare(call({ leaseId: 2 }));
    await adapter.start(call({ leaseId: 3 }));
    await adapter.prepare(call({ leaseId: 4, node: 2 }));
    own.changeHost('192.0.2.1', { state: 'OFFLINE' });
    own.removeHost('192.0.2.2');
    expect(await adapter.destroy(call({ leaseId: 1 }))).toEqual({ status: 'done' });
    expect(await adapter.destroy(call({ leaseId: 2 }))).toEqual({ status: 'done' });
    await expect(adapter.destroy(call({ leaseId: 3 }))).rejects.toThrow(HostUnreachable);
    await expect(list(2)).rejects.toThrow('OpenNebula has no host called node-2 or 192.0.2.2');
    expect(await adapter.destroy(call({ leaseId: 4, node: 2 }))).toEqual({ status: 'done' });
    own.changeHost('192.0.2.1', { state: 'MONITORED' });
    expect(await list(1)).toEqual([{ leaseId: 3, machine: 1, node: 1, status: 'running' }]);
    expect(await adapter.destroy(call({ leaseId: 3 }))).toEqual({ status: 'done' });
    await adapter.close();
  });

  test('are believed for some time, but those that cannot be used are looked up again', async () => {
    const { own, adapter, inspect } = await frontEnd({ hostRefresh: 3_600_000, pollInterval: 0 });
    const asked = () => own.calls.get('one.hostpool.info');
    for (let count = 0; count < 3; count += 1) await inspect(1);
    expect(asked()).toBe(1);
    own.changeHost('192.0.2.1', { state: 'ERROR' });
    expect(await inspect(1)).toBe('absent');
    expect(asked()).toBe(1);
    adapter.forget();
    await expect(inspect(1)).rejects.toThrow(HostUnreachable);
    own.changeHost('192.0.2.1', { state: 'MONITORED' });
    while (
      await inspect(1).then(
        () => false,
        () => true,
      )
    );
    expect(asked()).toBeGreaterThan(2);
    await adapter.close();
  });

  test('that come, go and come again under another number are found under it', async () => {
    const { own, adapter, lines } = await frontEnd({ ...fresh, namePrefix: 'again' });
    own.removeHost('192.0.2.1');
    await expect(adapter.start(call())).rejects.toThrow('OpenNebula has no host called node-1 or 192.0.2.1');
    own.addHost('stranger');
    own.addHost('node-1');
    expect(await adapter.start(call())).toEqual({ status: 'done' });
    expect(await adapter.inspect({ leaseId: 1, machine: 1, node: 1 }, AbortSignal.timeout(120_000))).toBe('running');
    expect(lines.filter(({ hosts }) => hosts)).toEqual([
      expect.objectContaining({
        hosts: [{ hostname: 'stranger', capacity: { CPU: 400, Memory: 4096 } }],
        msg: 'OpenNebula has hosts that are no nodes of the site',
      }),
    ]);
    await adapter.close();
  });

  test('with less capacity than their nodes are named, once for each change', async () => {
    const { own, adapter, inspect, lines } = await frontEnd(fresh);
    const warnings = () => lines.flatMap(({ nodes }) => (nodes ? [nodes] : []));
    for (let count = 0; count < 3; count += 1) await inspect(1);
    expect(warnings()).toEqual([]);
    own.changeHost('192.0.2.2', { maxMemory: 2 * 1_048_576 });
    for (let count = 0; count < 3; count += 1) await inspect(1);
    const plan = { CPU: 400, Memory: 4096 };
    expect(warnings()).toEqual([[{ node: 2, host: { CPU: 400, Memory: 2048 }, plan }]]);
    // One that was never monitored says nothing.
    own.changeHost('192.0.2.2', { maxMemory: 0, maxCpu: 0 });
    for (let count = 0; count < 3; count += 1) await inspect(1);
    expect(warnings()).toHaveLength(1);
    await adapter.close();
  });
});
