import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { type ActionRecord, defaultSchedulerConfig } from '../../src/core/index.ts';
import { Dispatcher } from '../../src/engine/hosts/dispatcher.ts';
import { HostLedger } from '../../src/engine/hosts/ledger.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import { noMetrics } from '../../src/engine/metrics.ts';
import { type ActionResult, StoreError } from '../../src/engine/ports.ts';
import {
  bestEffort,
  epoch,
  Harness,
  hours,
  minutes,
  principal,
  reservationAt,
  ScriptedAdapter,
  settle,
  until,
} from '../support/engine-harness.ts';
import { ManualClock } from '../support/manual-clock.ts';

const never = (): Promise<ActionResult> => new Promise(() => {});
const done: ActionResult = { status: 'done' };

/** A dispatcher of its own, and the outcomes that it reports. */
function dispatcherOn(ledger: HostLedger, adapter: ScriptedAdapter) {
  const outcomes: unknown[] = [];
  const dispatcher = new Dispatcher({
    adapter,
    ledger,
    clock: new ManualClock(epoch),
    limits: defaultLimits.dispatch,
    log: pino({ level: 'silent' }),
    metrics: noMetrics,
    report: ({ outcome }) => outcomes.push([outcome?.actionId, outcome?.state]),
    onReached: () => {},
    factsOf: async () => null,
  });
  return { dispatcher, outcomes };
}

/** An action for machines of lease 1 that fill their nodes. */
function action(id: number, kind: ActionRecord['kind'], ...places: [machine: number, node: number][]): ActionRecord {
  return {
    ...{ id, kind, leaseId: 1, reservationId: null, at: epoch, deadline: null },
    targets: places.map(([machine, node]) => ({
      ...{ leaseId: 1, machine, node, toNode: null, capacity: { CPU: 100 }, image: null },
    })),
  };
}

test('a host that never answers blocks only its own lease', async () => {
  const dispatch = { ...defaultLimits.dispatch, concurrentCalls: 2 };
  await using harness = new Harness({ nodes: 20, limits: { dispatch } });
  const { engine, adapter } = await harness.start();
  adapter.answer = (_what, { target }) => (target.leaseId <= 5 ? never() : Promise.resolve(done));
  for (let count = 0; count < 8; count += 1) await engine.submit('request', bestEffort(minutes(10)), { principal });
  // Calls that take long do not count among those that may run at the same time.
  await harness.pass(10_000, 1_000);
  expect([6, 7, 8].map((id) => harness.database.actions.get(id)?.state)).toEqual([
    'SUCCEEDED',
    'SUCCEEDED',
    'SUCCEEDED',
  ]);
  expect(engine.status().problems).toEqual([]);
});

