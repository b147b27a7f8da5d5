import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/engine/commands/table.ts';
import {
  bestEffort,
  epoch,
  Harness,
  hours,
  minutes,
  principal,
  reservationAt,
  settle,
} from '../support/engine-harness.ts';

const options = { principal };

describe('update', () => {
  test('gives a running lease another duration, from a standby as well', async () => {
    await using harness = new Harness({ nodes: 1 });
    const { engine } = await harness.start();
    const standby = await harness.start();
    await engine.submit('request', bestEffort(minutes(10)), options);
    await settle();
    const update = { leaseNumber: 1, update: { duration: minutes(20) } };
    expect(await engine.submit('update', update, options)).toEqual({ leaseNumber: 1, displaced: [] });
    await harness.pass(minutes(15), minutes(1));
    expect(harness.state(1)).toBe('ACTIVE');
    await standby.engine.submit('update', { leaseNumber: 1, update: { duration: minutes(16) } }, options);
    await harness.pass(minutes(1));
    expect(harness.database.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: minutes(16) });
  });

  test('says how long an extension that is blocked can be, and changes nothing', async () => {
    await using harness = new Harness({ nodes: 1 });
    const { engine } = await harness.start();
    const standby = await harness.start();
    await engine.submit('request', reservationAt(epoch + minutes(1), minutes(10)), options);
    await engine.submit('request', reservationAt(epoch + minutes(15), minutes(10)), options);
    await harness.pass(minutes(2), minutes(1));
    const update = { leaseNumber: 1, update: { duration: minutes(30) } };
    for (const server of [engine, standby.engine]) {
      await expect(server.submit('update', update, options)).rejects.toMatchObject({
        ...{ code: 'EXTENSION_BLOCKED', path: ['duration'] },
        details: { maxDuration: minutes(14) },
      });
    }
    expect(harness.database.leases.get(1)?.duration).toBe(minutes(10));
  });

  test('is carried out once under its idempotency key', async () => {
    await using harness = new Harness({ nodes: 1 });
    const { engine } = await harness.start();
    await engine.submit('request', bestEffort(minutes(10)), options);
    await settle();
    const keyed = { principal, idempotencyKey: 'key' };
    const update = (duration: number) => engine.submit('update', { leaseNumber: 1, update: { duration } }, keyed);
    await update(minutes(20));
    await engine.submit('update', { leaseNumber: 1, update: { duration: minutes(30) } }, options);
    expect(await update(minutes(20))).toEqual({ leaseNumber: 1, displaced: [] });
    expect(harness.database.leases.get(1)?.duration).toBe(minutes(30));
    await expect(update(minutes(40))).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await expect(engine.submit('request', bestEffort(minutes(1)), keyed)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
  });
});

test('end ends a running lease and removes its machines', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  await engine.submit('request', bestEffort(hours(1)), options);
  await harness.pass(minutes(10));
  expect(await engine.submit('end', { leaseNumber: 1 }, options)).toEqual({ leaseNumber: 1 });
  await settle();
  expect(harness.database.leases.get(1)).toMatchObject({ state: 'DONE', accumulated: minutes(10) });
  expect(adapter.log).toEqual(['start 1/1', 'destroy 1/1']);
  await expect(engine.submit('end', { leaseNumber: 1 }, options)).rejects.toMatchObject({
    code: 'LEASE_ENDED',
  });
});

describe('setNodeState', () => {
  test('is kept over a restart, and nothing starts on a node that is drained', async () => {
    await using harness = new Harness({ nodes: 1 });
    const first = await harness.start();
    const drain = { node: 1, state: 'DRAINING', collisions: 'DISPLACE' } as const;
    expect(await first.engine.submit('setNodeState', drain, options)).toEqual({ node: 1, displaced: [] });
    first.store.kill();
    const { engine, adapter } = await harness.start();
    await engine.submit('request', bestEffort(minutes(10)), options);
    await harness.pass(minutes(5), minutes(1));
    expect(adapter.log).toEqual([]);
    await engine.submit('setNodeState', { ...drain, state: 'UP' }, options);
    await settle();
    expect(adapter.log).toEqual(['start 1/1']);
  });

  test('names the leases that it displaces, or would displace', async () => {
    await using harness = new Harness({ nodes: 2 });
    const { engine } = await harness.start();
    await engine.submit('request', reservationAt(epoch + hours(1), hours(1), 2), options);
    const drain = { node: 1, state: 'DRAINING', collisions: 'REFUSE' } as const;
    await expect(engine.submit('setNodeState', drain, options)).rejects.toMatchObject({
      ...{ code: 'WOULD_DISPLACE', details: { leases: [1] } },
    });
    expect(harness.database.nodeStates.size).toBe(0);
    const displaced = await engine.submit('setNodeState', { ...drain, collisions: 'DISPLACE' }, options);
    expect(displaced).toEqual({ node: 1, displaced: [1] });
    await expect(engine.submit('setNodeState', { ...drain, node: 7 }, options)).rejects.toMatchObject({
      ...{ code: 'INVALID_REQUEST', path: ['node'] },
    });
  });
});

