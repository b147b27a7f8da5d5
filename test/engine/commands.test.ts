import { expect, test } from 'vitest';
import { bestEffort, Harness, hours, minutes, principal, reservationAt, settle } from '../support/engine-harness.ts';

test('an invalid command fails alone', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  const answers = await Promise.allSettled([
    engine.submit('request', bestEffort(hours(1)), { principal }),
    engine.submit('request', bestEffort(-1), { principal }),
    engine.submit('cancel', { leaseNumber: 99 }, { principal }),
    engine.submit('request', bestEffort(hours(1)), { principal }),
  ]);
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code))).toEqual([
    { leaseNumber: 1 },
    'INVALID_REQUEST',
    'LEASE_NOT_FOUND',
    { leaseNumber: 2 },
  ]);
  expect([...harness.database.leases.keys()]).toEqual([1, 2]);
});

test('a lease that has ended cannot be cancelled, and the attempt plans nothing anew', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  await engine.submit('request', bestEffort(minutes(1)), { principal });
  await harness.pass(minutes(2));
  expect(harness.state(1)).toBe('DONE');
  const before = harness.database.commits;
  await expect(engine.submit('cancel', { leaseNumber: 1 }, { principal })).rejects.toMatchObject({
    code: 'LEASE_ENDED',
  });
  await settle();
  expect(harness.database.commits).toBe(before);
});

test('a rejected lease is an answer, not an error', async () => {
  await using harness = new Harness({ nodes: 2 });
  const { engine } = await harness.start();
  expect(await engine.submit('request', bestEffort(hours(1), 3), { principal })).toEqual({ leaseNumber: 1 });
  expect(harness.state(1)).toBe('REJECTED');
});

test('of many requests for the same nodes at the same time exactly one is accepted', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine } = await harness.start();
  const start = harness.clock.now() + hours(1);
  await Promise.all(
    Array.from({ length: 20 }, () => engine.submit('request', reservationAt(start, hours(1)), { principal })),
  );
  await settle();
  const states = [...harness.database.leases.values()].map(({ state }) => state).sort();
  expect(states).toEqual(['READY', ...Array.from({ length: 19 }, () => 'REJECTED')].sort());
});

test('the same key with the same input answers with the same lease, with another input it is an error', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  const options = { principal, idempotencyKey: 'key' };
  expect(await engine.submit('request', bestEffort(hours(1)), options)).toEqual({ leaseNumber: 1 });
  // The order of the fields is no difference, and neither is a field that says nothing.
  const { duration, ...rest } = bestEffort(hours(1));
  expect(await engine.submit('request', { duration, ...rest, image: null }, options)).toEqual({
    leaseNumber: 1,
  });
  await expect(engine.submit('request', bestEffort(hours(2)), options)).rejects.toMatchObject({
    code: 'IDEMPOTENCY_CONFLICT',
    path: ['idempotencyKey'],
    retryable: false,
  });
  expect(
    await engine.submit('request', bestEffort(hours(2)), {
      principal: { name: 'other' },
      idempotencyKey: 'key',
    }),
  ).toEqual({
    leaseNumber: 2,
  });
  expect(harness.database.leases.size).toBe(2);
});

test('equal keys in one turn make one lease; a request that failed leaves its key free', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  const options = { principal, idempotencyKey: 'key' };
  const answers = await Promise.allSettled([
    engine.submit('request', bestEffort(0), options),
    engine.submit('request', bestEffort(hours(1)), options),
    engine.submit('request', bestEffort(hours(1)), options),
    engine.submit('request', bestEffort(hours(2)), options),
  ]);
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code))).toEqual([
    'INVALID_REQUEST',
    { leaseNumber: 1 },
    { leaseNumber: 1 },
    'IDEMPOTENCY_CONFLICT',
  ]);
  expect(harness.database.leases.size).toBe(1);
});

test('a key is remembered by the next server', async () => {
  await using harness = new Harness();
  const options = { principal, idempotencyKey: 'key' };
  const first = await harness.start();
  await first.engine.submit('request', bestEffort(hours(1)), options);
  await first.engine.stop();
  const second = await harness.start();
  expect(await second.engine.submit('request', bestEffort(hours(1)), options)).toEqual({ leaseNumber: 1 });
});

test('a turn takes at least one command, and no more than one commit may hold machines', async () => {
  await using harness = new Harness({ nodes: 1, limits: { rowsPerTurn: 100 } });
  const { engine, store } = await harness.start();
  const standby = await harness.start();
  await settle();
  const written: number[] = [];
  store.afterCommit = async ({ changes }) => {
    written.push(changes.events.filter(({ from }) => from === 'NEW').length);
  };
  const sizes = [40, 40, 40, 300, 1, 99, 1];
  const answers = sizes.map((machines) => engine.submit('request', bestEffort(hours(1), machines), { principal }));
  expect((await Promise.all(answers)).map(({ leaseNumber }) => leaseNumber)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(written.filter((count) => count > 0)).toEqual([2, 1, 1, 2, 1]);
  // The same of those that came through the database.
  written.length = 0;
  const forwarded = sizes.map((machines) =>
    standby.engine.submit('request', bestEffort(hours(1), machines), { principal }),
  );
  await settle();
  expect(await Promise.all(forwarded)).toHaveLength(7);
  expect(written.filter((count) => count > 0).length).toBeGreaterThanOrEqual(5);
});

test('commands beyond the limit of waiting commands are refused as retryable', async () => {
  await using harness = new Harness({ limits: { maxCommandsWaiting: 5, commandsPerTurn: 2 } });
  const { engine } = await harness.start();
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, () => engine.submit('request', bestEffort(hours(1)), { principal })),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(answers.at(-1)).toMatchObject({ reason: { code: 'UNAVAILABLE', retryable: true } });
});
