import { describe, expect, test } from 'vitest';
import { defaultSchedulerConfig, type SchedulerConfig } from '../../src/core/index.ts';
import type { NoticeRecord } from '../../src/engine/ports.ts';
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
const notices = { endNotice: minutes(10), maintenanceNotice: hours(1) };
const at = (minute: number): string => new Date(epoch + minutes(minute)).toISOString();

const harnessOf = (nodes: number) => new Harness({ nodes, engine: { notices } });

/** `minute kind lease|node`, and what else a notice says in numbers. */
const story = (records: readonly NoticeRecord[]): string[] =>
  records.map(({ at: instant, kind, leaseId, node, maintenance }) =>
    [(instant - epoch) / minutes(1), kind, leaseId ?? node ?? maintenance].join(' '),
  );

describe('a lease that ends soon', () => {
  test('is announced as set by the site or the lease, or not at all', async () => {
    await using harness = harnessOf(3);
    const { engine } = await harness.start();
    await engine.submit('request', bestEffort(hours(1)), options);
    await engine.submit('request', { ...bestEffort(hours(1)), endNotice: minutes(25) }, options);
    await engine.submit('request', { ...bestEffort(hours(1)), endNotice: 0 }, options);
    await harness.pass(hours(2), minutes(1));
    expect(story(harness.database.notices)).toEqual(['35 LEASE_ENDS_SOON 2', '50 LEASE_ENDS_SOON 1']);
    expect(harness.database.notices[1]).toEqual({
      sequence: 2,
      at: epoch + minutes(50),
      kind: 'LEASE_ENDS_SOON',
      leaseId: 1,
      project: null,
      node: null,
      maintenance: null,
      message: `The machines of lease 1 stop at ${at(60)}.`,
      reason: null,
      facts: { end: epoch + minutes(60) },
    });
  });

  test('is announced when it starts if it is shorter than its end notice', async () => {
    await using harness = harnessOf(1);
    const { engine } = await harness.start();
    await engine.submit('request', reservationAt(epoch + minutes(5), minutes(3)), options);
    await harness.pass(minutes(20), minutes(1));
    expect(story(harness.database.notices)).toEqual(['5 LEASE_ENDS_SOON 1']);
  });

  test('is announced again when its end changes, and not when it stays', async () => {
    await using harness = harnessOf(1);
    const { engine } = await harness.start();
    await engine.submit('request', bestEffort(hours(1)), options);
    const update = (terms: { duration?: number; endNotice?: number }) =>
      engine.submit('update', { leaseNumber: 1, update: terms }, options);
    await harness.pass(minutes(52), minutes(1));
    await update({ duration: minutes(58) });
    await update({ endNotice: minutes(20) });
    await harness.pass(minutes(2), minutes(1));
    await update({ duration: minutes(90) });
    await harness.pass(hours(1), minutes(1));
    expect(story(harness.database.notices)).toEqual([
      '50 LEASE_ENDS_SOON 1',
      '52 LEASE_ENDS_SOON 1',
      '70 LEASE_ENDS_SOON 1',
    ]);
    expect(harness.database.notices.map(({ facts }) => facts.end)).toEqual(
      [60, 58, 90].map((minute) => epoch + minutes(minute)),
    );
  });

  test('is not announced before it is suspended', async () => {
    const scheduler: SchedulerConfig = {
      ...defaultSchedulerConfig,
      suspension: 'all',
      preemption: 'ar-preempts-everything',
    };
    await using harness = new Harness({ nodes: 1, engine: { notices, scheduler } });
    const { engine } = await harness.start();
    await engine.submit('request', bestEffort(hours(1)), options);
    await settle();
    await engine.submit('request', reservationAt(epoch + minutes(30), minutes(30)), options);
    await harness.pass(hours(3), minutes(1));
    const ofFirst = harness.database.notices.filter(({ leaseId }) => leaseId === 1);
    expect(ofFirst.map(({ kind }) => kind)).toEqual(['LEASE_PREEMPTED', 'LEASE_ENDS_SOON']);
    expect(ofFirst[0]?.reason).toMatchObject({ code: 'PREEMPTED', data: { preemptor: 2 } });
    expect(ofFirst[1]?.facts.end).toBeGreaterThan(epoch + minutes(90));
  });
});