describe('dry runs of changes to nodes', () => {
  /** Four nodes. Lease 1 takes all of them from 1:00 to 2:00, lease 2 two of them from 2:30 to 3:00. */
  async function planned(harness: Harness) {
    const { engine } = await harness.start();
    await engine.submit('request', reservationAt(epoch + hours(1), hours(1), 4), options);
    await engine.submit('request', reservationAt(epoch + minutes(150), minutes(30), 2), options);
    await settle();
    return engine;
  }

  test('say which leases maintenance takes from their nodes, and when it would take none', async () => {
    await using harness = new Harness({ nodes: 4 });
    const engine = await planned(harness);
    const { leases, maintenance, reservations } = harness.database;
    const before = structuredClone({ leases, maintenance, reservations });
    const plan = (collisions: 'REFUSE' | 'DISPLACE', length = hours(1)) => ({
      maintenance: { name: 'disks', nodes: [1, 2, 3], start: epoch, end: epoch + length },
      collisions,
    });
    const hours2 = hours(2);
    expect(await engine.submit('rehearseMaintenance', plan('REFUSE', hours2), options)).toEqual({
      accepted: false,
      reason: { code: 'WOULD_DISPLACE', message: expect.stringMatching(/: 1\.$/) },
      displaces: [1],
      withoutPlace: [1],
      // From 2:00 to 4:00 lease 2 has one node left, so it must be over as well.
      firstPossibleStart: epoch + hours(3),
    });
    expect(await engine.submit('rehearseMaintenance', plan('DISPLACE', hours2), options)).toMatchObject({
      ...{ accepted: true, reason: null, displaces: [1], withoutPlace: [1] },
      firstPossibleStart: epoch + hours(3),
    });
    expect(await engine.submit('rehearseMaintenance', plan('REFUSE'), options)).toEqual({
      ...{ accepted: true, reason: null, displaces: [], withoutPlace: [], firstPossibleStart: null },
    });
    expect({ leases, maintenance, reservations }).toEqual(before);
    const later = { name: 'disks', nodes: [1, 2, 3], start: epoch + hours(3), end: epoch + hours(5) };
    const early = { ...later, start: later.start - 1, end: later.end - 1 };
    await expect(
      engine.submit('planMaintenance', { maintenance: early, collisions: 'REFUSE' }, options),
    ).rejects.toMatchObject({ code: 'WOULD_DISPLACE' });
    await engine.submit('planMaintenance', { maintenance: later, collisions: 'REFUSE' }, options);
  });

  test('say which leases lose a node that is drained, and when it can be drained', async () => {
    await using harness = new Harness({ nodes: 4 });
    const engine = await planned(harness);
    const drain = { node: 1, state: 'DRAINING', collisions: 'REFUSE' } as const;
    // Lease 2 finds other nodes.
    expect(await engine.submit('rehearseNodeState', drain, options)).toMatchObject({
      ...{ accepted: false, reason: { code: 'WOULD_DISPLACE' }, withoutPlace: [1] },
      firstPossibleStart: epoch + hours(1),
    });
    await harness.pass(hours(1), minutes(10));
    expect(harness.state(1)).toBe('ACTIVE');
    expect(await engine.submit('rehearseNodeState', drain, options)).toMatchObject({
      ...{ accepted: true, reason: null, withoutPlace: [], firstPossibleStart: null },
    });
    expect(await engine.submit('rehearseNodeState', { ...drain, state: 'DOWN' }, options)).toMatchObject({
      ...{ accepted: true, displaces: expect.arrayContaining([1]), withoutPlace: [1] },
    });
    expect(harness.database.nodeStates.size).toBe(0);
    expect(harness.state(1)).toBe('ACTIVE');
    await engine.submit('setNodeState', drain, options);
  });
});

