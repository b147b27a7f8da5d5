import { expect, test } from 'vitest';
import type { CommitBatch } from '../../src/engine/ports.ts';
import { bestEffort, Harness, hours, minutes, principal, settle, until } from '../support/engine-harness.ts';
import type { CommitFault } from '../support/memory-store.ts';

/** The first commits fail in these ways, one after the other; the rest succeed. */
const faults = (...list: CommitFault[]): ((batch: CommitBatch) => CommitFault | null) => {
  const left = [...list];
  return () => left.shift() ?? null;
};

const unavailable = { code: 'UNAVAILABLE', retryable: true };

test('a commit that fails before it takes effect is tried again, and the caller notices nothing', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  store.commitFault = faults('before', 'before');
  const answer = engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(2_000, 100);
  expect(await answer).toEqual({ leaseNumber: 1 });
  expect(harness.database.leases.size).toBe(1);
  expect(engine.status().problems).toEqual([]);
});

test('a commit whose answer is lost is recognised: nothing is written twice', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  store.commitFault = faults('after', 'after');
  const answer = engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(2_000, 100);
  expect(await answer).toEqual({ leaseNumber: 1 });
  expect(harness.database.leases.size).toBe(1);
  const sequences = harness.database.events.map((event) => event.sequence);
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
});

test('a lock that is lost during a commit is taken again, and the same batch is written under the new epoch', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  let cut = 2;
  store.commitFault = () => {
    cut -= 1;
    if (cut < 0) return null;
    harness.database.dropWriter();
    return cut === 1 ? 'before' : 'after';
  };
  const answer = engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(2_000, 100);
  expect(await answer).toEqual({ leaseNumber: 1 });
  expect(harness.database.leases.size).toBe(1);
  expect(engine.status()).toMatchObject({ role: 'writer', problems: [], epoch: 3 });
});

test('a lock that is lost while nothing happens is taken again', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  await settle();
  harness.database.dropWriter();
  await settle();
  expect(engine.status()).toMatchObject({ role: 'writer', problems: [], epoch: 2 });
});

test('while the database is out of reach callers are told so, nothing is visible, and it goes on when it is back', async () => {
  await using harness = new Harness();
  const { engine } = await harness.start();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  const seen: number[] = [];
  const subscription = (async () => {
    for await (const event of engine.events({ after: 0 })) seen.push(event.sequence);
  })();
  await settle();
  const before = seen.length;

  harness.database.down = true;
  const waiting = engine.submit('request', bestEffort(hours(1)), { principal });
  const refused = expect(waiting).rejects.toMatchObject(unavailable);
  await harness.pass(10_000, 100);
  await refused;
  expect(engine.status().problems).toEqual([expect.stringContaining('database is out of reach')]);
  await expect(engine.submit('cancel', { leaseNumber: 1 }, { principal })).rejects.toMatchObject(unavailable);
  expect(seen).toHaveLength(before);

  harness.database.down = false;
  await harness.pass(3_000, 500);
  expect(engine.status()).toMatchObject({ role: 'writer', problems: [] });
  expect(await engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({ leaseNumber: 2 });
  await engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await settle();
  expect(harness.state(1)).toBe('CANCELLED');
  expect(seen).toEqual(harness.database.events.map((event) => event.sequence));
  await engine.stop();
  await subscription;
});

test('what came due while the database was out of reach is carried out once, in order of time', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  await engine.submit('request', bestEffort(minutes(10)), { principal });
  await engine.submit('request', bestEffort(minutes(10)), { principal });
  await settle();
  harness.database.down = true;
  await harness.pass(hours(2), minutes(1));
  harness.database.down = false;
  await harness.pass(3_000, 500);
  await harness.pass(minutes(11), minutes(1));
  expect([harness.state(1), harness.state(2)]).toEqual(['DONE', 'DONE']);
  // The time of lease 2 is over before its node is free: its machine is not started, only removed.
  expect(adapter.log).toEqual(['start 1/1', 'shutdown 1/1', 'shutdown 2/1']);
});

test('a commit that hangs times out; if it takes effect late, its key returns the lease', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  await settle();
  store.commitFault = faults('hang-after');
  const options = { principal, idempotencyKey: 'k' };
  const first = engine.submit('request', bestEffort(hours(1)), options);
  const refused = expect(first).rejects.toMatchObject(unavailable);
  await harness.pass(6_000, 500);
  await refused;
  await harness.pass(3_000, 500);
  expect(engine.status()).toMatchObject({ role: 'writer', problems: [] });
  expect(await engine.submit('request', bestEffort(hours(1)), options)).toEqual({ leaseNumber: 1 });
  expect(harness.database.leases.size).toBe(1);
});

