import { expect, test } from 'vitest';
import { type ActionReport, noReport } from '../../src/engine/hosts/report.ts';
import { Inbox, type Item } from '../../src/engine/inbox.ts';
import { type ForwardedCommand, StoreError } from '../../src/engine/ports.ts';
import { bestEffort, Harness, hours, principal, settle, until } from '../support/engine-harness.ts';

const cancel = (leaseNumber: number) => ({
  ...{ kind: 'cancel' as const, input: { leaseNumber }, principal: 'tester', idempotencyKey: null },
});
const request = (machines: number) => ({
  ...{ kind: 'request' as const, input: bestEffort(hours(1), machines) },
  ...{ principal: 'tester', idempotencyKey: null },
});
const forwarded = (...leases: number[]): ForwardedCommand[] =>
  leases.map((lease) => ({ id: `f${lease}`, payload: cancel(lease) }));
const report = (actionId: number): ActionReport => ({
  ...noReport,
  outcome: {
    ...{
      actionId,
      state: 'SUCCEEDED',
      error: null,
      attempts: 1,
      startedAt: null,
      output: null,
      finishedAt: 0,
    },
  },
});
const names = (items: readonly Item[]): string[] =>
  items.map((item) => {
    if (item.type === 'report') return `report ${item.report.outcome?.actionId}`;
    const from = 'forwarded' in item.replyTo ? item.replyTo.forwarded : 'local';
    return item.type === 'refused' ? `refused ${from}` : `${from} ${JSON.stringify(item.command.input)}`;
  });

test('items are taken in the order in which they came', async () => {
  const inbox = new Inbox(10);
  inbox.addCommand(cancel(1), () => {});
  inbox.addReport(report(1));
  await inbox.collect(10, async () => forwarded(2));
  inbox.addCommand(cancel(3), () => {});
  expect(names(inbox.take(10))).toEqual([
    'local {"leaseNumber":1}',
    'report 1',
    'f2 {"leaseNumber":2}',
    'local {"leaseNumber":3}',
  ]);
});

test('as many items are taken as their rows allow, and one at least', () => {
  const inbox = new Inbox(10);
  for (const machines of [5, 3, 2, 1]) inbox.addCommand(request(machines), () => {});
  expect([3, 5, 5, 5].map((rows) => inbox.take(10, rows).length)).toEqual([1, 2, 1, 0]);
  for (const machines of [1, 1, 1]) inbox.addCommand(request(machines), () => {});
  expect(inbox.take(2).length).toBe(2);
});

test('a turn takes few of the commands that try many places', () => {
  const inbox = new Inbox(1_000);
  const ask = (kind: 'availability' | 'dryRun' | 'rehearseCancel' | 'rehearseEnd') =>
    inbox.addCommand({ kind, input: { leaseNumber: 1 }, principal: 'tester', idempotencyKey: null }, () => {});
  for (const kind of ['availability', 'dryRun', 'rehearseCancel', 'rehearseEnd'] as const) {
    for (let count = 0; count < 20; count += 1) ask(kind);
    inbox.addCommand(cancel(1), () => {});
    expect([1, 2, 3].map(() => inbox.take(500, 10_000).length)).toEqual([8, 8, 5]);
  }
  // Others are limited by what they write.
  for (let count = 0; count < 600; count += 1) inbox.addCommand(cancel(1), () => {});
  expect(inbox.take(500, 10_000)).toHaveLength(500);
});

test('only commands of this process count towards the limit', async () => {
  const inbox = new Inbox(2);
  await inbox.collect(10, async () => forwarded(1, 2, 3));
  inbox.addReport(report(1));
  const add = () => inbox.addCommand(cancel(1), () => {});
  expect([add(), add(), add()]).toEqual([true, true, false]);
  const items = inbox.take(5);
  expect(inbox.localCommands).toBe(1);
  expect([add(), add()]).toEqual([true, false]);
  inbox.putBack(items);
  expect(inbox.localCommands).toBe(3);
  expect(inbox.takeLocal()).toHaveLength(3);
  expect([inbox.localCommands, inbox.take(9).length]).toEqual([0, 4]);
});

