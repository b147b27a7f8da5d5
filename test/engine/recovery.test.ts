import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { schedulerWith } from '../../src/engine/index.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import { createEngineMetrics } from '../../src/engine/metrics.ts';
import type { CommitBatch } from '../../src/engine/ports.ts';
import {
  bestEffort,
  Harness,
  hours,
  minutes,
  principal,
  reservationAt,
  settle,
  until,
} from '../support/engine-harness.ts';
import { ManualClock } from '../support/manual-clock.ts';

const value = async (registry: Registry, name: string): Promise<number | undefined> =>
  (await registry.getMetricsAsJSON()).find((metric) => metric.name === name)?.values[0]?.value;

test('after a stop and a start the state is unchanged, and missed events are handled in order', async () => {
  await using harness = new Harness({ nodes: 1 });
  const first = await harness.start();
  const start = harness.clock.now();
  for (let count = 0; count < 3; count += 1)
    await first.engine.submit('request', bestEffort(minutes(10)), { principal });
  await first.engine.submit('request', reservationAt(start + hours(1), minutes(10)), { principal });
  await settle();
  await first.engine.stop();
  harness.clock.advance(hours(5));

  const second = await harness.start();
  await settle();
  await harness.pass(hours(1), minutes(5));
  expect([1, 2, 3, 4].map((lease) => harness.state(lease))).toEqual(['DONE', 'DONE', 'DONE', 'DONE']);
  const times = harness.database.events.map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const started = harness.database.events.filter(({ to }) => to === 'ACTIVE');
  // What was planned ran as planned; the queue was planned anew once the server was back.
  expect(started.find(({ leaseId }) => leaseId === 4)?.at).toBe(start + hours(1));
  expect(second.engine.status()).toMatchObject({ role: 'writer', problems: [], epoch: 2 });
});

test('after a kill between commit and dispatch the next server dispatches', async () => {
  await using harness = new Harness();
  const first = await harness.start();
  first.store.afterCommit = ({ changes }) => {
    if (changes.actions.length === 0) return Promise.resolve();
    first.store.kill();
    return new Promise(() => {});
  };
  void first.engine.submit('request', bestEffort(hours(1)), { principal }).catch(() => {});
  await until(() => harness.database.actions.size > 0);
  expect(first.adapter.log).toEqual([]);
  const second = await harness.start();
  await settle();
  expect(second.adapter.log).toEqual(['start 1/1']);
  expect(harness.database.actions.get(1)?.state).toBe('SUCCEEDED');
});

test('after a kill between dispatch and the record of its outcome the next server dispatches again', async () => {
  await using harness = new Harness();
  const first = await harness.start();
  first.store.beforeCommit = ({ outcomes }) => {
    if (outcomes.length === 0) return Promise.resolve();
    first.store.kill();
    return new Promise(() => {});
  };
  await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(first.adapter.log).toEqual(['start 1/1']);
  expect(harness.database.actions.get(1)?.state).toBe('PENDING');
  const second = await harness.start();
  await settle();
  expect(second.adapter.log).toEqual(['start 1/1']);
  expect(harness.database.actions.get(1)?.state).toBe('SUCCEEDED');
});

test('no action is dispatched before the commit that records it', async () => {
  await using harness = new Harness();
  const { engine, store, adapter } = await harness.start();
  const recorded = new Set<number>();
  store.afterCommit = async ({ changes }: CommitBatch) => {
    for (const { id } of changes.actions) recorded.add(id);
  };
  const unrecorded: number[] = [];
  adapter.answer = async (_what, { actionId }) => {
    if (!recorded.has(actionId)) unrecorded.push(actionId);
    return { status: 'done' };
  };
  for (let count = 0; count < 10; count += 1) await engine.submit('request', bestEffort(minutes(1)), { principal });
  await harness.pass(minutes(10), minutes(1));
  expect(adapter.calls).toHaveLength(20);
  expect(unrecorded).toEqual([]);
});