test('a command that cannot be written fails alone; those that waited with it are carried out', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  await settle();
  store.commitFault = ({ changes }) => (changes.leases.some((lease) => lease.name === 'poison') ? 'permanent' : null);
  const names = ['a', 'poison', 'b', 'c', 'poison', 'd'];
  const answers = await Promise.allSettled(
    names.map((name) => engine.submit('request', bestEffort(hours(1), 1, name), { principal })),
  );
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(answers[1]).toMatchObject({ reason: { code: 'INTERNAL', retryable: false } });
  expect([...harness.database.leases.values()].map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  expect(engine.status().problems).toEqual([]);
});

test('no command is blamed when due reservations cannot be written', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  await engine.submit('request', bestEffort(minutes(10)), { principal });
  await settle();
  let wrong = true;
  store.commitFault = ({ changes }) => (wrong && changes.events.some(({ to }) => to === 'DONE') ? 'permanent' : null);
  harness.clock.advance(minutes(10));
  const refused = expect(engine.submit('request', bestEffort(hours(1)), { principal })).rejects.toMatchObject(
    unavailable,
  );
  await harness.pass(10_000, 500);
  await refused;
  expect(engine.status().problems).not.toEqual([]);
  wrong = false;
  await harness.pass(60_000, 1_000);
  expect(engine.status().problems).toEqual([]);
  expect(harness.state(1)).toBe('DONE');
  expect(await engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({ leaseNumber: 2 });
});

test('an outcome that cannot be recorded is dropped and does not stop the rest', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  store.commitFault = ({ outcomes }) => (outcomes.some(({ actionId }) => actionId === 1) ? 'permanent' : null);
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  expect(harness.database.actions.get(1)?.state).toBe('PENDING');
  expect(harness.database.actions.get(2)?.state).toBe('SUCCEEDED');
});

test('an outcome that cannot be recorded is found although commands keep coming', async () => {
  await using harness = new Harness({ nodes: 1 });
  const { engine, store } = await harness.start();
  let poisoned = 0;
  store.commitFault = ({ outcomes }) => {
    if (!outcomes.some(({ actionId }) => actionId === 1)) return null;
    poisoned += 1;
    return 'permanent';
  };
  const ask = () => engine.submit('request', bestEffort(hours(1)), { principal });
  await ask();
  // There is always one that waits.
  let waiting = ask();
  for (let count = 0; count < 30; count += 1) {
    const next = ask();
    await waiting;
    waiting = next;
  }
  await waiting;
  expect(poisoned).toBe(2);
  expect(store.calls.filter((call) => call === 'load').length).toBeLessThan(6);
});

test('a large commit may take longer than the time limit of a small one', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  await settle();
  const answers = Array.from({ length: 500 }, () => engine.submit('request', bestEffort(hours(1)), { principal }));
  store.beforeCommit = async () => {
    store.beforeCommit = async () => {};
    harness.clock.advance(5_500);
    await settle();
  };
  expect(await Promise.all(answers)).toHaveLength(500);
  expect(harness.database.leases.size).toBe(500);
});

test('a site that takes longer to load than the time limit is loaded, and waiting commands continue', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  await settle();
  store.commitFault = ({ changes }) => (changes.leases.some((lease) => lease.name === 'poison') ? 'permanent' : null);
  store.beforeLoad = async () => {
    harness.clock.advance(20_000);
    await settle();
  };
  const answers = await Promise.allSettled(
    ['poison', 'a'].map((name) => engine.submit('request', bestEffort(hours(1), 1, name), { principal })),
  );
  expect(answers).toMatchObject([{ status: 'rejected', reason: { code: 'INTERNAL' } }, { status: 'fulfilled' }]);
  expect(engine.status()).toMatchObject({ role: 'writer', problems: [], epoch: 1 });
});

test('a command that throws in the core fails alone', async () => {
  await using harness = new Harness({
    hooks: {
      hook: (what, request) => {
        if (what === 'request' && request?.name === 'poison') throw new TypeError('undefined is not a function');
      },
    },
  });
  const { engine } = await harness.start();
  const names = ['a', 'poison', 'b'];
  const answers = await Promise.allSettled(
    names.map((name) => engine.submit('request', bestEffort(hours(1), 1, name), { principal })),
  );
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(answers[1]).toMatchObject({ reason: { code: 'INTERNAL' } });
  expect([...harness.database.leases.values()].map(({ id, name }) => [id, name])).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
});

