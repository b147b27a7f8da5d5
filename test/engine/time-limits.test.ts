/** Operations that take longer than planned, within their time limit and beyond it. */
import { describe, expect, test } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import type { ActionResult } from '../../src/engine/ports.ts';
import { bestEffort, epoch, Harness, minutes, principal, reservationAt } from '../support/engine-harness.ts';

const seconds = (count: number): number => count * 1_000;
const done: ActionResult = { status: 'done' };

const config = {
  ...defaultSchedulerConfig,
  ...({ suspension: 'all', preemption: 'ar-preempts-everything', migration: 'yes' } as const),
  ...{ overrideSuspendTime: seconds(10), overrideResumeTime: seconds(10), shutdownTime: seconds(5) },
};
const limit = seconds(30);
const actionTimeouts = { SUSPEND: limit, RESUME: limit, MIGRATE: seconds(90), SHUTDOWN: limit };

/**
 * Lease 1 runs for ten minutes, but for lease 2, which has all nodes from 2 to 4 min. Actions of one kind take `takes`
 * seconds, or for ever. On two nodes, lease 3 then takes the node of lease 1, which is migrated.
 */
async function outcomeOf(slow: string, takes: number, nodes = 1) {
  const limits = { dispatch: { ...defaultLimits.dispatch, actionTimeouts } };
  await using harness = new Harness({ nodes, limits, engine: { scheduler: config } });
  const { clock, database } = harness;
  const { engine, adapter } = await harness.start();
  const began = new Map<number, number>();
  adapter.answer = async (what, { actionId }) => {
    if (what !== slow) return done;
    began.set(actionId, began.get(actionId) ?? clock.now());
    return clock.now() - (began.get(actionId) ?? 0) >= seconds(takes) ? done : { status: 'pending' };
  };
  await engine.submit('request', bestEffort(minutes(10)), { principal });
  await engine.submit('request', reservationAt(epoch + minutes(2), minutes(2), nodes), { principal });
  if (nodes === 2) await engine.submit('request', reservationAt(epoch + minutes(4), minutes(20)), { principal });
  await harness.pass(minutes(30), seconds(1));
  const at = (instant: number): number => (instant - epoch) / 1_000;
  return {
    /** From the suspension on, without plans that are only put off. */
    events: (lease: number) =>
      database.events
        .filter((event) => event.leaseId === lease && event.at >= epoch + seconds(100))
        .filter(({ from, to }) => !['PENDING', 'SCHEDULED'].includes(from) && to !== 'PENDING')
        .map((event) => `${at(event.at)} ${event.from} ${event.to} ${event.reason?.code ?? '-'}`),
    actions: [...database.actions.values()]
      .filter(({ leaseId }) => leaseId === 1)
      .map((action) => {
        const places = action.targets.map(({ node, toNode }) => `${node}${toNode ? `>${toNode}` : ''}`);
        return `${at(action.at)} ${action.kind} ${places} ${action.state}`;
      }),
    notices: (lease: number) =>
      database.notices
        .filter(({ leaseId }) => leaseId === lease)
        .map((notice) => `${at(notice.at)} ${notice.kind} ${notice.message} (${notice.reason?.code})`),
    reason: database.leases.get(1)?.reason?.message,
    accumulated: [1, 2].map((lease) => (database.leases.get(lease)?.accumulated ?? 0) / 1_000),
  };
}

const suspendedAt = (instant: number): string[] => [
  '110 ACTIVE SUSPENDING PREEMPTED',
  `${instant} SUSPENDING SUSPENDED_PENDING PREEMPTED`,
  `${instant} SUSPENDED_PENDING SUSPENDED_QUEUED PREEMPTED`,
  `${instant} SUSPENDED_QUEUED SUSPENDED_SCHEDULED -`,
];

describe('a suspension', () => {
  test('that is late puts off what follows on its nodes', async () => {
    const { accumulated, actions, events, notices } = await outcomeOf('suspend', 25);
    expect(events(1)).toEqual([
      ...suspendedAt(135),
      '240 SUSPENDED_SCHEDULED RESUMING -',
      '250 RESUMING RESUMED_READY -',
      '250 RESUMED_READY ACTIVE -',
      '745 ACTIVE DONE -',
    ]);
    expect(events(2)).toEqual(['135 READY ACTIVE -', '240 ACTIVE DONE -']);
    expect(actions.slice(1, 3)).toEqual(['110 SUSPEND 1 SUCCEEDED', '240 RESUME 1 SUCCEEDED']);
    expect(notices(1)).toEqual([
      '110 LEASE_PREEMPTED Lease 1 was preempted: its machines are suspended for lease 2. (PREEMPTED)',
      '120 LEASE_LATE Lease 1 is late: its suspension takes longer than planned. (HOSTS_LATE)',
    ]);
    expect(notices(2).slice(0, 3)).toEqual(
      [
        [120, 1],
        [121, 1],
        [122, 2],
      ].map(
        ([second, delay]) =>
          `${second} LEASE_LATE Lease 2 starts ${delay}s later than planned: what hosts do for lease 1 takes longer than planned. (HOSTS_LATE)`,
      ),
    );
    expect(accumulated).toEqual([600, 100]);
  });

  test('that is not over within its time limit fails the lease, whose machines are destroyed', async () => {
    const { accumulated, actions, events, reason } = await outcomeOf('suspend', Number.POSITIVE_INFINITY);
    expect(events(1)).toEqual(['110 ACTIVE SUSPENDING PREEMPTED', '150 SUSPENDING FAILED ACTION_FAILED']);
    expect(reason).toBe('SUSPEND of machine 1 of lease 1 on node 1: not finished after 40 s');
    // It had been put off to 152 s.
    expect(events(2)).toEqual(['150 READY ACTIVE -', '240 ACTIVE DONE -']);
    expect(actions.slice(1)).toEqual(['110 SUSPEND 1 FAILED', '150 DESTROY 1 SUCCEEDED']);
    expect(accumulated).toEqual([110, 85]);
  });
});