test('inconsistent rows are left out and logged, and do not stop the rest', async () => {
  await using harness = new Harness({ nodes: 2 });
  const first = await harness.start();
  const start = harness.clock.now() + hours(1);
  for (let count = 0; count < 3; count += 1) {
    await first.engine.submit('request', reservationAt(start + hours(count), minutes(30)), { principal });
  }
  await settle();
  await first.engine.stop();
  // Lease 2 is moved onto lease 1's node and time; a reservation belongs to nobody.
  const reservations = [...harness.database.reservations.values()];
  const [one] = reservations.filter(({ leaseId, kind }) => leaseId === 1 && kind === 'VM');
  for (const each of reservations.filter(({ leaseId }) => leaseId === 2)) {
    if (one)
      harness.database.reservations.set(each.id, {
        ...each,
        start: one.start,
        end: one.end,
        amounts: one.amounts,
      });
  }
  if (one) {
    harness.database.reservations.set(1000, { ...one, id: 1000, leaseId: 77 });
  }
  const registry = new Registry();
  const { engine } = await harness.start({ engine: { metrics: createEngineMetrics(registry) } });
  expect(engine.status().problems).toEqual([]);
  expect(await value(registry, 'leasegraph_quarantined_rows')).toBeGreaterThanOrEqual(2);
  expect(await value(registry, 'leasegraph_live_leases')).toBe(2);
  await harness.pass(hours(4), minutes(10));
  expect([1, 2, 3].map((lease) => harness.state(lease))).toEqual(['DONE', 'READY', 'DONE']);
  const quarantined = {
    code: 'LEASE_QUARANTINED',
    message:
      'Lease 2 is left out, because what is stored of it is not sound. An operator can see why with "leasegraph check", and give the lease up with "leasegraph discard 2".',
    retryable: false,
  };
  const refusalOf = (answer: Promise<unknown>): Promise<unknown> => answer.catch((error: unknown) => error);
  const update = { duration: hours(1) };
  expect(await refusalOf(engine.submit('cancel', { leaseNumber: 2 }, { principal }))).toMatchObject(quarantined);
  expect(await refusalOf(engine.submit('update', { leaseNumber: 2, update }, { principal }))).toMatchObject(
    quarantined,
  );
  expect(await refusalOf(engine.submit('waiting', { leaseNumber: 2 }, { principal }))).toMatchObject(quarantined);
  // Neither a lease that has ended nor one that never was is quarantined.
  for (const [leaseNumber, code] of [
    [1, 'LEASE_ENDED'],
    [77, 'LEASE_NOT_FOUND'],
  ] as const)
    expect(await refusalOf(engine.submit('cancel', { leaseNumber }, { principal }))).toMatchObject({ code });
});

test('a lease that the core refuses to take is left out alone', async () => {
  await using harness = new Harness({ nodes: 4 });
  const first = await harness.start();
  const start = harness.clock.now() + hours(1);
  for (let count = 0; count < 4; count += 1)
    await first.engine.submit('request', reservationAt(start, hours(1)), { principal });
  await settle();
  await first.engine.stop();
  const lease = harness.database.leases.get(2);
  // A type of resource that the site does not have.
  if (lease) harness.database.leases.set(2, { ...lease, machines: [{ Quantum: 3 }] });
  const { engine } = await harness.start();
  expect(engine.status().problems).toEqual([]);
  await harness.pass(hours(3), minutes(10));
  expect([1, 2, 3, 4].map((number) => harness.state(number))).toEqual(['DONE', 'READY', 'DONE', 'DONE']);
});

test('machines of a lease that is left out are only destroyed, not started', async () => {
  await using harness = new Harness({ nodes: 4 });
  const first = await harness.start();
  first.adapter.answer = () => new Promise(() => {});
  for (let count = 0; count < 3; count += 1) await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await first.engine.submit('cancel', { leaseNumber: 3 }, { principal });
  await settle();
  await first.engine.stop();
  for (const number of [2, 3]) {
    const lease = harness.database.leases.get(number);
    if (lease) harness.database.leases.set(number, { ...lease, state: 'ACTIVE', machines: [] });
  }
  const second = await harness.start();
  await settle();
  expect(second.adapter.log.sort()).toEqual(['destroy 3/1', 'start 1/1']);
});

