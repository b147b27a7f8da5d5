import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doubleSession, OpenNebulaDouble } from '../../src/enactment/conformance/doubles/opennebula.ts';
import { OpenNebulaAdapter, type OpenNebulaOptions } from '../../src/enactment/opennebula/adapter.ts';
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
  provideImage: async () => {},
  stopMachine: async (leaseId, machine) => double.powerOff(`lg-${leaseId}-${machine}`),
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
    const adapter = new OpenNebulaAdapter(
      { ...optionsFor(double.endpoint), session: 'wrong:one' },
      site,
      log,
    );
    expect(await adapter.start(call())).toEqual({
      status: 'failed',
      reason: "one.vmpool.info: [one.vmpool.info] User couldn't be authenticated, aborting call.",
    });
  });

  test('a front end that does not answer, and a host that it does not have, are unreachable', async () => {
    const away = new OpenNebulaAdapter(optionsFor('http://127.0.0.1:9/RPC2'), site, log);
    await expect(
      away.inspect({ leaseId: 1, machine: 1, node: 1 }, AbortSignal.timeout(120_000)),
    ).rejects.toThrow(HostUnreachable);
    const strangers = hostSite('test', [{ number: 1, hostname: 'nowhere', capacity: { CPU: 1, Memory: 1 } }]);
    const adapter = new OpenNebulaAdapter(optionsFor(double.endpoint), strangers, log);
    await expect(adapter.start(call())).rejects.toThrow('OpenNebula has no host called nowhere');
  });
});
