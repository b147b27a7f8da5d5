import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/engine/limits.ts';
import type { ActionResult } from '../../src/engine/ports.ts';
import { bestEffort, Harness, hours, minutes, principal, settle } from '../support/engine-harness.ts';

const done: ActionResult = { status: 'done' };
const never = (): Promise<ActionResult> => new Promise(() => {});

/** A lease of two machines of which the second never starts. */
async function stuckStart() {
  const harness = new Harness({ nodes: 2 });
  const { engine, adapter, store } = await harness.start();
  const stuck = new Set([2]);
  adapter.answer = (what, { target }) =>
    what === 'start' && stuck.has(target.machine) ? never() : Promise.resolve(done);
  await engine.submit('request', bestEffort(hours(1), 2), { principal });
  await settle();
  expect(harness.database.actions.get(1)?.state).toBe('PENDING');
  return { harness, engine, adapter, store, stuck };
}

test('an action that is retried calls its hosts at once', async () => {
  const { harness, engine, adapter, stuck } = await stuckStart();
  await using _ = harness;
  stuck.clear();
  const result = await engine.submit('recoverAction', { actionId: 1, recovery: 'RETRY' }, { principal });
  expect(result).toEqual({ actionId: 1 });
  await settle();
  expect(harness.database.actions.get(1)?.state).toBe('SUCCEEDED');
  expect(adapter.log).toEqual(['start 1/1', 'start 1/2', 'start 1/2']);
});

test('an action that is assumed to have succeeded ends so, and its lease runs on', async () => {
  const { harness, engine, adapter } = await stuckStart();
  await using _ = harness;
  await engine.submit('recoverAction', { actionId: 1, recovery: 'ASSUME_SUCCESS' }, { principal });
  await settle();
  expect(harness.database.actions.get(1)).toMatchObject({ state: 'SUCCEEDED', message: null });
  expect(adapter.calls[1]?.call.signal.aborted).toBe(true);
  await harness.pass(hours(1), minutes(10));
  expect(harness.state(1)).toBe('DONE');
  expect(adapter.log.slice(2)).toEqual(['shutdown 1/1', 'shutdown 1/2']);
});

test('an action that is assumed to have failed fails its lease, and its machines are destroyed', async () => {
  const { harness, engine, adapter } = await stuckStart();
  await using _ = harness;
  await engine.submit('recoverAction', { actionId: 1, recovery: 'ASSUME_FAILURE' }, { principal });
  await settle();
  expect(harness.database.actions.get(1)?.state).toBe('FAILED');
  expect(harness.state(1)).toBe('FAILED');
  expect(adapter.log.slice(2)).toEqual(['destroy 1/1', 'destroy 1/2']);
});

test('an action that is finished or unknown cannot be recovered, also not through a standby', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  const standby = await harness.start();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  for (const [server, actionId] of [
    [engine, 1],
    [engine, 99],
    [standby.engine, 1],
  ] as const) {
    await expect(server.submit('recoverAction', { actionId, recovery: 'RETRY' }, { principal })).rejects.toMatchObject({
      code: 'ACTION_NOT_OPEN',
      path: ['id'],
      retryable: false,
    });
  }
});

test('an operator frees a node whose machine cannot be destroyed', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  adapter.answer = async (what) => (what === 'destroy' ? { status: 'failed', reason: 'no' } : done);
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(5_000, 1_000);
  expect(adapter.log.at(-1)).toBe('destroy 1/1');
  await expect(
    engine.submit('recoverAction', { actionId: 2, recovery: 'ASSUME_FAILURE' }, { principal }),
  ).rejects.toMatchObject({ code: 'INVALID_REQUEST', path: ['recovery'] });
  await settle();
  expect(harness.database.actions.get(2)?.state).toBe('PENDING');
  await engine.submit('recoverAction', { actionId: 2, recovery: 'ASSUME_SUCCESS' }, { principal });
  await settle();
  expect(harness.database.actions.get(2)?.state).toBe('SUCCEEDED');
  expect(adapter.log.at(-1)).toBe('start 2/1');
});

test('a machine that does not shut down in time is destroyed, and its lease is done', async () => {
  const dispatch = { ...defaultLimits.dispatch, actionTimeouts: { SHUTDOWN: 20_000 }, callTimeout: 5_000 };
  await using harness = new Harness({ nodes: 1, limits: { dispatch } });
  const { engine, adapter } = await harness.start();
  adapter.answer = (what) => (what === 'shutdown' ? never() : Promise.resolve(done));
  await engine.submit('request', bestEffort(30_000), { principal });
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(90_000, 1_000);
  expect([harness.state(1), harness.state(2)]).toEqual(['DONE', 'ACTIVE']);
  expect(adapter.log.filter((call) => !call.startsWith('shutdown'))).toEqual(['start 1/1', 'destroy 1/1', 'start 2/1']);
});