test('finished leases leave the core, and the snapshot does not grow with them', async () => {
  await using harness = new Harness({ nodes: 50 });
  const registry = new Registry();
  const { engine } = await harness.start({ engine: { metrics: createEngineMetrics(registry) } });
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      Array.from({ length: 50 }, () => engine.submit('request', bestEffort(minutes(1)), { principal })),
    );
    await harness.pass(minutes(2), minutes(1));
  }
  expect(harness.database.leases.size).toBe(1_000);
  expect(await value(registry, 'leasegraph_live_leases')).toBe(0);
});

test('old events are deleted in small batches; EVENTS_EXPIRED names the oldest that is kept', async () => {
  await using harness = new Harness({
    limits: { retentionBatch: 7, retentionInterval: 1_000 },
    engine: { retention: { events: hours(1) } },
  });
  const { engine, store } = await harness.start({
    limits: { retentionBatch: 7, retentionInterval: 1_000, eventRing: 4 },
  });
  for (let count = 0; count < 10; count += 1) await engine.submit('request', bestEffort(minutes(1)), { principal });
  await harness.pass(minutes(30), minutes(1));
  const last = harness.database.events.at(-1)?.sequence ?? 0;
  expect(harness.database.events).toHaveLength(last);
  await harness.pass(hours(2), minutes(10));
  await engine.submit('request', bestEffort(minutes(1)), { principal });
  await settle();
  expect(store.calls.filter((call) => call === 'deleteEventsBefore').length).toBeGreaterThan(last / 7);
  const oldest = harness.database.events[0]?.sequence;
  // The newest event stays, however old.
  expect(oldest).toBe(last);
  await expect(engine.events({ after: 3 }).next()).rejects.toMatchObject({
    code: 'EVENTS_EXPIRED',
    message: expect.stringContaining(`${oldest}`),
  });
  expect(await engine.events({ after: last - 1 }).next()).toMatchObject({ value: { sequence: last } });
});

test('the difference between the clocks is measured and warned about', async () => {
  await using harness = new Harness();
  const registry = new Registry();
  const warnings: unknown[] = [];
  const { pino } = await import('pino');
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
  harness.database.skew = -2_500;
  await harness.start({ engine: { metrics: createEngineMetrics(registry), log } });
  await settle();
  expect(await value(registry, 'leasegraph_clock_skew_seconds')).toBe(-2.5);
  expect(warnings).toMatchObject([{ skew: -2_500 }]);
});

test('a database that cannot be used at the start is an error at once', async () => {
  await using harness = new Harness();
  harness.database.down = true;
  const { engine } = harness.make();
  await expect(engine.start()).rejects.toMatchObject({ name: 'StoreError', kind: 'TRANSIENT' });
  expect(engine.status().role).toBe('stopped');
});

test('adapters that keep state are asked about running machines; a lease whose machine is gone fails', async () => {
  await using harness = new Harness({ nodes: 4 });
  const first = await harness.start();
  for (let count = 0; count < 3; count += 1) {
    await first.engine.submit('request', bestEffort(hours(1)), { principal });
  }
  await first.engine.submit('request', bestEffort(minutes(1)), { principal });
  await settle();
  await first.engine.stop();
  harness.clock.advance(minutes(2));

  const second = harness.make();
  second.adapter.remembers = true;
  const asked: number[] = [];
  second.adapter.inspect = async ({ leaseId }) => {
    asked.push(leaseId);
    if (leaseId === 1) return 'running';
    if (leaseId === 3) throw new Error('no route to host');
    return 'absent';
  };
  await second.engine.start();
  await settle();
  // Lease 4 should have ended meanwhile, and does.
  expect(asked).toEqual([1, 2, 3, 4]);
  expect([1, 2, 3, 4].map((lease) => harness.state(lease))).toEqual(['ACTIVE', 'FAILED', 'ACTIVE', 'DONE']);
  expect(harness.database.leases.get(2)?.reason).toEqual({
    code: 'MACHINE_LOST',
    message: 'machine 1 on node 2 should be running, but is absent',
  });
});