test('a pass that throws is retried, and commands and due reservations continue', async () => {
  let broken = true;
  await using harness = new Harness({
    hooks: {
      hook: (what) => {
        if (what === 'pass' && broken) throw new Error('the pass is broken');
      },
    },
  });
  const { engine } = await harness.start();
  expect(await engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({ leaseNumber: 1 });
  await harness.pass(5_000, 500);
  expect(await engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({ leaseNumber: 2 });
  await engine.submit('cancel', { leaseNumber: 2 }, { principal });
  expect(engine.status().problems).toEqual([expect.stringContaining('the pass is broken')]);
  expect(harness.state(1)).toBe('PENDING');
  broken = false;
  await harness.pass(60_000, 1_000);
  expect(engine.status().problems).toEqual([]);
  expect(harness.state(1)).toBe('ACTIVE');
});

test('a core that cannot advance refuses commands, and accepts them again when it can', async () => {
  let broken = false;
  await using harness = new Harness({
    hooks: {
      hook: (what) => {
        if (what === 'advance' && broken) throw new Error('time is out of joint');
      },
    },
  });
  const { engine } = await harness.start();
  await settle();
  broken = true;
  const refused = expect(engine.submit('request', bestEffort(hours(1)), { principal })).rejects.toMatchObject(
    unavailable,
  );
  await harness.pass(30_000, 500);
  await refused;
  expect(engine.status().problems).not.toEqual([]);
  broken = false;
  await harness.pass(60_000, 1_000);
  expect(engine.status().problems).toEqual([]);
  expect(await engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({ leaseNumber: 1 });
});

test('a reservation that stays due does not stop the engine', async () => {
  let advances = 0;
  let overdue: number | null = null;
  await using harness = new Harness({
    hooks: {
      overdue: () => overdue,
      hook: (what) => {
        if (what === 'advance' && overdue !== null && ++advances > 100) throw new Error('for ever');
      },
    },
  });
  const { engine, store } = await harness.start();
  await settle();
  overdue = harness.clock.now() - 1;
  expect(await engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({ leaseNumber: 1 });
  await harness.pass(3_000, 500);
  expect(harness.state(1)).toBe('ACTIVE');
  expect(store.calls.filter((call) => call === 'load')).toHaveLength(2);
});

test('a turn becomes visible when it is written, and never if it is not', async () => {
  await using harness = new Harness();
  const { engine, store, adapter } = await harness.start();
  await settle();
  const seen: string[] = [];
  void (async () => {
    for await (const event of engine.events({ after: 0 })) seen.push(`${event.sequence} ${event.to}`);
  })();
  const answers: string[] = [];
  const ask = (name: string): void =>
    void engine.submit('request', bestEffort(hours(1), 1, name), { principal }).then(
      () => answers.push(`${name} done`),
      () => answers.push(`${name} refused`),
    );
  let release = (): void => {};
  store.beforeCommit = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  ask('first');
  await settle();
  expect([seen, answers, adapter.log]).toEqual([[], [], []]);
  store.beforeCommit = async () => {};
  store.commitFault = () => 'before';
  release();
  await harness.pass(6_000, 500);
  expect([seen, answers, adapter.log]).toEqual([[], ['first refused'], []]);
  store.commitFault = () => null;
  await harness.pass(2_000, 500);
  ask('second');
  await settle();
  expect(seen).toEqual(['1 PENDING', '2 QUEUED', '3 SCHEDULED', '4 READY', '5 ACTIVE']);
  expect([answers, adapter.log]).toEqual([['first refused', 'second done'], ['start 1/1']]);
});

test('a refusal based on an unwritten turn becomes UNAVAILABLE', async () => {
  await using harness = new Harness();
  const { engine, store } = await harness.start();
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  store.commitFault = () => 'before';
  const cancels = [1, 1].map((lease) => engine.submit('cancel', { leaseNumber: lease }, { principal }));
  const refused = Promise.all(cancels.map((each) => expect(each).rejects.toMatchObject(unavailable)));
  await harness.pass(6_000, 500);
  await refused;
  store.commitFault = () => null;
  await harness.pass(2_000, 500);
  expect(harness.state(1)).toBe('ACTIVE');
  await engine.submit('cancel', { leaseNumber: 1 }, { principal });
});

test('commits never overlap, and commands that arrive during one are written with the next', async () => {
  await using harness = new Harness({ nodes: 50 });
  const { engine, store } = await harness.start();
  await settle();
  let release = (): void => {};
  store.beforeCommit = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  const first = engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  const others = Array.from({ length: 20 }, () => engine.submit('request', bestEffort(hours(1)), { principal }));
  await settle();
  const before = harness.database.commits;
  store.beforeCommit = async () => {};
  release();
  await Promise.all([first, ...others]);
  expect(harness.database.commits).toBe(before + 2);
});

test('a failed lease stops the engine where the configuration says so', async () => {
  const fatal: Error[] = [];
  await using harness = new Harness();
  const { defaultSchedulerConfig } = await import('../../src/core/index.ts');
  const { engine, adapter } = await harness.start({
    engine: {
      scheduler: { ...defaultSchedulerConfig, leaseFailureHandling: 'exit' },
      onFatal: (error) => fatal.push(error),
    },
  });
  adapter.answer = async (what) =>
    what === 'start' ? { status: 'failed', reason: 'no such host' } : { status: 'done' };
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await until(() => fatal.length > 0);
  expect(fatal[0]?.message).toContain('no such host');
  await settle();
  expect(engine.status().role).toBe('stopped');
});