describe('dry runs of changes that plan nothing', () => {
  test('say whether they would be refused, from a standby as well, and change nothing', async () => {
    await using harness = new Harness({ nodes: 2 });
    const { engine } = await harness.start();
    const standby = await harness.start();
    await engine.submit('request', bestEffort(minutes(30)), options);
    await engine.submit('request', reservationAt(epoch + hours(2), minutes(10)), options);
    const maintenance = { name: 'disks', nodes: [2], start: epoch + hours(5), end: epoch + hours(6) };
    await engine.submit('planMaintenance', { maintenance, collisions: 'REFUSE' }, options);
    await harness.pass(minutes(1), minutes(1));
    expect([harness.state(1), harness.state(2)]).toEqual(['ACTIVE', 'READY']);
    const stored = () => {
      const { leases, events, site, reservations, maintenance: kept } = harness.database;
      return structuredClone({ leases, events, site, reservations, kept });
    };
    const before = stored();
    const node = (hostname: string) => ({ hostname, capacity: { CPU: 100, Memory: 1024 } });
    const taken = before.site?.spec.nodes[0]?.hostname ?? '';
    for (const server of [engine, standby.engine]) {
      const first = { ends: [1], sooner: [], isComplete: true };
      expect(await server.submit('rehearseEnd', { leaseNumber: 1 }, options)).toEqual(first);
      expect(await server.submit('rehearseCancel', { leaseNumber: 1 }, options)).toEqual(first);
      expect(await server.submit('rehearseEndMaintenance', { name: 'disks' }, options)).toEqual({
        name: 'disks',
      });
      expect(await server.submit('rehearseAddNodes', { nodes: [node('new')] }, options)).toEqual({
        numbers: [3],
      });
      const renamed = { node: 1, labels: { rack: 'b' } };
      expect(await server.submit('rehearseUpdateNode', renamed, options)).toEqual({ node: 1 });
      await expect(server.submit('rehearseEnd', { leaseNumber: 2 }, options)).rejects.toMatchObject({
        ...{ code: 'INVALID_REQUEST', message: 'The machines of lease 2 are not running: it is READY.' },
      });
      await expect(server.submit('rehearseEnd', { leaseNumber: 9 }, options)).rejects.toMatchObject({
        ...{ code: 'LEASE_NOT_FOUND', message: 'Lease 9 does not exist.' },
      });
      await expect(server.submit('rehearseEndMaintenance', { name: 'x' }, options)).rejects.toMatchObject({
        code: 'MAINTENANCE_NOT_FOUND',
      });
      await expect(server.submit('rehearseAddNodes', { nodes: [node(taken)] }, options)).rejects.toMatchObject({
        code: 'NAME_TAKEN',
        path: ['nodes', '0', 'hostname'],
      });
      await expect(server.submit('rehearseRemoveNode', { node: 1 }, options)).rejects.toMatchObject({
        ...{ code: 'NODE_IN_USE', message: expect.stringMatching(/^Leases hold something on node 1\. /) },
      });
    }
    expect(stored()).toEqual(before);
  });
});

describe('maintenance', () => {
  const plan = (start: number, end: number) => ({
    maintenance: { name: 'disks', nodes: [1], start, end },
    collisions: 'REFUSE' as const,
  });

  test('is kept over a restart, and its node is used again when it is over', async () => {
    await using harness = new Harness({ nodes: 1 });
    const first = await harness.start();
    const planned = plan(epoch + minutes(5), epoch + minutes(30));
    expect(await first.engine.submit('planMaintenance', planned, options)).toEqual({
      ...{ name: 'disks', displaced: [] },
    });
    await first.engine.stop();
    const { engine } = await harness.start();
    await engine.submit('request', bestEffort(minutes(10)), options);
    await harness.pass(minutes(45), minutes(1));
    const active = harness.database.events.find(({ to }) => to === 'ACTIVE');
    expect(active?.at).toBe(epoch + minutes(30));
    expect(harness.state(1)).toBe('DONE');
  });

  test('ends before its time when told to', async () => {
    await using harness = new Harness({ nodes: 1 });
    const { engine } = await harness.start();
    await engine.submit('planMaintenance', plan(epoch + minutes(5), epoch + minutes(30)), options);
    await engine.submit('request', bestEffort(minutes(10)), options);
    await harness.pass(minutes(10), minutes(1));
    expect(await engine.submit('endMaintenance', { name: 'disks' }, options)).toEqual({ name: 'disks' });
    await settle();
    expect(harness.state(1)).toBe('ACTIVE');
    await expect(engine.submit('endMaintenance', { name: 'disks' }, options)).rejects.toMatchObject({
      code: 'MAINTENANCE_NOT_FOUND',
    });
  });
});

test.each([
  ['update', { leaseNumber: 1, update: { duration: 1 } }, { leaseNumber: 1, update: { duration: '1' } }],
  ['update', { leaseNumber: 1, update: { asFarAsPossible: true } }, { leaseNumber: 1, update: { colour: 1 } }],
  ['end', { leaseNumber: 1 }, { leaseNumber: 1.5 }],
  ['cancel', { leaseNumber: 1 }, null],
  ['discard', { leaseNumber: 1 }, { leaseNumber: '1' }],
  ['setNodeState', { node: 1, state: 'UP', collisions: 'REFUSE' }, { node: 1, state: 'up', collisions: 'REFUSE' }],
  [
    'planMaintenance',
    { maintenance: { name: 'm', nodes: [1], start: 1, end: 2 }, collisions: 'DISPLACE' },
    { maintenance: { name: 'm', nodes: ['1'], start: 1, end: 2 }, collisions: 'DISPLACE' },
  ],
  ['endMaintenance', { name: 'm' }, { name: 1 }],
  ['recoverAction', { actionId: 1, recovery: 'RETRY' }, { actionId: 1, recovery: 'FORGET' }],
])('a forwarded %s is recognized by its shape', (kind, good, bad) => {
  const forwarded = { kind, principal: 'x', idempotencyKey: null };
  expect(parseCommand({ ...forwarded, input: good })).toEqual({ ...forwarded, input: good });
  expect(parseCommand({ ...forwarded, input: bad })).toBeNull();
  expect(parseCommand({ ...forwarded, input: good, principal: 7 })).toBeNull();
  expect(parseCommand({ ...forwarded, input: good, idempotencyKey: 7 })).toBeNull();
  expect(parseCommand({ ...forwarded, kind: 'toString', input: good })).toBeNull();
});
