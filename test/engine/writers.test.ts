import { expect, test } from 'vitest';
import { bestEffort, Harness, hours, minutes, principal, settle } from '../support/engine-harness.ts';

test('a second server waits as a standby: it passes commands on and shows events', async () => {
  await using harness = new Harness();
  const writer = await harness.start();
  const standby = await harness.start();
  expect([writer.engine.status().role, standby.engine.status().role]).toEqual(['writer', 'standby']);
  expect(standby.engine.status().problems).toEqual([]);
  const seen: string[] = [];
  void (async () => {
    for await (const event of standby.engine.events({})) seen.push(`${event.leaseId} ${event.to}`);
  })();
  await settle();
  expect(await standby.engine.submit('request', bestEffort(minutes(10)), { principal })).toEqual({
    leaseNumber: 1,
  });
  await expect(standby.engine.submit('request', bestEffort(-1), { principal })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
  await expect(standby.engine.submit('cancel', { leaseNumber: 7 }, { principal })).rejects.toMatchObject({
    code: 'LEASE_NOT_FOUND',
  });
  await harness.pass(minutes(11), minutes(1));
  expect(seen.at(-1)).toBe('1 DONE');
  expect(writer.adapter.log).toHaveLength(2);
  expect(standby.adapter.log).toEqual([]);
});

test('standby and writer work without any notification of the database', async () => {
  await using harness = new Harness();
  const writer = await harness.start();
  const standby = await harness.start();
  writer.store.listens = false;
  standby.store.listens = false;
  const seen: number[] = [];
  void (async () => {
    for await (const event of standby.engine.events({})) seen.push(event.sequence);
  })();
  const answer = standby.engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(4_000, 500);
  expect(await answer).toEqual({ leaseNumber: 1 });
  expect(seen).toEqual(harness.database.events.map(({ sequence }) => sequence));
});

test('the standby takes over when the writer dies, and goes on where it was', async () => {
  await using harness = new Harness({ nodes: 1 });
  const writer = await harness.start();
  const standby = await harness.start();
  await writer.engine.submit('request', bestEffort(minutes(10)), { principal });
  await writer.engine.submit('request', bestEffort(minutes(10)), { principal });
  await settle();
  writer.store.kill();
  await harness.pass(10_000, 500);
  expect(standby.engine.status()).toMatchObject({ role: 'writer', problems: [] });
  expect(await standby.engine.submit('request', bestEffort(minutes(10)), { principal })).toEqual({
    leaseNumber: 3,
  });
  await harness.pass(minutes(40), minutes(1));
  expect([1, 2, 3].map((lease) => harness.state(lease))).toEqual(['DONE', 'DONE', 'DONE']);
});

test('a command that the dead writer had not answered is carried out once by its successor', async () => {
  await using harness = new Harness();
  const writer = await harness.start();
  const standby = await harness.start();
  // The writer dies in the middle of writing it.
  writer.store.beforeCommit = () => {
    writer.store.kill();
    return new Promise(() => {});
  };
  const answer = standby.engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(10_000, 500);
  expect(await answer).toEqual({ leaseNumber: 1 });
  expect(harness.database.leases.size).toBe(1);
});

test('a writer that was frozen and replaced cannot write', async () => {
  await using harness = new Harness();
  const old = await harness.start();
  const next = await harness.start();
  const options = { principal, idempotencyKey: 'key' };
  await settle();
  let thaw = (): void => {};
  old.store.beforeCommit = () =>
    new Promise((resolve) => {
      thaw = resolve;
    });
  const doubtful = old.engine.submit('request', bestEffort(hours(1)), options);
  const refused = expect(doubtful).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
  await settle();
  // Its session ended at the server, but nothing told it so.
  harness.database.holder = null;
  await harness.pass(2_000, 500);
  expect(next.engine.status().role).toBe('writer');
  expect(await next.engine.submit('request', bestEffort(hours(1)), options)).toEqual({ leaseNumber: 1 });

  old.store.beforeCommit = async () => {};
  thaw();
  await refused;
  await harness.pass(2_000, 500);
  expect(old.engine.status()).toMatchObject({ role: 'standby', problems: [] });
  expect(await old.engine.submit('request', bestEffort(hours(1)), options)).toEqual({ leaseNumber: 1 });
  expect(harness.database.leases.size).toBe(1);
  expect(old.adapter.log).toEqual([]);
  expect(next.adapter.log).toEqual(['start 1/1']);
  expect([old.adapter.forgotten, next.adapter.forgotten]).toEqual([1, 0]);
});

test('a replaced writer does not report leases of its successor as missing', async () => {
  await using harness = new Harness();
  const old = await harness.start();
  const next = await harness.start();
  await settle();
  harness.database.holder = null;
  await harness.pass(2_000, 500);
  expect(await next.engine.submit('request', bestEffort(hours(1)), { principal })).toEqual({
    leaseNumber: 1,
  });
  expect(old.engine.status().role).toBe('writer');
  await expect(old.engine.submit('cancel', { leaseNumber: 1 }, { principal })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryable: true,
  });
  await harness.pass(2_000, 500);
  await old.engine.submit('cancel', { leaseNumber: 1 }, { principal });
  expect(harness.state(1)).toBe('CANCELLED');
});