describe('notices of nodes', () => {
  test('report displaced and failed leases, and the recovery', async () => {
    await using harness = harnessOf(3);
    const { engine } = await harness.start();
    const nodeOf = (lease: number): number => harness.database.leases.get(lease)?.mapping?.[1] ?? 0;
    const set = async (node: number, state: 'UP' | 'DRAINING' | 'DOWN') => {
      await engine.submit('setNodeState', { node, state, collisions: 'DISPLACE' }, options);
      await settle();
    };
    await engine.submit('request', { ...bestEffort(hours(5)), project: 7, endNotice: 0 }, options);
    await engine.submit('request', reservationAt(epoch + minutes(10), hours(2)), options);
    await settle();
    const [first, second] = [nodeOf(1), nodeOf(2)];
    const third = 6 - first - second;
    await set(second, 'DOWN');
    expect(nodeOf(2)).toBe(third);
    await set(third, 'DRAINING');
    await set(first, 'DOWN');
    await set(second, 'UP');
    await harness.pass(minutes(15), minutes(5));
    expect(harness.state(2)).toBe('ACTIVE');
    await set(first, 'UP');
    await set(first, 'DRAINING');
    await set(second, 'DOWN');
    expect(story(harness.database.notices)).toEqual([
      `0 NODE_DOWN ${second}`,
      '0 LEASE_MOVED 2',
      '0 LEASE_DISPLACED 2',
      `0 NODE_DOWN ${first}`,
      '0 LEASE_DISPLACED 1',
      `0 NODE_UP ${second}`,
      '0 LEASE_MOVED 2',
      `15 NODE_UP ${first}`,
      `15 NODE_DOWN ${second}`,
      // Its plan was to follow lease 2 there.
      '15 LEASE_DISPLACED 1',
      '15 LEASE_FAILED 2',
    ]);
    const messages = harness.database.notices.map(({ message }) => message);
    expect(messages).toEqual([
      `Node ${second} is down.`,
      `Lease 2 was moved: node ${second} has failed.`,
      `Lease 2 has lost its place: nothing new starts on node ${third}.`,
      `Node ${first} is down.`,
      `Lease 1 has lost its place: node ${first} has failed.`,
      `Node ${second} is back.`,
      'Lease 2 has a place again.',
      `Node ${first} is back.`,
      `Node ${second} is down.`,
      `Lease 1 has lost its place: node ${second} has failed.`,
      `Lease 2 has failed: node ${second} has failed.`,
    ]);
    expect(harness.database.notices[4]).toMatchObject({ leaseId: 1, project: 7, facts: {} });
    const start = epoch + minutes(10);
    expect(harness.database.notices[1]?.facts).toEqual({ previousStart: start, start });
  });

  test('announce a maintenance once, even if it is planned within the notice', async () => {
    await using harness = harnessOf(3);
    const { engine } = await harness.start();
    const plan = (name: string, node: number, start: number) =>
      engine.submit(
        'planMaintenance',
        {
          maintenance: {
            name,
            nodes: [node],
            start: epoch + minutes(start),
            end: epoch + minutes(start + 30),
          },
          collisions: 'REFUSE',
        },
        options,
      );
    await plan('far', 1, 180);
    await plan('near', 2, 30);
    await plan('ended', 3, 120);
    await engine.submit('endMaintenance', { name: 'ended' }, options);
    await harness.pass(hours(5), minutes(1));
    expect(story(harness.database.notices)).toEqual(['0 MAINTENANCE_SOON near', '120 MAINTENANCE_SOON far']);
    expect(harness.database.notices[1]).toMatchObject({
      message: `Maintenance of node 1 begins at ${at(180)}.`,
      facts: { start: epoch + minutes(180), end: epoch + minutes(210), nodes: [1] },
    });
  });
});