test('forwarded commands are read at first, and then only when there may be more', async () => {
  const inbox = new Inbox(10);
  const reads: number[] = [];
  const left = forwarded(1, 2, 3);
  const collect = () =>
    inbox.collect(2, async (limit) => {
      reads.push(limit);
      return left.slice(0, limit);
    });
  expect([inbox.hasWork, inbox.hasCommands]).toEqual([true, true]);
  await collect();
  // As many as could be read: there may be more, but those that are here come first.
  expect(inbox.hasCommands).toBe(true);
  await collect();
  expect(reads).toEqual([2]);
  expect(names(inbox.take(10)).length).toBe(2);
  expect([inbox.hasWork, inbox.hasCommands]).toEqual([true, true]);
  left.splice(0, 2);
  await collect();
  expect(reads).toEqual([2, 2]);
  inbox.take(10);
  expect([inbox.hasWork, inbox.hasCommands]).toEqual([false, false]);
  await collect();
  expect(reads).toEqual([2, 2]);
  inbox.announceForwarded();
  expect([inbox.hasWork, inbox.hasCommands]).toEqual([true, true]);
  await collect();
  expect(reads).toEqual([2, 2, 2]);
});

test('forwarded commands that could not be read are read the next time', async () => {
  const inbox = new Inbox(10);
  const failing = async () => {
    throw new StoreError('PERMANENT', 'no');
  };
  await expect(inbox.collect(2, failing)).rejects.toThrow('no');
  await inbox.collect(2, async () => forwarded(1));
  expect(inbox.take(2)).toHaveLength(1);
});

test('forwarded commands that are dropped are read again; reports end with the term', async () => {
  const inbox = new Inbox(10);
  const collect = () => inbox.collect(9, async () => forwarded(1));
  await collect();
  inbox.addReport(report(1));
  inbox.addCommand(cancel(2), () => {});
  inbox.dropForwarded();
  expect(inbox.hasCommands).toBe(true);
  await collect();
  expect(names(inbox.take(9))).toEqual(['report 1', 'local {"leaseNumber":2}', 'f1 {"leaseNumber":1}']);
  inbox.addReport(report(1));
  expect([inbox.hasWork, inbox.hasCommands]).toEqual([true, false]);
  inbox.endTerm();
  expect(names(inbox.take(9))).toEqual([]);
  expect(inbox.hasWork).toBe(true);
});

test('a new writer carries out what was forwarded before its term, without a notice', async () => {
  await using harness = new Harness();
  const writer = await harness.start();
  const standby = await harness.start();
  await settle();
  writer.store.kill();
  const answer = standby.store.forward(request(1), new AbortController().signal);
  standby.store.listens = false;
  // One attempt to take the lock, and less than the interval at which notices are looked for.
  await harness.pass(1_000, 1_000);
  await until(() => standby.engine.status().role === 'writer');
  expect(await answer).toEqual({ result: { leaseNumber: 1 } });
});

test('forwarded commands beyond those of one turn follow without another notice', async () => {
  await using harness = new Harness({ limits: { commandsPerTurn: 2 } });
  const writer = await harness.start();
  await settle();
  const { store } = harness.make();
  const { signal } = new AbortController();
  writer.store.listens = false;
  const answers = Array.from({ length: 5 }, () => store.forward(request(1), signal));
  await settle();
  // One look at the database for notices that were lost.
  harness.clock.advance(1_000);
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5].map((leaseNumber) => ({ result: { leaseNumber } })));
});

test('a pass lets the turn end for a forwarded command', async () => {
  let arrive: (() => void) | null = null;
  let planned = 0;
  await using harness = new Harness({
    nodes: 1,
    limits: { slice: 0, maxSlicesPerTurn: 1_000 },
    hooks: {
      hook: (what) => {
        if (what !== 'pass') return;
        planned += 1;
        if (planned === 60) arrive?.();
      },
    },
  });
  const { engine } = await harness.start();
  const { store } = harness.make();
  await settle();
  let plannedBefore = Number.NaN;
  let answer: Promise<unknown> = Promise.resolve();
  arrive = () => {
    arrive = null;
    answer = store.forward(request(1), new AbortController().signal).then((given) => {
      plannedBefore = planned;
      return given;
    });
  };
  await Promise.all(Array.from({ length: 300 }, () => engine.submit('request', bestEffort(hours(1)), { principal })));
  await until(() => !Number.isNaN(plannedBefore));
  expect(await answer).toEqual({ result: { leaseNumber: 301 } });
  expect(plannedBefore).toBeLessThan(300);
});