test('a standby whose writer does not answer in time says so', async () => {
  await using harness = new Harness({ limits: { forwardTimeout: 2_000 } });
  const writer = await harness.start();
  const standby = await harness.start();
  await settle();
  writer.store.beforeCommit = () => new Promise(() => {});
  const refused = expect(standby.engine.submit('request', bestEffort(hours(1)), { principal })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryable: true,
  });
  await harness.pass(3_000, 500);
  await refused;
});

test('a forwarded command of an unknown kind or shape is refused, and the others are carried out', async () => {
  await using harness = new Harness();
  const writer = await harness.start();
  const { store } = harness.make();
  const signal = new AbortController().signal;
  const answers = await Promise.all([
    store.forward({ kind: 'dance' }, signal),
    store.forward({ kind: 'request', principal: 'x', input: { type: 'BEST_EFFORT', machines: 'many' } }, signal),
    store.forward(null, signal),
    store.forward({ kind: 'request', principal: 'x', idempotencyKey: null, input: bestEffort(hours(1)) }, signal),
  ]);
  expect(answers).toMatchObject([
    { error: { code: 'INVALID_REQUEST' } },
    { error: { code: 'INVALID_REQUEST' } },
    { error: { code: 'INVALID_REQUEST' } },
    { result: { leaseNumber: 1 } },
  ]);
  expect(writer.engine.status().problems).toEqual([]);
});

test('a forwarded command that cannot be written is found although the writer has commands of its own all the time', async () => {
  await using harness = new Harness({ nodes: 1 });
  const writer = await harness.start();
  const standby = await harness.start();
  await settle();
  let poisoned = 0;
  writer.store.commitFault = ({ changes }) => {
    if (!changes.leases.some(({ name }) => name === 'poison')) return null;
    poisoned += 1;
    return 'permanent';
  };
  const ask = () => writer.engine.submit('request', bestEffort(hours(1)), { principal });
  const poison = expect(
    standby.engine.submit('request', bestEffort(hours(1), 1, 'poison'), { principal }),
  ).rejects.toMatchObject({ code: 'INTERNAL' });
  let waiting = ask();
  for (let count = 0; count < 30; count += 1) {
    const next = ask();
    await waiting;
    waiting = next;
  }
  await waiting;
  await poison;
  expect(poisoned).toBe(2);
});

test('a forwarded command that cannot be written is refused, and the others are carried out', async () => {
  await using harness = new Harness();
  const writer = await harness.start();
  const standby = await harness.start();
  await settle();
  writer.store.commitFault = ({ changes }) =>
    changes.leases.some(({ name }) => name === 'poison') ? 'permanent' : null;
  const names = ['a', 'poison', 'b'];
  const answers = await Promise.allSettled(
    names.map((name) => standby.engine.submit('request', bestEffort(hours(1), 1, name), { principal })),
  );
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? 'done' : answer.reason.code))).toEqual([
    'done',
    'INTERNAL',
    'done',
  ]);
  expect([...harness.database.leases.values()].map(({ name }) => name)).toEqual(['a', 'b']);
});