describe('a resumption', () => {
  test('that is late makes its lease end later', async () => {
    const { accumulated, events, notices } = await outcomeOf('resume', 25);
    expect(events(1)).toEqual([
      ...suspendedAt(120),
      '240 SUSPENDED_SCHEDULED RESUMING -',
      // The extension that was the last one ends then.
      '266 RESUMING RESUMED_READY -',
      '266 RESUMED_READY ACTIVE -',
      '761 ACTIVE DONE -',
    ]);
    expect(notices(1).slice(1)).toEqual(
      [
        [250, 1],
        [251, 1],
        [252, 2],
        [254, 4],
        [258, 8],
      ].map(
        ([second, delay]) =>
          `${second} LEASE_LATE Lease 1 starts ${delay}s later than planned: its resumption takes longer than planned. (HOSTS_LATE)`,
      ),
    );
    expect(accumulated).toEqual([600, 115]);
  });

  test('that is not over within its time limit fails the lease, whose machines are destroyed', async () => {
    const { accumulated, actions, events, reason } = await outcomeOf('resume', Number.POSITIVE_INFINITY);
    expect(events(1).slice(4)).toEqual(['240 SUSPENDED_SCHEDULED RESUMING -', '280 RESUMING FAILED ACTION_FAILED']);
    expect(reason).toBe('RESUME of machine 1 of lease 1 on node 1: not finished after 40 s');
    expect(actions.slice(2)).toEqual(['240 RESUME 1 FAILED', '280 DESTROY 1 SUCCEEDED']);
    expect(accumulated).toEqual([110, 115]);
  });
});

describe('a migration', () => {
  // It is planned to take 82 s, from 120 s on.
  test('that is late delays the resumption after it only if it must', async () => {
    const { accumulated, actions, events, notices } = await outcomeOf('migrate', 105, 2);
    expect(events(1)).toEqual([
      ...suspendedAt(120),
      '240 SUSPENDED_SCHEDULED RESUMING -',
      '250 RESUMING RESUMED_READY -',
      '250 RESUMED_READY ACTIVE -',
      '745 ACTIVE DONE -',
    ]);
    expect(actions.slice(1, 4)).toEqual([
      '110 SUSPEND 1 SUCCEEDED',
      '120 MIGRATE 1>2 SUCCEEDED',
      '240 RESUME 2 SUCCEEDED',
    ]);
    expect(accumulated).toEqual([600, 115]);
    expect(notices(1).slice(1)).toEqual([
      '202 LEASE_LATE Lease 1 is late: its migration takes longer than planned. (HOSTS_LATE)',
    ]);
    const later = await outcomeOf('migrate', 140, 2);
    // Of the last extension, from 234 s on, 26 s are used.
    expect(later.events(1).slice(4, 7)).toEqual([
      '266 SUSPENDED_SCHEDULED RESUMING -',
      '276 RESUMING RESUMED_READY -',
      '276 RESUMED_READY ACTIVE -',
    ]);
  });

  test('that is not over within its time limit fails the lease, which is removed from both nodes', async () => {
    const { accumulated, actions, events, reason } = await outcomeOf('migrate', Number.POSITIVE_INFINITY, 2);
    expect(events(1)).toEqual([...suspendedAt(120), '292 SUSPENDED_SCHEDULED FAILED ACTION_FAILED']);
    expect(reason).toBe('MIGRATE of machine 1 of lease 1 on node 1: not finished after 172 s');
    expect(actions.slice(2)).toEqual(['120 MIGRATE 1>2 FAILED', '292 DESTROY 1,2 SUCCEEDED']);
    expect(events(2)).toEqual(['120 READY ACTIVE -', '240 ACTIVE DONE -']);
    expect(accumulated).toEqual([110, 115]);
  });
});

test('a shutdown that is not over within its time limit ends its lease, whose machines are destroyed', async () => {
  const { accumulated, actions, events, notices } = await outcomeOf('shutdown', Number.POSITIVE_INFINITY);
  // Lease 2 would have stopped at 235 s.
  expect(events(2)).toEqual(['120 READY ACTIVE -', '272 ACTIVE DONE -']);
  expect(notices(2)).toEqual(['240 LEASE_LATE Lease 2 is late: its shutdown takes longer than planned. (HOSTS_LATE)']);
  // With migration, a lease that is planned anew is resumed after the time of a migration at the earliest.
  expect(events(1).slice(4)).toEqual([
    '240 SUSPENDED_SCHEDULED SUSPENDED_PENDING HOSTS_LATE',
    '240 SUSPENDED_PENDING SUSPENDED_SCHEDULED HOSTS_LATE',
    '322 SUSPENDED_SCHEDULED RESUMING -',
    '332 RESUMING RESUMED_READY -',
    '332 RESUMED_READY ACTIVE -',
    '859 ACTIVE DONE -',
  ]);
  expect(actions.slice(-2)).toEqual(['822 SHUTDOWN 1 FAILED', '857 DESTROY 1 SUCCEEDED']);
  expect(accumulated).toEqual([600, 115]);
});
