/**
 * The right to write is lost and regained while hosts are busy: leftovers of an earlier term have no effect in a
 * later one.
 */
import { expect, test } from 'vitest';
import { type ActionResult, type MachineStatus, StoreError } from '../../src/engine/ports.ts';
import { bestEffort, Harness, hours, principal, type Running, settle, until } from '../support/engine-harness.ts';

/** Answers what is waited for later. */
const later = <T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } => {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
};

/** The first server writes until its session ends without a word, and the second takes over. */
const takeOver = async (harness: Harness, { engine }: Running): Promise<void> => {
  harness.database.holder = null;
  await harness.pass(2_000, 500);
  expect(engine.status().role).toBe('writer');
};

/** The first server notices at its next commit that it is none any more. */
const notice = async (harness: Harness, { engine }: Running): Promise<void> => {
  await engine.submit('request', bestEffort(hours(1)), { principal }).catch(() => {});
  await harness.pass(2_000, 500);
  expect(engine.status().role).toBe('standby');
};

/** The present writer dies, and the other writes again. */
const comeBack = async (harness: Harness, dying: Running, { engine }: Running): Promise<void> => {
  dying.store.kill();
  await harness.pass(3_000, 500);
  expect(engine.status()).toMatchObject({ role: 'writer', problems: [] });
};

test('calls of hosts end with the term; the next writer repeats them, even if it is the same server', async () => {
  await using harness = new Harness();
  const first = await harness.start();
  const second = await harness.start();
  const answers: ((result: ActionResult) => void)[] = [];
  first.adapter.answer = () => {
    const { promise, resolve } = later<ActionResult>();
    answers.push(resolve);
    return promise;
  };
  second.adapter.answer = () => new Promise(() => {});
  await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(first.adapter.log).toEqual(['start 1/1']);
  await takeOver(harness, second);
  expect(second.adapter.log).toEqual(['start 1/1']);
  expect(first.adapter.calls[0]?.call.signal.aborted).toBe(false);
  await notice(harness, first);
  expect(first.adapter.calls[0]?.call.signal.aborted).toBe(true);
  // What the host says of it now is of no interest.
  answers[0]?.({ status: 'failed', reason: 'too late' });
  await comeBack(harness, second, first);
  expect(first.adapter.log).toEqual(['start 1/1', 'start 1/1']);
  expect(harness.database.actions.get(1)?.state).toBe('PENDING');
  answers[1]?.({ status: 'done' });
  await settle();
  expect(harness.database.actions.get(1)?.state).toBe('SUCCEEDED');
  expect(harness.state(1)).toBe('ACTIVE');
});

test('an outcome that a term could not record is ignored later', async () => {
  await using harness = new Harness();
  const first = await harness.start();
  const second = await harness.start();
  const thaw = later<void>();
  first.store.beforeCommit = ({ outcomes }) => (outcomes.length > 0 ? thaw.promise : Promise.resolve());
  first.adapter.answer = async () => ({ status: 'failed', reason: 'the first try' });
  await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await takeOver(harness, second);
  await until(() => harness.database.actions.get(1)?.state === 'SUCCEEDED');
  thaw.resolve();
  await harness.pass(2_000, 500);
  expect(first.engine.status().role).toBe('standby');
  await comeBack(harness, second, first);
  await settle();
  expect(harness.state(1)).toBe('ACTIVE');
  expect(harness.database.actions.get(1)?.outcome?.error).toBeNull();
});

test('an answer of a host to an ended term does not mean that a machine is lost', async () => {
  await using harness = new Harness();
  const before = await harness.start();
  await before.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await before.engine.stop();

  const first = harness.make();
  first.adapter.remembers = true;
  const said = later<MachineStatus>();
  first.adapter.inspect = () => said.promise;
  await first.engine.start();
  const second = await harness.start();
  await takeOver(harness, second);
  await notice(harness, first);
  first.adapter.inspect = async () => 'running';
  await comeBack(harness, second, first);
  said.resolve('absent');
  await harness.pass(1_000, 500);
  expect(harness.state(1)).toBe('ACTIVE');
});

test('an engine that is stopped while it loads the site does not become the writer', async () => {
  await using harness = new Harness();
  const before = await harness.start();
  before.adapter.answer = () => new Promise(() => {});
  await before.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await before.engine.stop();

  const { engine, store, adapter } = harness.make();
  const loading = later<void>();
  store.beforeLoad = () => loading.promise;
  const started = engine.start();
  await settle();
  const stopped = engine.stop();
  await harness.pass(2_000, 500);
  await stopped;
  loading.resolve();
  await started;
  await settle();
  expect(engine.status()).toMatchObject({ role: 'stopped', problems: ['The server is shutting down.'] });
  expect(adapter.log).toEqual([]);
});

test('a writer that regains its lock after another one has written answers from the new state', async () => {
  await using harness = new Harness();
  const first = await harness.start();
  const second = await harness.start();
  await settle();
  // Its network is away for a moment.
  first.store.failing = () => new StoreError('TRANSIENT', 'no route to host');
  harness.database.dropWriter();
  await harness.pass(2_000, 500);
  expect(await second.engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({
    leaseNumber: 1,
  });
  await settle();
  await second.engine.stop();
  first.store.failing = () => null;
  await harness.pass(3_000, 500);
  expect(first.engine.status()).toMatchObject({ role: 'writer', problems: [] });
  await first.engine.submit('cancel', { leaseNumber: 1 }, { principal });
  expect(harness.state(1)).toBe('CANCELLED');
});