test('a host that never answers times out, and its lease fails with a reason', async () => {
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

test('a lease fails as a whole when one of its machines cannot be started, and frees its nodes', async () => {
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

test('errors are retried with growing delays, and definite failures are not', async () => {
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

test('what a call printed before it failed is recorded, also while it is tried again', async () => {
  await using harness = new Harness();
  const { engine, adapter } = await harness.start();
  adapter.answer = async () => {
    throw Object.assign(new Error('took too long'), { output: 'x'.repeat(5_000) });
  };
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  const recorded = () => {
    const { message, outcome, state } = harness.database.actions.get(1) ?? {};
    return [state, message, outcome?.attempts, outcome?.output?.length];
  };
  const error = 'machine 1 on node 1: took too long';
  expect(recorded().slice(0, 2)).toEqual(['PENDING', error]);
  await harness.pass(60_000, 1_000);
  expect(recorded()).toEqual([
    'FAILED',
    `START of machine 1 of lease 1 on node 1: took too long (after 5 attempts)`,
    5,
    4_096,
  ]);
});

test('an action in progress is polled until it is done, which is not a new attempt', async () => {
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

test('destroying one machine does not end actions for other machines of its lease, and runs after them', async () => {
  const adapter = new ScriptedAdapter();
  let open = (): void => {};
  adapter.answer = (what, { target }) =>
    what === 'prepare' && target.machine === 1
      ? new Promise((resolve) => {
          open = () => resolve(done);
        })
      : Promise.resolve(done);
  const { dispatcher, outcomes } = dispatcherOn(new HostLedger(), adapter);
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

test('a machine that may be there after a restart is resumed before it is suspended again', async () => {
  const adapter = new ScriptedAdapter();
  const ledger = new HostLedger();
  ledger.know([{ number: 1, hostname: 'node-1', capacity: { CPU: 100 } }]);
  ledger.hold({ leaseId: 1, machine: 1, node: 1, capacity: { CPU: 100 } });
  const { dispatcher, outcomes } = dispatcherOn(ledger, adapter);
  dispatcher.add([action(1, 'RESUME', [1, 1]), action(2, 'SUSPEND', [1, 1])]);
  await settle();
  expect(adapter.log).toEqual(['resume 1/1', 'suspend 1/1']);
  expect(outcomes).toEqual([
    [1, 'SUCCEEDED'],
    [2, 'SUCCEEDED'],
  ]);
  dispatcher.stop();
});

test('a machine that is shut down before it could be resumed is removed', async () => {
  const adapter = new ScriptedAdapter();
  const ledger = new HostLedger();
  ledger.know([{ number: 1, hostname: 'node-1', capacity: { CPU: 100 } }]);
  const other = { leaseId: 2, machine: 1, node: 1, capacity: { CPU: 100 } };
  ledger.hold(other);
  ledger.beginRelease(other, 'SUSPEND', 0);
  const { dispatcher, outcomes } = dispatcherOn(ledger, adapter);
  dispatcher.add([action(1, 'RESUME', [1, 1])]);
  await settle();
  expect(adapter.log).toEqual([]);
  dispatcher.add([action(2, 'SHUTDOWN', [1, 1])]);
  await settle();
  expect(adapter.log).toEqual(['destroy 1/1']);
  expect(outcomes.slice(-2)).toEqual([
    [1, 'FAILED'],
    [2, 'SUCCEEDED'],
  ]);
  dispatcher.stop();
});

test('actions of one lease run in order, and in parallel to those of others', async () => {
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
  await settle();
  await harness.pass(30_000, 10_000);
  expect(adapter.log).toEqual(['start 1/1', 'start 2/1', 'shutdown 2/1']);
  open();
  // Its machine runs from now on.
  await harness.pass(30_000, 10_000);
  expect(adapter.log).toEqual(['start 1/1', 'start 2/1', 'shutdown 2/1', 'shutdown 1/1']);
});

test('a machine that cannot be destroyed occupies its node until it is gone', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  let stuck = true;
  adapter.answer = async (what) =>
    what === 'destroy' && stuck ? { status: 'failed', reason: 'the host says no' } : done;
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(30_000, 1_000);
  expect(adapter.log.filter((call) => call.startsWith('start'))).toEqual(['start 1/1']);
  expect(harness.database.actions.get(2)).toMatchObject({
    ...{ kind: 'DESTROY', state: 'PENDING' },
    message: 'not removed from node 1 yet: the host says no',
  });
  // The plan knows: the other lease does not begin before the node is free.
  expect(harness.database.actions.size).toBe(2);
  expect(harness.state(2)).toBe('READY');
  stuck = false;
  await harness.pass(120_000, 1_000);
  expect(harness.database.actions.get(2)).toMatchObject({ state: 'SUCCEEDED' });
  expect(adapter.log.at(-1)).toBe('start 2/1');
});

test('a machine is started only when the one before it has left the node', async () => {
  await using harness = new Harness({ nodes: 2 });
  const { engine, adapter } = await harness.start();
  let left = (): void => {};
  adapter.answer = (what, { target }) =>
    what === 'shutdown' && target.node === 1
      ? new Promise((resolve) => {
          left = () => resolve(done);
        })
      : Promise.resolve(done);
  await engine.submit('request', bestEffort(30_000, 2), { principal });
  await engine.submit('request', bestEffort(30_000, 2), { principal });
  await harness.pass(35_000, 5_000);
  // The node that is free is used at once.
  expect(adapter.log).toEqual(['start 1/1', 'start 1/2', 'shutdown 1/1', 'shutdown 1/2', 'start 2/2']);
  expect([harness.state(1), harness.state(2)]).toEqual(['DONE', 'ACTIVE']);
  left();
  await settle();
  expect(adapter.log.at(-1)).toBe('start 2/1');
  expect(harness.database.actions.get(3)).toMatchObject({ kind: 'START', state: 'SUCCEEDED', message: null });
});

test('a start that waits for its node for too long fails its lease', async () => {
  const dispatch = { ...defaultLimits.dispatch, actionTimeouts: { START: 20_000 } };
  await using harness = new Harness({ nodes: 1, limits: { dispatch } });
  const { engine, adapter } = await harness.start();
  adapter.answer = (what) => (what === 'shutdown' ? never() : Promise.resolve(done));
  await engine.submit('request', bestEffort(30_000), { principal });
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(60_000, 1_000);
  expect(harness.database.leases.get(2)).toMatchObject({
    state: 'FAILED',
    reason: {
      code: 'ACTION_FAILED',
      message: expect.stringContaining('node 1 is not free of machine 1 of lease 1 (SHUTDOWN) after 20 s'),
    },
  });
  expect(adapter.log).not.toContain('start 2/1');
});

test('after a restart a start still waits for unfinished actions of the previous server', async () => {
  await using harness = new Harness({ nodes: 1 });
  const first = await harness.start();
  const holdUp = ['shutdown'];
  const answer = (what: string) => (holdUp.includes(what) ? never() : Promise.resolve(done));
  first.adapter.answer = answer;
  await first.engine.submit('request', bestEffort(30_000), { principal });
  await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(31_000, 1_000);
  expect(first.adapter.log).toEqual(['start 1/1', 'shutdown 1/1']);
  first.store.kill();
  const second = harness.make();
  second.adapter.answer = answer;
  await second.engine.start();
  await settle();
  expect(second.adapter.log).toEqual(['shutdown 1/1']);
  holdUp.pop();
  await harness.pass(120_000, 1_000);
  expect(second.adapter.log.slice(-1)).toEqual(['start 2/1']);
});

describe('a start whose outcome was lost', () => {
  const lose = ({ database }: Harness): void => {
    const start = database.actions.get(1);
    if (start) database.actions.set(1, { ...start, state: 'PENDING', outcome: null });
  };
  const gaveUp = {
    ...{ kind: 'START', state: 'FAILED', message: 'given up: the machines are no longer wanted' },
  };

  test('is not repeated for a lease that is over', async () => {
    await using harness = new Harness({ nodes: 1 });
    const first = await harness.start();
    const { leaseNumber } = await first.engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    await first.engine.submit('cancel', { leaseNumber }, { principal });
    await settle();
    expect(first.adapter.log).toEqual(['start 1/1', 'destroy 1/1']);
    await first.engine.stop();
    lose(harness);
    const second = await harness.start();
    await harness.pass(5_000, 1_000);
    expect(second.adapter.log).toEqual([]);
    expect(harness.database.actions.get(1)).toMatchObject(gaveUp);
  });

  test('is not repeated for machines that have been suspended since', async () => {
    await using harness = new Harness({
      nodes: 1,
      engine: {
        scheduler: {
          ...defaultSchedulerConfig,
          ...{ suspension: 'all', preemption: 'ar-preempts-everything', overrideSuspendTime: 20_000 },
        },
      },
    });
    const first = await harness.start();
    first.adapter.answer = (what) =>
      what === 'suspend' && first.adapter.log.filter((line) => line.startsWith('suspend')).length > 1
        ? never()
        : Promise.resolve(done);
    const half = { CPU: 50, Memory: 512 };
    const request = { ...bestEffort(hours(1)), machines: [half, half] };
    await first.engine.submit('request', request, { principal });
    await first.engine.submit('request', reservationAt(epoch + minutes(5), minutes(5)), { principal });
    await harness.pass(minutes(5) - 1_000, 1_000);
    expect(first.adapter.log).toEqual(['start 1/1', 'start 1/2', 'suspend 1/2', 'suspend 1/1']);
    first.store.kill();
    lose(harness);
    const second = await harness.start();
    await settle();
    expect(second.adapter.log).toEqual(['start 1/1', 'suspend 1/1']);
    await harness.pass(minutes(2), 1_000);
    expect(second.adapter.log).toEqual(['start 1/1', 'suspend 1/1', 'start 2/1']);
    expect(harness.database.actions.get(1)).toMatchObject({ kind: 'START', state: 'SUCCEEDED' });
    second.store.kill();
    lose(harness);
    const third = await harness.start();
    await settle();
    expect(third.adapter.log).toEqual([]);
    expect(harness.database.actions.get(1)).toMatchObject(gaveUp);
  });

  test('is not repeated for machines that have been shut down since', async () => {
    const scheduler = { ...defaultSchedulerConfig, shutdownTime: 60_000 };
    await using harness = new Harness({ nodes: 1, engine: { scheduler } });
    const first = await harness.start();
    await first.engine.submit('request', bestEffort(minutes(10)), { principal });
    await harness.pass(minutes(10) + 5_000, 1_000);
    expect(first.adapter.log).toEqual(['start 1/1', 'shutdown 1/1']);
    expect(harness.state(1)).toBe('ACTIVE');
    first.store.kill();
    lose(harness);
    const second = await harness.start();
    await harness.pass(minutes(2), 1_000);
    expect(second.adapter.log).toEqual([]);
    expect(harness.database.actions.get(1)).toMatchObject(gaveUp);
    expect(harness.state(1)).toBe('DONE');
  });
});

test('concurrent calls to one node are limited, independently of other nodes', async () => {
  const dispatch = { ...defaultLimits.dispatch, concurrentCallsPerNode: 1 };
  await using harness = new Harness({
    limits: { dispatch },
    engine: {
      site: {
        name: 'two',
        spec: {
          resourceTypes: ['CPU', 'Memory'],
          nodes: [1, 2].map((number) => ({
            ...{ number, hostname: `node-${number}`, capacity: { CPU: 200, Memory: 2048 } },
          })),
        },
      },
    },
  });
  const { engine, adapter } = await harness.start();
  const finish: (() => void)[] = [];
  adapter.answer = () => new Promise((resolve) => finish.push(() => resolve(done)));
  await engine.submit('request', bestEffort(hours(1), 4), { principal });
  await settle();
  const places = () => adapter.calls.map(({ call: { target } }) => target.node).sort();
  expect(places()).toEqual([1, 2]);
  for (const each of finish.splice(0)) each();
  await settle();
  expect(places()).toEqual([1, 1, 2, 2]);
});

test('hosts receive the name, owner, project and times of a lease, and most of it even after its end', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  const facts = { name: 'nightly build', owner: 'ada', project: 3 };
  await engine.submit('request', { ...bestEffort(minutes(1)), ...facts }, { principal });
  await harness.pass(minutes(2), 1_000);
  expect(adapter.calls.map(({ what, call: { lease } }) => [what, lease])).toEqual([
    ['start', { ...facts, start: epoch, end: epoch + minutes(1) }],
    ['shutdown', { ...facts, start: null, end: null }],
  ]);
});

describe('a lease that ended before the server was started', () => {
  /** Its machine is still being removed when the first server dies. */
  async function endedLease() {
    const harness = new Harness({ nodes: 1 });
    const first = await harness.start();
    first.adapter.answer = (what) => (what === 'destroy' ? never() : Promise.resolve(done));
    const request = { ...bestEffort(hours(1)), name: 'nightly build', owner: 'ada' };
    const { leaseNumber } = await first.engine.submit('request', request, { principal });
    await settle();
    await first.engine.submit('cancel', { leaseNumber }, { principal });
    await settle();
    first.store.kill();
    return harness;
  }

  test('is read from the store, once, for what hosts are told of it', async () => {
    await using harness = await endedLease();
    const { adapter, engine, store } = harness.make();
    let failures = 2;
    adapter.answer = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('connection refused');
      return done;
    };
    await engine.start();
    await harness.pass(5_000, 100);
    expect(adapter.calls.map(({ what, call: { lease } }) => [what, lease])).toEqual(
      Array.from({ length: 3 }, () => [
        'destroy',
        { name: 'nightly build', owner: 'ada', project: null, start: null, end: null },
      ]),
    );
    expect(store.calls.filter((call) => call === 'leaseFacts')).toEqual(['leaseFacts']);
  });

  test('is removed all the same when it cannot be read', async () => {
    await using harness = await endedLease();
    const { adapter, engine, store } = harness.make();
    store.failing = (call) => (call === 'leaseFacts' ? new StoreError('TRANSIENT', 'no connection') : null);
    await engine.start();
    await settle();
    expect(adapter.calls.map(({ what, call: { lease } }) => [what, lease])).toEqual([['destroy', undefined]]);
    expect(harness.database.actions.get(2)).toMatchObject({ kind: 'DESTROY', state: 'SUCCEEDED' });
  });
});
