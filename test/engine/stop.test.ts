import { expect, test } from 'vitest';
import { bestEffort, Harness, hours, principal, settle } from '../support/engine-harness.ts';

test('a stop finishes the turn, answers waiting callers, ends subscriptions and releases the right to write', async () => {
  await using harness = new Harness();
  const { engine, store, adapter } = await harness.start();
  adapter.answer = () => new Promise(() => {});
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  const subscription = engine.events({});
  const next = subscription.next();
  await settle();

  let release = (): void => {};
  store.beforeCommit = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  const inTurn = engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  const waiting = engine.submit('request', bestEffort(hours(1)), { principal });
  const refused = expect(waiting).rejects.toMatchObject({ code: 'SHUTTING_DOWN', retryable: true });
  const stopped = engine.stop();
  release();
  expect(await inTurn).toEqual({ leaseNumber: 2 });
  await refused;
  await stopped;
  expect(await next).toMatchObject({ done: false });
  expect(await subscription.next()).toEqual({ done: true, value: undefined });
  expect(adapter.calls[0]?.call.signal.aborted).toBe(true);
  expect(harness.database.holder).toBeNull();
  expect(harness.database.actions.get(1)?.state).toBe('PENDING');
  expect(harness.database.listeners.size).toBe(0);
  expect(engine.status()).toMatchObject({ role: 'stopped', problems: [expect.any(String)] });
  await expect(engine.submit('request', bestEffort(1), { principal })).rejects.toMatchObject({
    code: 'SHUTTING_DOWN',
  });
});

test('stopping does not wait for a database that hangs', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  await settle();
  store.beforeCommit = () => new Promise(() => {});
  const inTurn = engine.submit('request', bestEffort(hours(1)), { principal });
  const refused = expect(inTurn).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
  await settle();
  const stopped = engine.stop();
  await harness.pass(1_000, 100);
  await stopped;
  await refused;
  expect(engine.status().role).toBe('stopped');
});

test('stopping twice, or before the start, is harmless', async () => {
  await using harness = new Harness();
  const { engine } = harness.make();
  await Promise.all([engine.stop(), engine.stop()]);
  const other = await harness.start();
  await Promise.all([other.engine.stop(), other.engine.stop()]);
  expect(harness.database.holder).toBeNull();
});

test('a standby that stops refuses what it has passed on', async () => {
  await using harness = new Harness();
  const writer = await harness.start();
  const standby = await harness.start();
  writer.store.beforeCommit = () => new Promise(() => {});
  const refused = expect(standby.engine.submit('request', bestEffort(1), { principal })).rejects.toMatchObject({
    code: 'SHUTTING_DOWN',
  });
  await settle();
  await standby.engine.stop();
  await refused;
});