test('a machine that is being shut down is not reported as lost', async () => {
  await using harness = new Harness({
    nodes: 1,
    limits: { dispatch: { ...defaultLimits.dispatch, callTimeout: hours(1) } },
    engine: { scheduler: { ...defaultSchedulerConfig, shutdownTime: minutes(1) } },
  });
  const first = await harness.start();
  await first.engine.submit('request', bestEffort(minutes(10)), { principal });
  await settle();
  await first.engine.stop();

  const second = harness.make();
  second.adapter.remembers = true;
  let say: (status: 'stopped') => void = () => {};
  second.adapter.inspect = () =>
    new Promise((resolve) => {
      say = resolve;
    });
  second.adapter.answer = () => new Promise(() => {});
  await second.engine.start();
  await harness.pass(minutes(9), minutes(9));
  await harness.pass(minutes(1) + 1_000);
  expect(second.adapter.log).toEqual(['shutdown 1/1']);
  say('stopped');
  await settle();
  expect(harness.state(1)).toBe('ACTIVE');
});

test('keys, finished actions and commands are deleted when they are old, and not before', async () => {
  const registry = new Registry();
  await using harness = new Harness({
    nodes: 1,
    limits: { retentionBatch: 2, retentionInterval: 1_000 },
    engine: { retention: { actions: hours(2), idempotencyKeys: hours(4) } },
  });
  const { engine } = await harness.start({
    engine: {
      metrics: createEngineMetrics(registry),
      retention: { actions: hours(2), idempotencyKeys: hours(4) },
    },
  });
  const standby = await harness.start();
  const { database } = harness;
  const request = (key: string) => engine.submit('request', bestEffort(minutes(1)), { principal, idempotencyKey: key });
  for (const key of ['a', 'b', 'c']) await request(key);
  await standby.engine.submit('request', bestEffort(hours(5)), { principal });
  // The server that would fetch this answer has died.
  database.commands.set('left', { payload: {}, answer: { value: {} } });
  database.writtenAt.set('left', database.time);
  await harness.pass(minutes(9), minutes(1));
  expect([database.idempotencyKeys.size, database.commands.size]).toEqual([3, 1]);
  expect(database.actions.size).toBeGreaterThan(3);
  await harness.pass(minutes(5), minutes(1));
  expect(database.commands.size).toBe(0);
  await harness.pass(hours(2), minutes(5));
  // The lease that still runs was started, and must be stopped.
  expect([...database.actions.values()].filter(({ outcome }) => outcome !== null)).toEqual([]);
  expect((await request('b')).leaseNumber).toBe(2);
  await harness.pass(hours(2), minutes(5));
  expect(database.idempotencyKeys.size).toBe(0);
  expect((await request('b')).leaseNumber).toBe(5);
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('leasegraph_expired_total{what="idempotencyKeys"} 3');
  expect(lines).toContain('leasegraph_expired_total{what="commands"} 1');
});

test("a clock of this machine that was set makes no key old: keys bear the database's time", async () => {
  await using harness = new Harness({
    limits: { retentionInterval: 1_000 },
    engine: { retention: { idempotencyKeys: hours(4) } },
  });
  const { engine } = await harness.start();
  const { database } = harness;
  const request = () => engine.submit('request', bestEffort(minutes(1)), { principal, idempotencyKey: 'key' });
  await request();
  const tenYears = 3_652 * hours(24);
  harness.clock.set(harness.clock.wall() + tenYears);
  database.skew = -tenYears;
  await harness.pass(hours(3), minutes(30));
  expect(await request()).toEqual({ leaseNumber: 1 });
  await harness.pass(hours(2), minutes(30));
  expect(database.idempotencyKeys.size).toBe(0);
});

