import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { ActionRecord } from '../../src/core/index.ts';
import { Dispatcher } from '../../src/engine/hosts/dispatcher.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import { noMetrics } from '../../src/engine/metrics.ts';
import type { ActionResult } from '../../src/engine/ports.ts';
import {
  bestEffort,
  epoch,
  Harness,
  hours,
  minutes,
  principal,
  ScriptedAdapter,
  settle,
  until,
} from '../support/engine-harness.ts';
import { ManualClock } from '../support/manual-clock.ts';

const never = (): Promise<ActionResult> => new Promise(() => {});
const done: ActionResult = { status: 'done' };

test('a host that never answers holds up nobody but its own lease', async () => {
  const dispatch = { ...defaultLimits.dispatch, concurrentCalls: 2 };
  await using harness = new Harness({ nodes: 20, limits: { dispatch } });
  const { engine, adapter } = await harness.start();
  adapter.answer = (_what, { target }) => (target.leaseId <= 5 ? never() : Promise.resolve(done));
  for (let count = 0; count < 8; count += 1)
    await engine.submit('request', bestEffort(minutes(10)), { principal });
  // Calls that take long do not count among those that may run at the same time.
  await harness.pass(10_000, 1_000);
  expect([6, 7, 8].map((id) => harness.database.actions.get(id)?.state)).toEqual([
    'SUCCEEDED',
    'SUCCEEDED',
    'SUCCEEDED',
  ]);
  expect(engine.status().problems).toEqual([]);
});

test('a host that never answers is given up in the end, and the lease fails with a reason', async () => {
  const dispatch = { ...defaultLimits.dispatch, callTimeout: 10_000, attempts: 2 };
  await using harness = new Harness({ nodes: 1, limits: { dispatch } });
  const { engine, adapter } = await harness.start();
  adapter.answer = (what) => (what === 'start' ? never() : Promise.resolve(done));
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(30_000, 500);
  expect(harness.database.leases.get(1)).toMatchObject({
    state: 'FAILED',
    reason: { code: 'ACTION_FAILED', message: expect.stringContaining('no answer within 10 s') },
  });
  expect(adapter.log.slice(0, 4)).toEqual(['start 1/1', 'start 1/1', 'destroy 1/1', 'start 2/1']);
});

test('a lease one of whose machines cannot be started fails whole, and all its nodes are free again', async () => {
  await using harness = new Harness({ nodes: 3 });
  const { engine, adapter } = await harness.start();
  adapter.answer = async (what, { target }) =>
    what === 'start' && target.leaseId === 1 && target.machine === 3
      ? { status: 'failed', reason: 'no space left' }
      : done;
  await engine.submit('request', bestEffort(hours(1), 3), { principal });
  await engine.submit('request', bestEffort(hours(1), 3), { principal });
  await until(() => harness.state(2) === 'ACTIVE');
  await settle();
  expect(harness.database.leases.get(1)).toMatchObject({
    state: 'FAILED',
    reason: { message: expect.stringMatching(/START of machine 3 of lease 1 on node 3: no space left/) },
  });
  expect(adapter.log.filter((call) => call.startsWith('destroy'))).toEqual([
    'destroy 1/1',
    'destroy 1/2',
    'destroy 1/3',
  ]);
  expect(harness.database.actions.get(1)).toMatchObject({ state: 'FAILED', outcome: { attempts: 1 } });
});

test('errors are tried again with growing waits, and failures that are answers are not', async () => {
  await using harness = new Harness();
  const { engine, adapter } = await harness.start();
  let failures = 2;
  adapter.answer = async () => {
    failures -= 1;
    if (failures >= 0) throw new Error('connection refused');
    return done;
  };
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(5_000, 100);
  expect(adapter.log).toEqual(['start 1/1', 'start 1/1', 'start 1/1']);
  expect(harness.database.actions.get(1)).toMatchObject({
    state: 'SUCCEEDED',
    outcome: { attempts: 3, error: null },
  });
  expect(harness.state(1)).toBe('ACTIVE');
});