test('a lease that an extension of another one moves is announced', async () => {
  await using harness = harnessOf(1);
  const { engine } = await harness.start();
  await engine.submit('request', { ...bestEffort(hours(1)), endNotice: 0 }, options);
  await engine.submit('request', { ...bestEffort(hours(1)), endNotice: 0 }, options);
  await settle();
  await engine.submit('update', { leaseNumber: 1, update: { duration: hours(3) } }, options);
  await settle();
  expect(harness.database.notices).toMatchObject([
    {
      kind: 'LEASE_MOVED',
      leaseId: 2,
      message: 'Lease 2 was moved and starts 2h later than planned: it was planned anew to make room for lease 1.',
      reason: { code: 'DISPLACED' },
      facts: { previousStart: epoch + hours(1), start: epoch + hours(3) },
    },
  ]);
});

test('the machines of a lease that start late are announced', async () => {
  await using harness = harnessOf(1);
  const { engine, adapter } = await harness.start();
  let start = (): void => {};
  adapter.answer = (what) =>
    what === 'start'
      ? new Promise((resolve) => {
          start = () => resolve({ status: 'done' });
        })
      : Promise.resolve({ status: 'done' });
  await engine.submit('request', bestEffort(hours(1)), options);
  await harness.pass(minutes(4), minutes(1));
  start();
  await settle();
  expect(story(harness.database.notices)).toEqual(['4 LEASE_LATE 1']);
  expect(harness.database.notices[0]).toMatchObject({
    message: 'Lease 1 started 4m later than planned: its hosts take longer.',
    facts: { previousStart: epoch, start: epoch + minutes(4) },
  });
});

describe('after a crash', () => {
  test.each([0, 49, 50, 51])('at minute %i a notice is given once', async (minute) => {
    await using harness = harnessOf(1);
    const { engine, store } = await harness.start();
    await engine.submit('request', bestEffort(hours(1)), options);
    await settle();
    await harness.pass(minutes(minute), minutes(1));
    store.kill();
    await harness.start();
    await harness.pass(minutes(60 - minute), minutes(1));
    expect(story(harness.database.notices)).toEqual(['50 LEASE_ENDS_SOON 1']);
  });

  test('of the commit, written or not, a notice is given once', async () => {
    for (const fault of ['before', 'after', 'hang', 'hang-after'] as const) {
      await using harness = harnessOf(1);
      const { engine, store } = await harness.start();
      await engine.submit('request', bestEffort(hours(1)), options);
      await settle();
      await harness.pass(minutes(49), minutes(1));
      let left = 1;
      store.commitFault = ({ notices: written }) => (written.length > 0 && left-- > 0 ? fault : null);
      await harness.pass(minutes(1));
      await harness.pass(minutes(9), minutes(1));
      expect(story(harness.database.notices).map((line) => line.slice(3))).toEqual(['LEASE_ENDS_SOON 1']);
    }
  });

  test('notices whose time passed meanwhile are not sent', async () => {
    await using harness = harnessOf(1);
    const { engine, store } = await harness.start();
    await engine.submit('request', bestEffort(hours(1)), options);
    await settle();
    store.kill();
    harness.clock.advance(hours(2));
    await harness.start();
    await settle();
    expect(harness.state(1)).toBe('DONE');
    expect(harness.database.notices).toEqual([]);
  });
});

test('a standby publishes the notices of the writer, also those from before it started', async () => {
  await using harness = harnessOf(1);
  const { engine } = await harness.start();
  await engine.submit('setNodeState', { node: 1, state: 'DOWN', collisions: 'DISPLACE' }, options);
  await settle();
  const standby = await harness.start();
  const seen: string[] = [];
  void (async () => {
    for await (const { kind, sequence } of standby.engine.notices.subscribe({ after: 0 })) {
      seen.push(`${sequence} ${kind}`);
    }
  })();
  await engine.submit('setNodeState', { node: 1, state: 'UP', collisions: 'DISPLACE' }, options);
  await settle();
  expect(seen).toEqual(['1 NODE_DOWN', '2 NODE_UP']);
});