test('a re-evaluation round that was due when the server died is made by its successor', async () => {
  await using harness = new Harness({
    nodes: 1,
    // One lease per slice, one slice per turn.
    limits: { slice: 0, maxSlicesPerTurn: 1 },
    engine: {
      scheduler: { ...defaultSchedulerConfig, backfilling: 'conservative' },
      restore: schedulerWith(),
    },
  });
  const { engine, store } = await harness.start();
  for (let count = 0; count < 4; count += 1) await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  const begun = harness.clock.now();
  const planned = () => [2, 3, 4].map((lease) => harness.database.leases.get(lease)?.plannedStart);
  expect(planned()).toEqual([1, 2, 3].map((count) => begun + hours(count)));
  // It dies with the commit of the turn that gave the node back.
  store.afterCommit = () => {
    store.kill();
    return new Promise(() => {});
  };
  const cancelled = engine.submit('cancel', { leaseNumber: 1 }, { principal });
  cancelled.catch(() => {});
  await until(() => harness.state(1) === 'CANCELLED');
  expect(planned().at(-1)).toBe(begun + hours(3));
  await harness.start();
  await settle();
  expect(harness.state(2)).toBe('ACTIVE');
  expect(planned().slice(1)).toEqual([begun + hours(1), begun + hours(2)]);
});

test('time continues after the last event, even if no lease lives and the wall clock was set back', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  await engine.submit('request', bestEffort(minutes(10)), { principal });
  await harness.pass(minutes(10));
  expect(harness.state(1)).toBe('DONE');
  const last = harness.database.events.at(-1)?.at ?? Number.NaN;
  await engine.stop();
  const setBack = new ManualClock(last - hours(1));
  const { engine: second } = await harness.start({ engine: { clock: setBack } });
  expect(second.now()).toBe(last);
});

test('discarded leases fail, and nothing starts in their place before their machines are gone', async () => {
  await using harness = new Harness({ nodes: 1 });
  const first = await harness.start();
  await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(harness.state(1)).toBe('ACTIVE');
  await first.engine.stop();
  const reservation = [...harness.database.reservations.values()].find(({ kind }) => kind === 'VM');
  if (reservation) harness.database.reservations.set(reservation.id, { ...reservation, amounts: {} });
  const { adapter, engine } = await harness.start();
  expect(harness.database.quarantined).toEqual([1]);
  let destroyed = (): void => {};
  adapter.answer = (what) =>
    what === 'destroy'
      ? new Promise((resolve) => {
          destroyed = () => resolve({ status: 'done' });
        })
      : Promise.resolve({ status: 'done' });
  const following = engine.events({ after: engine.lastEvent() })[Symbol.asyncIterator]();
  await Promise.all([
    engine.submit('discard', { leaseNumber: 1 }, { principal }),
    expect(engine.submit('discard', { leaseNumber: 1 }, { principal })).rejects.toMatchObject({
      code: 'LEASE_ENDED',
    }),
  ]);
  expect((await following.next()).value).toMatchObject({
    ...{ leaseId: 1, from: 'ACTIVE', to: 'FAILED' },
    reason: { code: 'DISCARDED' },
  });
  await following.return?.();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(adapter.log).toEqual(['destroy 1/1']);
  destroyed();
  await settle();
  expect(adapter.log).toEqual(['destroy 1/1', 'start 2/1']);
  expect([harness.state(1), harness.state(2)]).toEqual(['FAILED', 'ACTIVE']);
  expect(harness.database.quarantined).toEqual([]);
  for (const [leaseNumber, code] of [
    [1, 'LEASE_ENDED'],
    [2, 'LEASE_NOT_QUARANTINED'],
    [9, 'LEASE_NOT_FOUND'],
  ] as const)
    await expect(engine.submit('discard', { leaseNumber }, { principal })).rejects.toMatchObject({ code });
});

test('a lease whose discarding cannot be written stays quarantined', async () => {
  await using harness = new Harness({ nodes: 1 });
  const first = await harness.start();
  await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await first.engine.stop();
  const lease = harness.database.leases.get(1);
  if (lease) harness.database.leases.set(1, { ...lease, duration: 0 });
  const { engine, store } = await harness.start();
  store.commitFault = ({ changes }) => (changes.discarded ? 'permanent' : null);
  const discard = () => engine.submit('discard', { leaseNumber: 1 }, { principal });
  await expect(discard()).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(harness.state(1)).toBe('ACTIVE');
  store.commitFault = () => null;
  expect(await discard()).toEqual({ leaseNumber: 1 });
  expect(harness.state(1)).toBe('FAILED');
});