test('an action that is still going is asked about until it is done, and is no new attempt', async () => {
  await using harness = new Harness();
  const { engine, adapter } = await harness.start();
  let asked = 0;
  adapter.answer = async () => {
    asked += 1;
    return asked < 4 ? { status: 'pending' } : done;
  };
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(5_000, 250);
  expect(asked).toBe(4);
  expect(new Set(adapter.calls.map(({ call }) => call.actionId)).size).toBe(1);
  expect(harness.database.actions.get(1)).toMatchObject({ state: 'SUCCEEDED', outcome: { attempts: 1 } });
});

test('cancelling a lease while its hosts still start it ends the start and destroys the machines', async () => {
  await using harness = new Harness();
  const { engine, adapter } = await harness.start();
  adapter.answer = (what) => (what === 'start' ? never() : Promise.resolve(done));
  await engine.submit('request', bestEffort(hours(1), 2), { principal });
  await settle();
  const [start] = adapter.calls;
  await engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await settle();
  expect(start?.call.signal.aborted).toBe(true);
  expect(adapter.log.slice(2)).toEqual(['destroy 1/1', 'destroy 1/2']);
  expect(harness.state(1)).toBe('CANCELLED');
  expect([...harness.database.actions.values()].map(({ kind, state }) => [kind, state])).toEqual([
    ['START', 'FAILED'],
    ['DESTROY', 'SUCCEEDED'],
  ]);
});

test('destroying one machine ends nothing that is for the others of its lease, and comes after it', async () => {
  const adapter = new ScriptedAdapter();
  let open = (): void => {};
  adapter.answer = (what, { target }) =>
    what === 'prepare' && target.machine === 1
      ? new Promise((resolve) => {
          open = () => resolve(done);
        })
      : Promise.resolve(done);
  const outcomes: unknown[] = [];
  const dispatcher = new Dispatcher({
    adapter,
    clock: new ManualClock(epoch),
    limits: defaultLimits.dispatch,
    log: pino({ level: 'silent' }),
    metrics: noMetrics,
    report: ({ outcome }) => outcomes.push([outcome?.actionId, outcome?.state]),
  });
  const action = (id: number, kind: ActionRecord['kind'], ...places: [machine: number, node: number][]) => ({
    ...{ id, kind, leaseId: 1, reservationId: null, at: epoch, deadline: null },
    targets: places.map(([machine, node]) => ({
      ...{ leaseId: 1, machine, node, toNode: null, capacity: {}, image: null },
    })),
  });
  // Machine 2 goes to another node once its image is there.
  dispatcher.add([action(1, 'PREPARE', [1, 1], [2, 2])]);
  await settle();
  dispatcher.add([action(2, 'DESTROY', [2, 2]), action(3, 'PREPARE', [2, 3])]);
  await settle();
  expect(adapter.log).toEqual(['prepare 1/1', 'prepare 1/2']);
  expect(adapter.calls[0]?.call.signal.aborted).toBe(false);
  open();
  await settle();
  expect(adapter.log.slice(2)).toEqual(['destroy 1/2', 'prepare 1/2']);
  expect(outcomes).toEqual([
    [1, 'SUCCEEDED'],
    [2, 'SUCCEEDED'],
    [3, 'SUCCEEDED'],
  ]);
  dispatcher.stop();
});

test('the actions of one lease run in order, those of others meanwhile', async () => {
  await using harness = new Harness({ nodes: 2 });
  const { engine, adapter } = await harness.start();
  let open = (): void => {};
  adapter.answer = (what, { target }) =>
    what === 'start' && target.leaseId === 1
      ? new Promise((resolve) => {
          open = () => resolve(done);
        })
      : Promise.resolve(done);
  await engine.submit('request', bestEffort(30_000), { principal });
  await engine.submit('request', bestEffort(30_000), { principal });
  await harness.pass(30_000, 10_000);
  expect(adapter.log).toEqual(['start 1/1', 'start 2/1', 'shutdown 2/1']);
  open();
  await settle();
  expect(adapter.log).toEqual(['start 1/1', 'start 2/1', 'shutdown 2/1', 'shutdown 1/1']);
});

test('a destruction that fails is recorded and hurts nobody', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  adapter.answer = async (what) => (what === 'destroy' ? { status: 'failed', reason: 'gone' } : done);
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(harness.state(1)).toBe('CANCELLED');
  expect(harness.state(2)).toBe('ACTIVE');
  expect(harness.database.actions.get(2)).toMatchObject({ kind: 'DESTROY', state: 'FAILED' });
});
