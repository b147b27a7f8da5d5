import { expect, test } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
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

const immediate = (machines: number) => ({ ...bestEffort(hours(1), machines), type: 'IMMEDIATE' as const });
/** A pass does one lease per turn, so that a pass is not over with the turn that began it. */
const limits = { slice: 0, maxSlicesPerTurn: 1 };

test('leases with a fixed start are decided before the answer, however long the queue is', async () => {
  await using harness = new Harness({ nodes: 2, limits });
  const { engine } = await harness.start();
  const start = harness.clock.now() + hours(1);
  const requests = Array.from({ length: 60 }, (_, index) =>
    index % 3 === 0
      ? bestEffort(hours(10))
      : index % 3 === 1
        ? immediate(2)
        : reservationAt(start + minutes(index), minutes(30), 2),
  );
  const seen = await Promise.all(
    requests.map(async (request) => {
      const answer = await engine.submit('request', request, { principal });
      return { type: request.type, state: harness.state(answer.leaseNumber), answer };
    }),
  );
  const fixed = seen.filter(({ type }) => type !== 'BEST_EFFORT');
  expect(fixed.filter(({ state }) => state === 'PENDING')).toEqual([]);
  expect(new Set(fixed.map(({ state }) => state))).toEqual(new Set(['ACTIVE', 'READY', 'REJECTED']));
  expect(seen.map(({ answer }) => answer)).toEqual(seen.map((_, index) => ({ leaseNumber: index + 1 })));
});

test('a request does not wait for the rest of a long queue', async () => {
  let planned = 0;
  await using harness = new Harness({
    nodes: 1,
    limits,
    hooks: {
      hook: (what) => {
        if (what === 'pass') planned += 1;
      },
    },
    engine: { scheduler: { ...defaultSchedulerConfig, backfilling: 'conservative' } },
  });
  const { engine } = await harness.start();
  await Promise.all(Array.from({ length: 400 }, () => engine.submit('request', bestEffort(hours(1)), { principal })));
  await until(() => planned > 450);
  const before = planned;
  await engine.submit('request', reservationAt(harness.clock.now() + hours(9), hours(1)), { principal });
  expect(harness.state(401)).toMatch(/READY|REJECTED/);
  expect(planned - before).toBeLessThan(10);
});

test('a standby waits for the decision as the writer does', async () => {
  await using harness = new Harness({ nodes: 1, limits });
  const writer = await harness.start();
  const standby = await harness.start();
  for (let count = 0; count < 10; count += 1) void writer.engine.submit('request', bestEffort(hours(1)), { principal });
  const start = harness.clock.now() + hours(20);
  const answers = await Promise.all(
    [0, 1, 2].map((count) =>
      standby.engine.submit('request', reservationAt(start + hours(count), hours(1)), { principal }),
    ),
  );
  const states = answers.map(({ leaseNumber }) => harness.state(leaseNumber));
  expect(states).toEqual(['READY', 'READY', 'READY']);
});

test('a decision that a standby has seen before the answer is not waited for', async () => {
  await using harness = new Harness({
    nodes: 1,
    limits,
    engine: { scheduler: { ...defaultSchedulerConfig, backfilling: 'conservative' } },
  });
  const writer = await harness.start();
  const standby = await harness.start();
  await settle();
  // The pass goes over the queue for some turns before it comes to the reservation.
  standby.store.beforeAnswer = () => until(() => harness.state(1) === 'READY').then(() => settle());
  let undecided = false;
  writer.store.afterCommit = async ({ answers }) => {
    for (const { answer } of answers) undecided ||= JSON.stringify(answer).includes('undecided');
  };
  const start = harness.clock.now() + hours(20);
  const { engine } = standby;
  const answer = engine.submit('request', reservationAt(start, hours(1)), { principal });
  for (let count = 0; count < 3; count += 1) void engine.submit('request', bestEffort(hours(1)), { principal });
  expect(await answer).toEqual({ leaseNumber: 1 });
  expect(undecided).toBe(true);
});

test('without a decision in time the answer says so, and a repetition waits for it again', async () => {
  let broken = true;
  await using harness = new Harness({
    limits: { decisionTimeout: 3_000, maxPassDelay: 500 },
    hooks: {
      hook: (what) => {
        if (what === 'pass' && broken) throw new Error('the pass is broken');
      },
    },
  });
  const { engine } = await harness.start();
  const options = { principal, idempotencyKey: 'key' };
  const request = () => engine.submit('request', reservationAt(hours(24 * 365 * 60), hours(1)), options);
  const first = request();
  await settle();
  await harness.pass(3_000, 500);
  expect(await first).toEqual({ leaseNumber: 1, undecided: true });
  expect(harness.state(1)).toBe('PENDING');
  const again = request();
  await settle();
  broken = false;
  await harness.pass(2_500, 500);
  expect(await again).toEqual({ leaseNumber: 1 });
  expect(harness.state(1)).toBe('READY');
  expect(await request()).toEqual({ leaseNumber: 1 });
});

test('a stop answers the callers that wait for a decision', async () => {
  await using harness = new Harness({
    hooks: {
      hook: (what) => {
        if (what === 'pass') throw new Error('the pass is broken');
      },
    },
  });
  const { engine } = await harness.start();
  const answer = engine.submit('request', immediate(1), { principal });
  await settle();
  void engine.stop();
  expect(await answer).toEqual({ leaseNumber: 1, undecided: true });
});
